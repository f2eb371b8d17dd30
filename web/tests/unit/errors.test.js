// @ts-check

import assert from "node:assert/strict";
import { test } from "node:test";
import { errorRows } from "../../pages/errors.js";
import { operations } from "../../pages/openapi.js";
import { document } from "./fixture.js";

/** @param {string} name */
const answer = (name) => ({
  description: `when ${name}`,
  content: { "application/json": { example: { name, message: "…" } } },
});

test("the document's own table is taken as it stands", () => {
  const doc = document({ "x-errors": [{ name: "NotFoundException", status: 404, when: "no such path" }] });
  assert.deepEqual(errorRows(doc, []), [{ name: "NotFoundException", status: "404", when: "no such path" }]);
});

test("without one, the written examples of error answers make it, each once and by status", () => {
  const doc = document({
    paths: {
      "/a": { get: { responses: { 200: answer("Fine"), 404: answer("B"), 400: answer("A") } } },
      "/b": { get: { responses: { 404: answer("B"), 500: { description: "ours", content: { "application/json": {} } } } } },
    },
  });
  assert.deepEqual(
    errorRows(doc, operations(doc)).map((row) => `${row.status} ${row.name}`),
    ["400 A", "404 B"],
  );
});

test("a description that opens with the name tells it too, and the first reason given is kept", () => {
  const doc = document({
    paths: {
      "/a": { get: { responses: { 404: { description: "NotFoundException" } } } },
      "/b": { get: { responses: { 404: { description: "NotFoundException: no such chain" } } } },
      "/c": { get: { responses: { 404: { description: "NotFoundException: no such token" } } } },
    },
  });
  assert.deepEqual(errorRows(doc, operations(doc)), [{ name: "NotFoundException", status: "404", when: "no such chain" }]);
});
