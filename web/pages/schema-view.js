// @ts-check

import { el } from "./dom.js";
import { renderInline } from "./markdown.js";
import { constraints, fields, inner, readable, resolve, typeLabel, types, variants } from "./schema.js";

/** @typedef {import("../types/openapi.d.ts").OpenApi} OpenApi */
/** @typedef {import("../types/openapi.d.ts").Schema} Schema */

/**
 * One row of a table of fields or parameters.
 *
 * @typedef {object} Row
 * @property {string} name
 * @property {string} type the line below the name: "string · required"
 * @property {Schema} schema
 * @property {string} description
 * @property {boolean} deprecated
 */

/**
 * The schema of a body: its type, then its fields or alternatives.
 *
 * @param {OpenApi} doc
 * @param {Schema} schema
 * @returns {HTMLElement[]}
 */
export function schemaView(doc, schema) {
  const { schema: target } = resolve(doc, schema);
  const shape = el("p", { class: "shape" }, el("code", {}, typeLabel(doc, schema)));
  const about = target.description ?? inner(doc, schema).schema.description;
  if (about) shape.append(" ", ...renderInline(about));
  return [shape, ...contents(doc, schema, new Set())];
}

/**
 * @param {OpenApi} doc
 * @param {Schema} schema
 * @param {Set<string>} open the names of the enclosing types
 * @returns {HTMLElement[]}
 */
function contents(doc, schema, open) {
  const { schema: target, name } = inner(doc, schema);
  const below = name ? new Set(open).add(name) : open;
  const rows = fields(doc, target).map((field) => row(doc, field.name, field.required, field.schema));
  /** @type {HTMLElement[]} */
  const out = rows.length > 0 ? [fieldTable(doc, rows, "Field", below)] : [];
  const choices = variants(target).filter((choice) => hasContents(doc, choice, below));
  for (const [index, choice] of choices.entries()) {
    const found = inner(doc, choice);
    const title = found.schema.title ?? (readable(found.name) || `Alternative ${index + 1}`);
    out.push(disclosure(title, () => contents(doc, choice, below)));
  }
  return out;
}

/**
 * @param {OpenApi} doc
 * @param {string} name
 * @param {boolean} required
 * @param {Schema} schema
 * @returns {Row}
 */
function row(doc, name, required, schema) {
  const { schema: target } = resolve(doc, schema);
  return {
    name,
    type: typeLabel(doc, schema) + (required ? " · required" : ""),
    schema,
    description: target.description ?? "",
    deprecated: target.deprecated ?? false,
  };
}

/**
 * @param {OpenApi} doc
 * @param {Schema} schema
 * @param {Set<string>} open
 */
function hasContents(doc, schema, open) {
  const { schema: target, name } = inner(doc, schema);
  if (name && open.has(name)) return false;
  return fields(doc, target).length > 0 || variants(target).some((choice) => fields(doc, inner(doc, choice).schema).length > 0);
}

/**
 * A table with the name and type on the left and the meaning on the right; two columns fit a phone.
 *
 * @param {OpenApi} doc
 * @param {Row[]} rows
 * @param {string} heading
 * @param {Set<string>} [open]
 */
export function fieldTable(doc, rows, heading, open = new Set()) {
  const body = el("tbody");
  for (const entry of rows) {
    const name = el("code", { class: entry.deprecated ? "name struck" : "name" }, entry.name);
    body.append(
      el(
        "tr",
        {},
        el("th", { scope: "row" }, name, el("span", { class: "type" }, entry.type)),
        el("td", {}, ...meaning(doc, entry)),
      ),
    );
    if (!hasContents(doc, entry.schema, open)) continue;
    const label = readable(inner(doc, entry.schema).name) || entry.name;
    const nested = disclosure(`Fields of ${label}`, () => contents(doc, entry.schema, open));
    body.append(el("tr", { class: "nested" }, el("td", { colspan: 2 }, nested)));
  }
  const head = el(
    "thead",
    {},
    el("tr", {}, el("th", { scope: "col" }, heading), el("th", { scope: "col" }, "Meaning")),
  );
  return el("table", { class: "fields" }, head, body);
}

/**
 * @param {OpenApi} doc
 * @param {Row} entry
 * @returns {(Node | string)[]}
 */
function meaning(doc, entry) {
  const { schema: target } = resolve(doc, entry.schema);
  const choices = inner(doc, entry.schema).schema;
  const out = [];
  if (entry.description) out.push(el("span", {}, ...renderInline(entry.description)));
  const values = choices.enum ?? variants(choices).flatMap((choice) => (choice.const === undefined ? [] : [choice.const]));
  if (values.length > 0) {
    const list = values.flatMap((value, index) => [index > 0 ? " " : "", el("code", {}, String(value))]);
    out.push(el("span", { class: "limits" }, values.length > 1 ? "One of " : "Only ", ...list));
  }
  const limits = constraints(target);
  if (limits.length > 0) out.push(el("span", { class: "limits" }, limits.join(" · ")));
  const shown = target.example ?? target.examples?.[0];
  if (shown !== undefined && types(target)[0] !== "object") {
    const text = typeof shown === "string" ? shown : JSON.stringify(shown);
    out.push(el("span", { class: "limits" }, "e.g. ", el("code", {}, text)));
  }
  return out;
}

/**
 * A closed block that is filled when it is first opened, so that a type inside itself costs nothing.
 *
 * @param {string} title
 * @param {() => HTMLElement[]} fill
 */
function disclosure(title, fill) {
  const block = el("details", { class: "inner" }, el("summary", {}, title));
  block.addEventListener("toggle", () => block.open && block.childElementCount === 1 && block.append(...fill()));
  return block;
}
