// @ts-check

import { el } from "./dom.js";
import { example, mediaExamples, parameterExample } from "./example.js";
import { codeBlock } from "./json-view.js";
import { buildRequest, curl, key } from "./request.js";
import { inner, resolve, types } from "./schema.js";
import { send } from "./send.js";

/** @typedef {import("../types/openapi.d.ts").OpenApi} OpenApi */
/** @typedef {import("../types/openapi.d.ts").Operation} Operation */
/** @typedef {import("../types/openapi.d.ts").Parameter} Parameter */

/**
 * The curl command of an operation and the panel that sends the same request; input updates both.
 *
 * @param {OpenApi} doc
 * @param {Operation} op
 * @param {string} base
 * @returns {HTMLElement[]}
 */
export function tryView(doc, op, base) {
  const inputs = new Map(op.parameters.map((parameter) => [key(parameter), input(doc, op, parameter)]));
  const text = op.body ? bodyField(doc, op) : null;
  const request = () => {
    const values = Object.fromEntries([...inputs].map(([name, field]) => [name, field.control.value.trim()]));
    return buildRequest(base, op, values, text?.control.value ?? null);
  };
  const { block, code } = codeBlock("curl", curl(request()), { shell: true, what: `curl line for ${op.summary || op.id}` });
  const refresh = () => code.replaceChildren(curl(request()));

  const answer = el("div", { class: "answer", "aria-live": "polite" });
  const button = el("button", { type: "submit", class: "primary" }, "Send");
  const controls = [...inputs.values()].map((field) => field.row);
  const form = el("form", { autocomplete: "off" }, ...controls, text?.row, el("div", { class: "actions" }, button));
  let pending = new AbortController();
  form.addEventListener("input", refresh);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    pending.abort();
    pending = new AbortController();
    void send(request(), answer, pending.signal);
  });
  const summary = el("summary", {}, "Try it", el("span", { class: "visually-hidden" }, `: ${op.summary || op.id}`));
  return [block, el("details", { class: "try" }, summary, form, answer)];
}

/**
 * @param {OpenApi} doc
 * @param {Operation} op
 * @param {Parameter} parameter
 */
function input(doc, op, parameter) {
  const id = `try-${op.id}-${parameter.in}-${parameter.name}`;
  const stated = parameterExample(doc, parameter);
  const required = parameter.required ?? false;
  const schema = parameter.schema ? inner(doc, parameter.schema).schema : {};
  const choices = types(schema)[0] === "boolean" ? ["true", "false"] : (schema.enum ?? []).map(String);
  const many = types(parameter.schema ? resolve(doc, parameter.schema).schema : {}).includes("array");
  const control =
    choices.length > 0 && !many
      ? select(id, choices, required)
      : el("input", { id, type: "text", required, spellcheck: "false", placeholder: required ? null : stated || null });
  if (required) control.value = stated || String((parameter.schema && example(doc, parameter.schema)) ?? "");
  const hint = many ? "comma-separated" : required ? "required" : "";
  const label = el("label", { for: id }, `${parameter.name} `, el("span", { class: "note" }, hint));
  return { control, row: el("div", { class: "row" }, label, control) };
}

/**
 * @param {string} id
 * @param {string[]} choices
 * @param {boolean} required
 */
function select(id, choices, required) {
  const options = choices.map((choice) => el("option", { value: choice }, choice));
  return el("select", { id }, ...(required ? [] : [el("option", { value: "" }, "—")]), ...options);
}

/**
 * @param {OpenApi} doc
 * @param {Operation} op
 */
function bodyField(doc, op) {
  const id = `try-${op.id}-body`;
  const value = op.body ? mediaExamples(doc, op.body.media)[0]?.value : undefined;
  const text = value === undefined ? "" : JSON.stringify(value, null, 2);
  const rows = Math.min(Math.max(text.split("\n").length, 4), 16);
  const control = el("textarea", { id, rows, wrap: "off", spellcheck: "false", required: op.body?.required ?? false }, text);
  const label = el("label", { for: id }, "Body ", el("span", { class: "note" }, op.body?.type ?? ""));
  return { control, row: el("div", { class: "row" }, label, control) };
}
