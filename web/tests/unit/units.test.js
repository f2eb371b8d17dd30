// @ts-check

import assert from "node:assert/strict";
import { test } from "node:test";
import { fromRaw, qrUrl, shorten, span } from "../../pages/units.js";

test("raw units become decimals exactly", () => {
  /** @type {[string, number, string][]} */
  const table = [
    ["1500000", 6, "1.5"],
    ["100000000", 6, "100"],
    ["1", 18, "0.000000000000000001"],
    ["0", 6, "0"],
    ["42", 0, "42"],
    ["00012", 1, "1.2"],
    [String(2n ** 128n), 36, "340.282366920938463463374607431768211456"],
  ];
  for (const [raw, decimals, text] of table) assert.equal(fromRaw(raw, decimals), text);
});

test("decimals scaled back are the raw units they came from", () => {
  for (let decimals = 0; decimals <= 36; decimals += 1) {
    const raw = BigInt(decimals + 7) ** 23n;
    const [whole = "", fraction = ""] = fromRaw(String(raw), decimals).split(".");
    assert.equal(BigInt(whole + fraction.padEnd(decimals, "0")), raw);
  }
});

test("a span shows its two largest units", () => {
  /** @type {[number, string][]} */
  const table = [
    [-5, "0 s"],
    [999, "0 s"],
    [61_000, "1 min 1 s"],
    [3_600_000, "1 h"],
    [98_765_000, "1 d 3 h"],
  ];
  for (const [ms, text] of table) assert.equal(span(ms), text);
});

test("long addresses keep both ends", () => {
  assert.equal(shorten("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"), "0x8335…2913");
  assert.equal(shorten("native"), "native");
});

test("the QR address carries every parameter, encoded", () => {
  const payment = { symbol: "USDC", chain: "Base", caip2: "eip155:8453", token: "0xabc", decimals: 6, amount: "1.5" };
  assert.equal(
    qrUrl(payment, "a&b"),
    "/api/qrcode/transfer?amount=1.5&recipient=a%26b&caip2=eip155:8453&token=0xabc&decimals=6&size=288",
  );
});
