// @ts-check

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { test } from "node:test";
import { promisify } from "node:util";
import { LANGUAGES, sample } from "../../pages/samples.js";

/** @typedef {import("../../pages/request.js").Request} Request */

const BODY = { text: `it's "quoted" \\ and\nbroken`, yes: true, no: false, none: null, list: [1, { deep: [] }], empty: {} };
const about = (/** @type {string} */ base) => ({ id: "made_up", base, json: true });

/**
 * Runs a program against a server, and gives what that was asked for.
 *
 * @param {(request: Request, base: string) => Promise<unknown>} run
 */
async function received(run) {
  /** @type {{ method: string | undefined, url: string | undefined, header: unknown, body: string }[]} */
  const seen = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    seen.push({ method: request.method, url: request.url, header: request.headers["idempotency-key"], body });
    response.setHeader("content-type", "application/json").end('{"ok":true}');
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  const base = `http://127.0.0.1:${address && typeof address === "object" ? address.port : 0}`;
  const headers = { "content-type": "application/json", "idempotency-key": "one" };
  await run({ method: "PUT", url: `${base}/v1/things/a%2Fb?q=x%20y`, headers, body: JSON.stringify(BODY) }, base).finally(() => server.close());
  return seen;
}

/** @param {{ method: string | undefined, url: string | undefined, header: unknown, body: string }[]} seen */
function assertSame(seen) {
  assert.equal(seen.length, 1);
  const [{ body, ...rest } = { body: "" }] = seen;
  assert.deepEqual(rest, { method: "PUT", url: "/v1/things/a%2Fb?q=x%20y", header: "one" });
  assert.deepEqual(JSON.parse(body), BODY);
}

test("the example in Python sends the request that it shows", async () => {
  assertSame(await received((request, base) => promisify(execFile)("python3", ["-c", sample("Python", request, about(base))])));
});

test("the example in TypeScript sends the request that it shows", async () => {
  assertSame(await received((request, base) => promisify(execFile)(process.execPath, ["--input-type=module", "-e", sample("TypeScript", request, about(base))])));
});

test("the example in curl sends the request that it shows", async () => {
  assertSame(await received((request, base) => promisify(execFile)("sh", ["-c", sample("curl", request, about(base))])));
});

test("the example in Rust names method, path, query, header and body", () => {
  const request = { method: "PUT", url: "http://127.0.0.1:1/v1/things/a%2Fb?q=x%20y", headers: { "idempotency-key": "one" }, body: '{"n":1}' };
  const text = sample("Rust", request, about("http://127.0.0.1:1"));
  for (const part of ['.call(Method::PUT, &["v1", "things", "a/b"], &[("q", "x y".to_owned())], Some(&body))', '.header("idempotency-key", "one")', "serde_json::json!"]) {
    assert.ok(text.includes(part), `${part} in ${text}`);
  }
});

test("a known operation is shown with the SDK, and an answer that is no JSON as text", () => {
  const request = { method: "POST", url: "http://127.0.0.1:1/v1/quotes", headers: { "content-type": "application/json" }, body: '{"amount":"1"}' };
  assert.match(sample("TypeScript", request, { id: "post_quote", base: "http://127.0.0.1:1", json: true }), /await getQuote\(client, \{\n  "amount": "1"\n\}\)/);
  const icon = { method: "GET", url: "http://127.0.0.1:1/v1/chain/1/icon", headers: {}, body: null };
  for (const language of LANGUAGES) {
    const text = sample(language, icon, { id: "get_icon", base: "http://127.0.0.1:1", json: false });
    assert.ok(text.includes("/v1/chain/1/icon") && !text.includes("json"), text);
  }
});
