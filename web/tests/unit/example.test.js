// @ts-check

import assert from "node:assert/strict";
import { test } from "node:test";
import { example, mediaExamples, parameterExample } from "../../pages/example.js";
import { document, ref } from "./fixture.js";

test("an example is built from the examples of the fields", () => {
  const doc = document({
    schemas: {
      Chain: {
        type: "object",
        required: ["id", "name"],
        properties: {
          id: { type: "integer", example: 8453 },
          name: { type: "string", examples: ["Base"] },
          coin: ref("Coin"),
          methods: { type: "array", items: { type: "string", enum: ["TRANSFER", "PERMIT2"] } },
          enabled: { type: "boolean" },
        },
      },
      Coin: {
        type: "object",
        properties: { decimals: { type: "integer", minimum: 1 }, since: { type: "string", format: "date-time" } },
      },
    },
  });
  assert.deepEqual(example(doc, ref("Chain")), {
    id: 8453,
    name: "Base",
    coin: { decimals: 1, since: "2026-01-31T12:00:00Z" },
    methods: ["TRANSFER"],
    enabled: true,
  });
});

test("an example of the object takes precedence over those of its fields", () => {
  const doc = document({
    schemas: { Price: { type: "object", example: { usd: "1" }, properties: { usd: { type: "string" } } } },
  });
  assert.deepEqual(example(doc, { type: "array", items: ref("Price") }), [{ usd: "1" }]);
});

test("cyclic references terminate: optional fields are omitted, nullable ones are null, arrays are empty", () => {
  const doc = document({
    schemas: {
      Node: {
        type: "object",
        required: ["name", "parent"],
        properties: {
          name: { type: "string" },
          parent: { oneOf: [{ type: "null" }, ref("Node")] },
          twin: ref("Node"),
          children: { type: "array", items: ref("Node") },
        },
      },
    },
  });
  assert.deepEqual(example(doc, ref("Node")), { name: "string", parent: null, children: [] });
});

test("types that reference each other terminate", () => {
  const doc = document({
    schemas: {
      Order: { type: "object", properties: { intent: ref("Intent") } },
      Intent: { type: "object", properties: { order: ref("Order"), id: { type: "string" } } },
    },
  });
  assert.deepEqual(example(doc, ref("Order")), { intent: { id: "string" } });
});

test("a reference to itself has no example", () => {
  assert.equal(example(document({ schemas: { A: ref("A") } }), ref("A")), undefined);
});

test("the first alternative that is not null is used, with the common fields", () => {
  const doc = document({
    schemas: {
      Deposit: {
        properties: { orderId: { type: "string", example: "o1" } },
        oneOf: [{ type: "object", properties: { kind: { type: "string", const: "TRANSFER" } } }, { type: "object" }],
      },
    },
  });
  assert.deepEqual(example(doc, ref("Deposit")), { orderId: "o1", kind: "TRANSFER" });
  assert.equal(example(doc, { oneOf: [{ type: "null" }, { type: "integer" }] }), 0);
});

test("the parts of an allOf are merged", () => {
  const doc = document();
  const number = { properties: { a: { type: "integer" } } };
  const text = { properties: { b: { type: ["string", "null"] } } };
  assert.deepEqual(example(doc, { allOf: [number, text] }), { a: 0, b: "string" });
});

test("a written example takes precedence over a generated one, and all named ones are listed", () => {
  const doc = document();
  const schema = { type: "string" };
  assert.deepEqual(mediaExamples(doc, { schema, example: "x" }), [{ name: "", value: "x" }]);
  assert.deepEqual(mediaExamples(doc, { schema, examples: { a: { value: 1 }, b: { summary: "Second", value: 2 } } }), [
    { name: "a", value: 1 },
    { name: "Second", value: 2 },
  ]);
  assert.deepEqual(mediaExamples(doc, { schema }), [{ name: "", value: "string" }]);
  assert.deepEqual(mediaExamples(doc, {}), []);
});

test("the example of a parameter is its text value", () => {
  const doc = document({ schemas: { Mode: { type: "string", enum: ["stream"] } } });
  const at = /** @type {const} */ ({ name: "p", in: "query" });
  assert.equal(parameterExample(doc, { ...at, example: [1, 8453] }), "1,8453");
  assert.equal(parameterExample(doc, { ...at, example: 0 }), "0");
  assert.equal(parameterExample(doc, { ...at, schema: ref("Mode") }), "stream");
  assert.equal(parameterExample(doc, { ...at, schema: { type: "integer", default: 20 } }), "20");
  assert.equal(parameterExample(doc, at), "");
});
