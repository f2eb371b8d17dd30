// @ts-check

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.js";

const { embedCode } = await load("start/embed-code.ts");
const { decodeCall, decodeLog } = await load("sandbox/abi.ts");

const USUAL = { accent: "#0a6b70", radius: 24, theme: "auto", locale: "", title: "", methods: "", from: "", to: "", amount: "" };
const word = (/** @type {string} */ hex) => hex.padStart(64, "0");

test("what is as usual is not in the embed code", () => {
  assert.equal(embedCode("https://swap.example", USUAL), '<script src="https://swap.example/widget.js" defer></script>\n<causeway-widget></causeway-widget>');
});

test("what was typed cannot leave its attribute or its script", () => {
  const code = embedCode("https://swap.example", { ...USUAL, amount: '1"><script>', title: "</script><b>" });
  assert.ok(code.includes('amount="1&quot;>&lt;script>"'), code);
  assert.ok(code.includes('"\\u003c/script>\\u003cb>"'), code);
});

test("a call of a token is decoded", () => {
  const decoded = decodeCall(`0xa9059cbb${word("000000000000000000000000000000000000dead")}${word("2540be400")}`);
  assert.equal(decoded.name, "transfer");
  assert.deepEqual(decoded.values.map((/** @type {any} */ { value }) => value), ["0x000000000000000000000000000000000000dead", 10_000_000_000n]);
});

test("a log is decoded from its topics and its data", () => {
  const topics = ["0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef", `0x${word("1")}`, `0x${word("2")}`];
  const { name, values } = decodeLog(topics, `0x${word("ff")}`);
  assert.equal(name, "Transfer");
  assert.deepEqual(values.map((/** @type {any} */ { value }) => value), [`0x${"1".padStart(40, "0")}`, `0x${"2".padStart(40, "0")}`, 255n]);
});

test("what is no call of ours, or cut short, is not decoded", () => {
  for (const input of ["0x", "0x12345678", "0xa9059cbb", `0xa9059cbb${word("1")}`]) assert.equal(decodeCall(input), undefined, input);
  assert.equal(decodeLog([], "0x"), undefined);
  assert.equal(decodeLog(["0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"], "0x"), undefined);
});

test("a tuple with bytes inside is decoded, and a length beyond the input is not", () => {
  const head = [word("20"), word("7"), word("aa"), word("60")];
  const whole = [...head, word("2"), "abcd".padEnd(64, "0")];
  const open = "0xe917a962";
  const decoded = decodeCall(open + whole.join(""));
  assert.equal(decoded?.name, "open");
  assert.deepEqual(decoded.values[0].value.orderData, "0xabcd");
  assert.equal(decodeCall(open + [...head, word("ffffff"), "abcd".padEnd(64, "0")].join("")), undefined);
});
