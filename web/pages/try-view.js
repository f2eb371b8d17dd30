// @ts-check

import { el } from "./dom.js";
import { example, mediaExamples, parameterExample } from "./example.js";
import { buildRequest, key } from "./request.js";
import { sampleView } from "./sample-view.js";
import { inner, resolve, types } from "./schema.js";
import { send } from "./send.js";

/** @typedef {import("../types/openapi.d.ts").OpenApi} OpenApi */
/** @typedef {import("../types/openapi.d.ts").Operation} Operation */
/** @typedef {import("../types/openapi.d.ts").Parameter} Parameter */

/**
 * An operation as the walk through several uses it.
 *
 * @typedef {object} Trial
 * @property {HTMLElement} sample the request in the language that the reader chose
 * @property {HTMLDetailsElement} panel
 * @property {(values: Record<string, string>, body?: unknown) => void} fill sets values by `path.name` or `query.name`, and the body
 */

/**
 * The request of an operation in four languages, and the panel that sends it; input updates both.
 *
 * @param {OpenApi} doc
 * @param {Operation} op
 * @param {string} base
 * @param {{ prefix?: string, onAnswer?: (answer: unknown) => void }} [use] `onAnswer` gets every answer that is no error
 * @returns {Trial}
 */
export function trial(doc, op, base, { prefix = "try", onAnswer } = {}) {
  const inputs = new Map(op.parameters.map((parameter) => [key(parameter), input(doc, op, parameter, prefix)]));
  const text = op.body ? bodyField(doc, op, prefix) : null;
  const request = () => {
    const values = Object.fromEntries([...inputs].map(([name, field]) => [name, field.control.value.trim()]));
    return buildRequest(base, op, values, text?.control.value ?? null);
  };
  const what = op.summary || op.id;
  const { block, redraw } = sampleView(request, { id: op.id, base, json: answersJson(op) }, what);

  const answer = el("div", { class: "answer", "aria-live": "polite" });
  const button = el("button", { type: "submit", class: "primary" }, "Send");
  const controls = [...inputs.values()].map((field) => field.row);
  const form = el("form", { autocomplete: "off" }, ...controls, text?.row, el("div", { class: "actions" }, button));
  let pending = new AbortController();
  form.addEventListener("input", redraw);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    pending.abort();
    pending = new AbortController();
    const value = await send(request(), answer, pending.signal);
    if (value !== undefined) onAnswer?.(value);
  });
  const summary = el("summary", {}, "Try it", el("span", { class: "visually-hidden" }, `: ${what}`));
  const panel = el("details", { class: "try" }, summary, form, answer);
  const fill = (/** @type {Record<string, string>} */ values, /** @type {unknown} */ body) => {
    for (const [name, value] of Object.entries(values)) {
      const field = inputs.get(name);
      if (field) field.control.value = value;
    }
    if (text && body !== undefined) text.control.value = JSON.stringify(body, null, 2);
    redraw();
  };
  return { sample: block, panel, fill };
}

/**
 * @param {OpenApi} doc
 * @param {Operation} op
 * @param {string} base
 * @returns {HTMLElement[]}
 */
export function tryView(doc, op, base) {
  const { sample, panel } = trial(doc, op, base);
  return [sample, panel];
}

/** @param {Operation} op */
function answersJson(op) {
  const good = op.responses.find(({ status }) => status.startsWith("2"));
  return Object.keys(good?.response.content ?? {}).some((type) => type.endsWith("json") && !type.includes("ndjson"));
}

/**
 * @param {OpenApi} doc
 * @param {Operation} op
 * @param {Parameter} parameter
 * @param {string} prefix
 */
function input(doc, op, parameter, prefix) {
  const id = `${prefix}-${op.id}-${parameter.in}-${parameter.name}`;
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
 * @param {string} prefix
 */
function bodyField(doc, op, prefix) {
  const id = `${prefix}-${op.id}-body`;
  const value = op.body ? mediaExamples(doc, op.body.media)[0]?.value : undefined;
  const text = value === undefined ? "" : JSON.stringify(value, null, 2);
  const rows = Math.min(Math.max(text.split("\n").length, 4), 16);
  const control = el("textarea", { id, rows, wrap: "off", spellcheck: "false", required: op.body?.required ?? false }, text);
  const label = el("label", { for: id }, "Body ", el("span", { class: "note" }, op.body?.type ?? ""));
  return { control, row: el("div", { class: "row" }, label, control) };
}
