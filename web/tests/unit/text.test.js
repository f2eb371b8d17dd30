// @ts-check

import assert from "node:assert/strict";
import { test } from "node:test";
import { pretty, tokens } from "../../pages/json-view.js";
import { inline, parse } from "../../pages/markdown.js";

test("paragraphs, lists, headings and fenced code are told apart", () => {
  const blocks = parse("One\nparagraph.\n\n- first\n  goes on\n- second\n\n# Title\n```\na  b\n```\nEnd");
  assert.deepEqual(
    blocks.map((block) => block.kind),
    ["paragraph", "list", "heading", "code", "paragraph"],
  );
  const list = blocks[1];
  assert.equal(list?.kind === "list" && list.items.length, 2);
  assert.deepEqual(blocks[3], { kind: "code", text: "a  b" });
});

test("a fence that is never closed runs to the end", () => {
  assert.deepEqual(parse("```\na\nb"), [{ kind: "code", text: "a\nb" }]);
});

test("code, bold and links are found inside a line", () => {
  assert.deepEqual(inline("a `b` **c** [d](/e)."), [
    { kind: "text", text: "a " },
    { kind: "code", text: "b" },
    { kind: "text", text: " " },
    { kind: "strong", text: "c" },
    { kind: "text", text: " " },
    { kind: "link", text: "d", href: "/e" },
    { kind: "text", text: "." },
  ]);
});

test("a link that could run something is only its words", () => {
  for (const href of ["javascript:alert`1`", "data:text/html,x", "//evil.example", "/\\evil.example", "JaVaScRiPt:x"]) {
    assert.deepEqual(inline(`[click](${href})`), [{ kind: "text", text: "click" }]);
  }
});

test("markup in a description stays text", () => {
  assert.deepEqual(inline("<img src=x onerror=alert(1)>"), [{ kind: "text", text: "<img src=x onerror=alert(1)>" }]);
});

test("colouring JSON loses no character", () => {
  const text = pretty('{"a\\"b":[1,-2.5e+3,true,null,"x: 1"],"c":{}}') ?? "";
  const parts = tokens(text);
  assert.equal(parts.map((part) => part.text).join(""), text);
  assert.deepEqual(
    parts.filter((part) => part.kind === "key").map((part) => part.text),
    ['"a\\"b"', '"c"'],
  );
  assert.deepEqual(
    parts.filter((part) => part.kind === "literal").map((part) => part.text),
    ["1", "-2500", "true", "null"],
  );
});

test("what is not JSON is not made pretty", () => {
  assert.equal(pretty("amount is missing"), null);
});
