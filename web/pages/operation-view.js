// @ts-check

import { el } from "./dom.js";
import { mediaExamples } from "./example.js";
import { codeBlock } from "./json-view.js";
import { render, renderInline } from "./markdown.js";
import { typeLabel } from "./schema.js";
import { fieldTable, schemaView } from "./schema-view.js";
import { tryView } from "./try-view.js";

/** @typedef {import("../types/openapi.d.ts").OpenApi} OpenApi */
/** @typedef {import("../types/openapi.d.ts").Operation} Operation */
/** @typedef {import("../types/openapi.d.ts").Response} Response */

/**
 * One operation: its description on the left, its call on the right.
 *
 * @param {OpenApi} doc
 * @param {Operation} op
 * @param {string} base
 */
export function operationView(doc, op, base) {
  const title = `${op.id}-title`;
  const anchor = el("a", { class: "anchor", href: `#${op.id}`, "aria-label": `Link to ${op.summary || op.id}` }, "#");
  const heading = el("div", { class: "op-head" }, el("h3", { id: title }, op.summary || op.id), anchor);
  const line = el("p", { class: "op-line" }, badge(op.method), pathView(op.path));
  const prose = el("div", { class: "prose" }, heading, line);
  if (op.deprecated) prose.append(el("p", { class: "bad" }, "Deprecated: do not build on it."));
  prose.append(...render(op.description), ...parameters(doc, op), ...body(doc, op), ...responses(doc, op));
  const aside = el("div", { class: "calls" }, ...tryView(doc, op, base), ...examples(doc, op));
  return el(
    "article",
    { class: "op", id: op.id, "aria-labelledby": title, "data-operation": `${op.method} ${op.path}`, tabindex: -1 },
    prose,
    aside,
  );
}

/** @param {string} method */
export function badge(method) {
  return el("span", { class: `badge badge-${method}` }, method.toUpperCase());
}

/**
 * The path with a line break opportunity after each slash, so that a long one wraps on a phone.
 *
 * @param {string} path
 */
function pathView(path) {
  const code = el("code", { class: "path" });
  for (const part of path.split(/(\/)/)) {
    if (part === "/") code.append(part, el("wbr"));
    else code.append(part.startsWith("{") ? el("span", { class: "variable" }, part) : part);
  }
  return code;
}

/**
 * @param {OpenApi} doc
 * @param {Operation} op
 */
function parameters(doc, op) {
  if (op.parameters.length === 0) return [];
  const rows = op.parameters.map((parameter) => ({
    name: parameter.name,
    type: [parameterType(doc, parameter), parameter.in, parameter.required ? "required" : ""].filter(Boolean).join(" · "),
    schema: { example: [parameter.example].flat().join(",") || undefined, ...parameter.schema },
    description: parameter.description ?? "",
    deprecated: parameter.deprecated ?? false,
  }));
  return [el("h4", {}, "Parameters"), fieldTable(doc, rows, "Name")];
}

/**
 * Optional parameters are often typed `T | null`; null cannot be sent in a URL, so it is omitted.
 *
 * @param {OpenApi} doc
 * @param {import("../types/openapi.d.ts").Parameter} parameter
 */
function parameterType(doc, parameter) {
  return typeLabel(doc, parameter.schema ?? {}).replace(/ \| null$/, "");
}

/**
 * @param {OpenApi} doc
 * @param {Operation} op
 */
function body(doc, op) {
  if (!op.body) return [];
  const note = [op.body.type, op.body.required ? "required" : "optional"].join(" · ");
  const out = [el("h4", {}, "Body ", el("span", { class: "note" }, note)), ...render(op.body.description)];
  return op.body.media.schema ? [...out, ...schemaView(doc, op.body.media.schema)] : out;
}

/**
 * @param {OpenApi} doc
 * @param {Operation} op
 */
function responses(doc, op) {
  const blocks = op.responses.map(({ status, response }) => {
    const kind = /^[45]/.test(status) ? "bad" : "good";
    const summary = el("summary", {}, el("strong", { class: kind }, status), " ", ...renderInline(response.description ?? ""));
    const inside = responseBody(doc, response);
    if (inside.length === 0) return el("p", { class: "bare" }, ...summary.childNodes);
    return el("details", { class: "response", open: status.startsWith("2") }, summary, ...inside);
  });
  return blocks.length > 0 ? [el("h4", {}, "Responses"), ...blocks] : [];
}

/**
 * @param {OpenApi} doc
 * @param {Response} response
 * @returns {HTMLElement[]}
 */
function responseBody(doc, response) {
  const out = [];
  for (const [type, media] of Object.entries(response.content ?? {})) {
    out.push(el("p", { class: "note" }, type));
    if (media.schema) out.push(...schemaView(doc, media.schema));
  }
  const headers = Object.entries(response.headers ?? {});
  if (headers.length > 0) {
    const rows = headers.map(([name, header]) => ({
      name,
      type: typeLabel(doc, header.schema ?? {}),
      schema: header.schema ?? {},
      description: header.description ?? "",
      deprecated: false,
    }));
    out.push(fieldTable(doc, rows, "Header"));
  }
  return out;
}

/**
 * The request body and the responses. For errors only written examples are shown: a generated one would have the
 * wrong name for the status.
 *
 * @param {OpenApi} doc
 * @param {Operation} op
 */
function examples(doc, op) {
  const out = [];
  for (const { status, response } of op.responses) {
    const isError = /^[45]/.test(status);
    for (const [type, media] of Object.entries(response.content ?? {})) {
      if (!type.includes("json")) continue;
      if (isError && media.example === undefined && media.examples === undefined) continue;
      for (const { name, value } of mediaExamples(doc, media)) {
        const label = name && name !== status ? `${status} · ${name}` : status;
        const text = type.includes("ndjson") ? JSON.stringify(value) : JSON.stringify(value, null, 2);
        const { block } = codeBlock(`Example ${label}`, text, { json: true, what: `example answer ${label}` });
        out.push(isError ? el("details", { class: "example" }, el("summary", {}, `Example ${label}`), block) : block);
      }
    }
  }
  return out;
}
