// @ts-check

import assert from "node:assert/strict";
import { test } from "node:test";
import { pretty, tokens } from "../../pages/json-view.js";
import { inline, parse } from "../../pages/markdown.js";

test("paragraphs, lists, headings and fenced code are parsed", () => {
  const blocks = parse("One\nparagraph.\n\n- first\n  goes on\n- second\n\n# Title\n```\na  b\n```\nEnd");
  assert.deepEqual(
    blocks.map((block) => block.kind),
    ["paragraph", "list", "heading", "code", "paragraph"],
  );
  const list = blocks[1];
  assert.equal(list?.kind === "list" && list.items.length, 2);
  assert.deepEqual(blocks[3], { kind: "code", text: "a  b" });
});

test("an unclosed fence ends with the text", () => {
  assert.deepEqual(parse("```\na\nb"), [{ kind: "code", text: "a\nb" }]);
});

test("inline code, bold and links are parsed", () => {
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

test("a link with an unsafe scheme is plain text", () => {
  for (const href of ["javascript:alert`1`", "data:text/html,x", "//evil.example", "/\\evil.example", "JaVaScRiPt:x"]) {
    assert.deepEqual(inline(`[click](${href})`), [{ kind: "text", text: "click" }]);
  }
});

test("markup in a description stays text", () => {
  assert.deepEqual(inline("<img src=x onerror=alert(1)>"), [{ kind: "text", text: "<img src=x onerror=alert(1)>" }]);
});

test("highlighting JSON keeps every character", () => {
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

test("text that is not JSON is not formatted", () => {
  assert.equal(pretty("amount is missing"), null);
});
