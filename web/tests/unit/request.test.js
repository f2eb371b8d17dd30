// @ts-check

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { buildRequest, curl, quote } from "../../pages/request.js";
import { operations } from "../../pages/openapi.js";
import { document } from "./fixture.js";

/** @typedef {import("../../types/openapi.d.ts").RawOperation} RawOperation */

const BASE = "http://127.0.0.1:8080/";

/**
 * @param {string} path
 * @param {import("../../types/openapi.d.ts").Method} method
 * @param {RawOperation} raw
 */
function operation(path, method, raw) {
  const [op] = operations(document({ paths: { [path]: { [method]: raw } } }));
  assert.ok(op);
  return op;
}

test("path values are encoded, including slashes", () => {
  const op = operation("/v1/tokens/autocomplete/{keyword}", "get", { parameters: [{ name: "keyword", in: "path" }] });
  const { url } = buildRequest(BASE, op, { "path.keyword": "100 usdc/eth?" }, null);
  assert.equal(url, "http://127.0.0.1:8080/v1/tokens/autocomplete/100%20usdc%2Feth%3F");
});

test("a value with a replacement pattern is used literally", () => {
  const op = operation("/a/{x}/b", "get", { parameters: [{ name: "x", in: "path" }] });
  assert.equal(buildRequest(BASE, op, { "path.x": "$&" }, null).url, "http://127.0.0.1:8080/a/%24%26/b");
});

test("an empty path value keeps its placeholder", () => {
  const op = operation("/v1/chain/{chainId}/icon", "get", { parameters: [{ name: "chainId", in: "path" }] });
  assert.equal(buildRequest(BASE, op, {}, null).url, "http://127.0.0.1:8080/v1/chain/{chainId}/icon");
});

test("empty query values are omitted, and lists follow the style of the document", () => {
  const schema = { type: ["array", "null"], items: { type: "integer" } };
  const op = operation("/v1/tokens", "get", {
    parameters: [
      { name: "q", in: "query" },
      { name: "chainIds", in: "query", explode: false, schema },
      { name: "tag", in: "query", schema },
      { name: "cursor", in: "query" },
    ],
  });
  const values = { "query.q": "a&b", "query.chainIds": "1, 8453", "query.tag": "1,2", "query.cursor": "" };
  assert.equal(buildRequest(BASE, op, values, null).url, "http://127.0.0.1:8080/v1/tokens?q=a%26b&chainIds=1,8453&tag=1&tag=2");
});

test("a body is sent with its content type, and a blank body is not sent", () => {
  const op = operation("/v1/quotes", "post", { requestBody: { content: { "application/json": {} } } });
  const full = buildRequest(BASE, op, {}, "{}");
  assert.deepEqual([full.method, full.body, full.headers], ["POST", "{}", { "content-type": "application/json" }]);
  const blank = buildRequest(BASE, op, {}, "  ");
  assert.deepEqual([blank.body, blank.headers], [null, {}]);
});

test("the curl command has a method only if it is not curl's default", () => {
  const url = "http://x/v1/a";
  assert.equal(curl({ method: "GET", url, headers: {}, body: null }), "curl http://x/v1/a");
  assert.equal(curl({ method: "POST", url, headers: {}, body: null }), "curl -X POST http://x/v1/a");
  assert.equal(curl({ method: "POST", url, headers: {}, body: "{}" }), "curl http://x/v1/a \\\n  -d '{}'");
  assert.equal(
    curl({ method: "PUT", url: `${url}?b=1&c=2`, headers: { "content-type": "application/json" }, body: "{}" }),
    "curl -X PUT 'http://x/v1/a?b=1&c=2' \\\n  -H 'content-type: application/json' \\\n  -d '{}'",
  );
});

test("any input reaches the shell command as one unchanged argument", () => {
  const quotes = ["it's", "'", "''", '"', "\\", "`id`", "$(id)"];
  const nasty = ["", "plain", "a b", "a\nb", "a;b|c&d>e<f", "*?[x]", "~", "#x", "!1", "é€😀", ...quotes];
  for (const text of nasty) {
    const seen = execFileSync("sh", ["-c", `printf %s ${quote(text)}`], { encoding: "utf8" });
    assert.equal(seen, text);
  }
});
