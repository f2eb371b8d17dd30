// @ts-check

import { copyButton, el } from "./dom.js";

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/g;

/** Longer bodies are shown without highlighting, which would be slow. */
const COLOURED = 60_000;

/**
 * Formats JSON; null if the text is not JSON.
 *
 * @param {string} text
 */
export function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return null;
  }
}

/**
 * Splits formatted JSON into tokens for highlighting; plain tokens have no kind.
 *
 * @param {string} text
 * @returns {{ text: string, kind: "" | "key" | "string" | "literal" }[]}
 */
export function tokens(text) {
  const out = [];
  let from = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, string, colon, literal] = match;
    if (match.index > from) out.push({ text: text.slice(from, match.index), kind: /** @type {const} */ ("") });
    if (literal !== undefined) out.push({ text: literal, kind: /** @type {const} */ ("literal") });
    else if (colon === undefined) out.push({ text: string ?? "", kind: /** @type {const} */ ("string") });
    else {
      out.push({ text: string ?? "", kind: /** @type {const} */ ("key") });
      out.push({ text: colon, kind: /** @type {const} */ ("") });
    }
    from = match.index + whole.length;
  }
  if (from < text.length) out.push({ text: text.slice(from), kind: /** @type {const} */ ("") });
  return out;
}

/**
 * The text as nodes, highlighted if it is JSON below the size limit.
 *
 * @param {string} text
 * @returns {(Node | string)[]}
 */
export function coloured(text) {
  if (text.length > COLOURED) return [text];
  return tokens(text).map((part) => (part.kind ? el("span", { class: `json-${part.kind}` }, part.text) : part.text));
}

/**
 * A code block with a title and a copy button.
 *
 * @param {string} title
 * @param {string} text
 * @param {{ json?: boolean, shell?: boolean, what?: string }} [options]
 */
export function codeBlock(title, text, options = {}) {
  const code = el("code", { class: options.shell ? "shell" : null }, ...(options.json ? coloured(text) : [text]));
  const what = options.what ?? title;
  const block = el(
    "div",
    { class: "code" },
    el("div", { class: "code-head" }, el("span", {}, title), copyButton(() => code.textContent ?? "", what)),
    el("pre", { tabindex: 0, role: "group", "aria-label": what }, code),
  );
  return { block, code };
}
