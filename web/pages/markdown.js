// @ts-check

import { el } from "./dom.js";

/**
 * @typedef {{ kind: "text" | "code" | "strong", text: string } | { kind: "link", text: string, href: string }} Inline
 * @typedef {{ kind: "paragraph", content: Inline[] }
 *   | { kind: "heading", content: Inline[] }
 *   | { kind: "list", items: Inline[][] }
 *   | { kind: "code", text: string }} Block
 */

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)/g;

/**
 * Parses the Markdown of doc comments: paragraphs, headings, lists, fenced code, code, bold and links.
 *
 * @param {string} source
 * @returns {Block[]}
 */
export function parse(source) {
  /** @type {Block[]} */
  const blocks = [];
  const lines = source.replaceAll("\r\n", "\n").split("\n");
  /** @type {string[]} */
  let paragraph = [];
  const flush = () => {
    if (paragraph.length > 0) blocks.push({ kind: "paragraph", content: inline(paragraph.join(" ")) });
    paragraph = [];
  };
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const item = /^\s*[-*] +(.*)$/.exec(line);
    const heading = /^#{1,6} +(.*)$/.exec(line);
    if (line.startsWith("```")) {
      flush();
      const end = lines.findIndex((other, index) => index > at && other.startsWith("```"));
      const last = end === -1 ? lines.length : end;
      blocks.push({ kind: "code", text: lines.slice(at + 1, last).join("\n") });
      at = last;
    } else if (heading) {
      flush();
      blocks.push({ kind: "heading", content: inline(heading[1] ?? "") });
    } else if (item) {
      flush();
      const content = inline(item[1] ?? "");
      const previous = blocks.at(-1);
      if (previous?.kind === "list" && lines[at - 1]?.trim()) previous.items.push(content);
      else blocks.push({ kind: "list", items: [content] });
    } else if (line.trim() === "") {
      flush();
    } else if (/^\s/.test(line) && paragraph.length === 0 && lines[at - 1]?.trim() && continues(blocks, line.trim())) {
      continue;
    } else {
      paragraph.push(line.trim());
    }
  }
  flush();
  return blocks;
}

/**
 * Adds an indented line to the list item above it, if there is one.
 *
 * @param {Block[]} blocks
 * @param {string} text
 */
function continues(blocks, text) {
  const previous = blocks.at(-1);
  const item = previous?.kind === "list" ? previous.items.at(-1) : undefined;
  item?.push({ kind: "text", text: " " }, ...inline(text));
  return item !== undefined;
}

/**
 * @param {string} text
 * @returns {Inline[]}
 */
export function inline(text) {
  /** @type {Inline[]} */
  const out = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, strong, label, href] = match;
    if (match.index > from) out.push({ kind: "text", text: text.slice(from, match.index) });
    if (code !== undefined) out.push({ kind: "code", text: code });
    else if (strong !== undefined) out.push({ kind: "strong", text: strong });
    else if (label !== undefined && href !== undefined && isSafe(href)) out.push({ kind: "link", text: label, href });
    else out.push({ kind: "text", text: label ?? whole });
    from = match.index + whole.length;
  }
  if (from < text.length) out.push({ kind: "text", text: text.slice(from) });
  return out;
}

/**
 * Whether a link is safe: http, https, or on this site; never `javascript:`.
 *
 * @param {string} href
 */
function isSafe(href) {
  return /^(https?:\/\/|\/(?![/\\])|#)/i.test(href);
}

/**
 * @param {string} source
 * @returns {HTMLElement[]}
 */
export function render(source) {
  return parse(source).map((block) => {
    switch (block.kind) {
      case "paragraph":
        return el("p", {}, ...spans(block.content));
      case "heading":
        return el("p", { class: "minor" }, el("strong", {}, ...spans(block.content)));
      case "list":
        return el("ul", {}, ...block.items.map((item) => el("li", {}, ...spans(item))));
      case "code":
        return el("pre", { tabindex: 0 }, el("code", {}, block.text));
    }
  });
}

/**
 * One line of Markdown as nodes.
 *
 * @param {string} source
 */
export function renderInline(source) {
  return spans(inline(source.replaceAll(/\s*\n\s*/g, " ")));
}

/**
 * @param {Inline[]} content
 * @returns {(Node | string)[]}
 */
function spans(content) {
  return content.map((part) => {
    switch (part.kind) {
      case "text":
        return part.text;
      case "code":
        return el("code", {}, part.text);
      case "strong":
        return el("strong", {}, part.text);
      case "link":
        return el("a", { href: part.href, rel: "noopener noreferrer" }, part.text);
    }
  });
}
