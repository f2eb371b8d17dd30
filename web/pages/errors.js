// @ts-check

import { mediaExamples } from "./example.js";

/** @typedef {import("../types/openapi.d.ts").OpenApi} OpenApi */
/** @typedef {import("../types/openapi.d.ts").Operation} Operation */
/** @typedef {{ name: string, status: string, when: string }} ErrorRow */

/**
 * Every error name with its status: from the document's error table if it has one, otherwise from the responses.
 *
 * @param {OpenApi} doc
 * @param {Operation[]} list
 * @returns {ErrorRow[]}
 */
export function errorRows(doc, list) {
  const table = doc["x-errors"];
  if (table) return table.map((row) => ({ ...row, status: String(row.status) }));
  /** @type {Map<string, ErrorRow>} */
  const rows = new Map();
  for (const { status, response } of list.flatMap((op) => op.responses)) {
    if (!/^[45]/.test(status)) continue;
    // A description may start with the name: "NotFoundException: no such chain".
    const when = (response.description ?? "").replace(/^\w+Exception(: *|$)/, "");
    for (const name of names(doc, response)) {
      const row = rows.get(`${status} ${name}`);
      if (!row?.when) rows.set(`${status} ${name}`, { name, status, when });
    }
  }
  return [...rows.values()].sort((a, b) => a.status.localeCompare(b.status) || a.name.localeCompare(b.name));
}

/**
 * The error names in the examples and the description of a response.
 *
 * @param {OpenApi} doc
 * @param {import("../types/openapi.d.ts").Response} response
 * @returns {Set<string>}
 */
function names(doc, response) {
  const found = new Set((response.description ?? "").match(/\b\w+Exception\b/g));
  for (const media of Object.values(response.content ?? {})) {
    // Only written examples have the right name; a generated one would have the first value of the enum.
    if (media.example === undefined && media.examples === undefined) continue;
    for (const { value } of mediaExamples(doc, media)) {
      if (typeof value === "object" && value !== null && "name" in value) found.add(String(value.name));
    }
  }
  return found;
}
