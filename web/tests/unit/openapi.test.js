// @ts-check

import assert from "node:assert/strict";
import { test } from "node:test";
import { groups, lookup, matches, operations, title } from "../../pages/openapi.js";
import { document } from "./fixture.js";

test("every method of every path is an operation", () => {
  const doc = document({
    paths: {
      "/a": { get: { operationId: "read_a", tags: ["one"] }, put: { operationId: "write_a", tags: ["one"] } },
      "/b/{id}": { post: { tags: ["two"] } },
    },
  });
  const found = operations(doc).map((op) => [op.id, op.method, op.path, op.tag]);
  assert.deepEqual(found, [
    ["read_a", "get", "/a", "one"],
    ["write_a", "put", "/a", "one"],
    ["post-b-id", "post", "/b/{id}", "two"],
  ]);
});

test("a JSON pointer is unescaped and resolves own properties only", () => {
  const doc = document({ paths: { "/a": { get: { operationId: "a" } } } });
  assert.deepEqual(lookup(doc, "#/paths/~1a/get"), { operationId: "a" });
  assert.equal(lookup(doc, "#/constructor"), undefined);
  assert.equal(lookup(doc, "other.json#/a"), undefined);
});

test("an operation inherits the parameters of its path, and its own take precedence", () => {
  const doc = document({
    paths: {
      "/a": {
        parameters: [{ $ref: "#/components/parameters/Limit" }],
        get: { parameters: [{ name: "limit", in: "query", description: "own" }, { $ref: "#/components/parameters/Lost" }] },
        put: {},
      },
    },
    components: { parameters: { Limit: { name: "limit", in: "query", description: "shared" } } },
  });
  const [get, put] = operations(doc);
  assert.deepEqual(get?.parameters, [{ name: "limit", in: "query", description: "own" }]);
  assert.deepEqual(put?.parameters, [{ name: "limit", in: "query", description: "shared" }]);
});

test("responses with cyclic references are omitted", () => {
  const doc = document({
    paths: { "/a": { get: { responses: { 200: { $ref: "#/components/responses/A" }, 404: { description: "gone" } } } } },
    components: {
      responses: { A: { $ref: "#/components/responses/B" }, B: { $ref: "#/components/responses/A" } },
    },
  });
  assert.deepEqual(operations(doc)[0]?.responses, [{ status: "404", response: { description: "gone" } }]);
});

test("without a summary, the first paragraph of the description is the title", () => {
  const doc = document({
    paths: {
      "/a": { get: { description: "List the\nchains.\n\nOrdered by id." } },
      "/b": { get: { summary: "One chain.", description: "By id." } },
      "/c": { get: { summary: "The same", description: "The same" } },
    },
  });
  assert.deepEqual(
    operations(doc).map((op) => [op.summary, op.description]),
    [
      ["List the chains", "Ordered by id."],
      ["One chain", "By id."],
      ["The same", ""],
    ],
  );
});

test("a security scheme is shown as a header parameter", () => {
  const doc = document({
    security: [{ key: [] }, { bearer: [] }],
    paths: { "/a": { get: {} }, "/open": { get: { security: [] } } },
    components: {
      securitySchemes: { key: { type: "apiKey", in: "header", name: "x-api-key" }, bearer: { type: "http", scheme: "bearer" } },
    },
  });
  const [closed, open] = operations(doc);
  assert.deepEqual(
    closed?.parameters.map((parameter) => [parameter.in, parameter.name]),
    [
      ["header", "x-api-key"],
      ["header", "Authorization"],
    ],
  );
  assert.deepEqual(open?.parameters, []);
});

test("groups are ordered by the document's tags, then by appearance, without empty ones", () => {
  const doc = document({
    tags: [{ name: "tokens", description: "All of them." }, { name: "unused" }, { name: "chains" }],
    paths: {
      "/c": { get: { tags: ["chains"] } },
      "/x": { get: {} },
      "/t": { get: { tags: ["tokens"] } },
    },
  });
  const found = groups(doc, operations(doc)).map((group) => [group.name, group.description, group.operations.length]);
  assert.deepEqual(found, [
    ["tokens", "All of them.", 1],
    ["chains", "", 1],
    ["other", "", 1],
  ]);
});

test("tags are formatted as headings, and short ones as abbreviations", () => {
  assert.deepEqual(["tokens", "qr", "QR codes"].map(title), ["Tokens", "QR", "QR codes"]);
});

test("the filter matches all words, in any position and case", () => {
  const doc = document({
    paths: { "/v1/tokens/search": { get: { summary: "Fuzzy search", parameters: [{ name: "chainIds", in: "query" }] } } },
  });
  const [op] = operations(doc);
  assert.ok(op);
  assert.ok(matches(op, ""));
  assert.ok(matches(op, "GET token"));
  assert.ok(matches(op, "chainids fuzzy"));
  assert.ok(!matches(op, "fuzzy order"));
});
