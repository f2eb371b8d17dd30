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

test("the error table of the document is used if there is one", () => {
  const doc = document({ "x-errors": [{ name: "NotFoundException", status: 404, when: "no such path" }] });
  assert.deepEqual(errorRows(doc, []), [{ name: "NotFoundException", status: "404", when: "no such path" }]);
});

test("without a table, the examples of error responses are listed once each, by status", () => {
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

test("a description that starts with an error name is listed too, with the first reason", () => {
  const doc = document({
    paths: {
      "/a": { get: { responses: { 404: { description: "NotFoundException" } } } },
      "/b": { get: { responses: { 404: { description: "NotFoundException: no such chain" } } } },
      "/c": { get: { responses: { 404: { description: "NotFoundException: no such token" } } } },
    },
  });
  assert.deepEqual(errorRows(doc, operations(doc)), [{ name: "NotFoundException", status: "404", when: "no such chain" }]);
});
