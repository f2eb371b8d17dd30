// @ts-check

import assert from "node:assert/strict";
import { test } from "node:test";
import { constraints, fields, inner, readable, resolve, typeLabel } from "../../pages/schema.js";
import { document, ref } from "./fixture.js";

test("a reference resolves to its schema and keeps its first name", () => {
  const doc = document({ schemas: { Alias: ref("Token"), Token: { type: "object" } } });
  assert.deepEqual(resolve(doc, ref("Alias")), { schema: { type: "object" }, name: "Alias" });
});

test("fields next to a reference take precedence over the target's", () => {
  const doc = document({ schemas: { Token: { type: "object", description: "Any token." } } });
  const { schema } = resolve(doc, { ...ref("Token"), description: "The token to sell." });
  assert.deepEqual(schema, { type: "object", description: "The token to sell." });
});

test("an unknown or cyclic reference is an empty schema", () => {
  const doc = document({ schemas: { A: ref("B"), B: ref("A") } });
  assert.deepEqual(resolve(doc, ref("Missing")), { schema: {}, name: "Missing" });
  assert.deepEqual(resolve(doc, ref("A")), { schema: {}, name: "A" });
});

test("type labels use TypeScript notation", () => {
  const doc = document({
    schemas: {
      Token: { type: "object", properties: {} },
      Page_Token: { type: "object" },
      Status: { type: "string", enum: ["a", "b"] },
      Either: { oneOf: [{ type: "object" }, ref("Token")] },
    },
  });
  /** @type {[import("../../types/openapi.d.ts").Schema, string][]} */
  const table = [
    [{ type: "string" }, "string"],
    [{ type: ["string", "null"] }, "string | null"],
    [{ type: "array", items: ref("Token") }, "Token[]"],
    [{ type: ["array", "null"], items: { type: ["integer", "null"] } }, "(integer | null)[] | null"],
    [{ oneOf: [{ type: "null" }, ref("Token")] }, "Token | null"],
    [{ oneOf: [{ type: "string" }, { type: "integer" }] }, "string | integer"],
    [ref("Either"), "Either"],
    [ref("Status"), "string"],
    [ref("Page_Token"), "Page<Token>"],
    [{ properties: {} }, "object"],
    [{}, "any"],
  ];
  for (const [schema, label] of table) assert.equal(typeLabel(doc, schema), label);
});

test("a type that is an array of itself still has a label", () => {
  const doc = document({ schemas: { Loop: { type: "array", items: ref("Loop") } } });
  assert.equal(typeLabel(doc, ref("Loop")), "…[][][][][]");
});

test("only the first underscore denotes a generic type", () => {
  assert.equal(readable("Page_Token"), "Page<Token>");
  assert.equal(readable("Token"), "Token");
});

test("limits are formatted as text, and a minimum of zero is omitted", () => {
  assert.deepEqual(constraints({ minimum: 0 }), []);
  assert.deepEqual(constraints({ minimum: 0, maximum: 36 }), ["0 to 36"]);
  assert.deepEqual(constraints({ minimum: 1, default: 20 }), ["at least 1", "default 20"]);
  assert.deepEqual(constraints({ maxLength: 2048, pattern: "^a$" }), ["at most 2048 characters", "matches ^a$"]);
  assert.deepEqual(constraints({ minItems: 2, maxItems: 2 }), ["exactly 2 items"]);
  assert.deepEqual(constraints({ const: "TRANSFER" }), ["always TRANSFER"]);
});

test("the fields of all parts of an allOf are listed, and later ones take precedence", () => {
  const doc = document({
    schemas: {
      Base: { type: "object", required: ["id"], properties: { id: { type: "string" }, note: { type: "string" } } },
      Whole: { allOf: [ref("Base"), { type: "object", properties: { note: { type: "integer" } } }] },
    },
  });
  assert.deepEqual(fields(doc, ref("Whole")), [
    { name: "id", required: true, schema: { type: "string" } },
    { name: "note", required: false, schema: { type: "integer" } },
  ]);
});

test("a cyclic allOf terminates", () => {
  const doc = document({
    schemas: { Loop: { allOf: [ref("Loop"), { type: "object", properties: { id: { type: "string" } } }] } },
  });
  assert.deepEqual(
    fields(doc, ref("Loop")).map((field) => field.name),
    ["id"],
  );
});

test("a map shows its values under [key]", () => {
  const doc = document();
  assert.deepEqual(fields(doc, { type: "object", additionalProperties: { type: "integer" } }), [
    { name: "[key]", required: false, schema: { type: "integer" } },
  ]);
});

test("nested fields are found in arrays and nullable types", () => {
  const doc = document({ schemas: { Token: { type: "object", properties: { symbol: { type: "string" } } } } });
  const wrapped = { oneOf: [{ type: "null" }, { type: "array", items: ref("Token") }] };
  assert.equal(inner(doc, wrapped).name, "Token");
});
