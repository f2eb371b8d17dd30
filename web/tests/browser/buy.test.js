// @ts-check

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible, assertFits, BASE, PHONE, visit } from "./browser.js";
import { atDapp, balance, DIRECT, GOOD_CARD, newWallet, pay } from "./fiat.js";

test("a person compares offers on the buying page, pays in a popup and sees it arrive", async () => {
  await atDapp(async (page) => {
    const wallet = newWallet();
    await page.goto(`${BASE}/buy`);
    const token = page.getByLabel("You want");
    await token.locator("option", { hasText: "USDC on Base" }).waitFor({ state: "attached" });
    await token.selectOption({ label: "USDC on Base" });
    await page.getByLabel("Your wallet").fill(wallet);
    await page.getByRole("button", { name: "Compare" }).click();
    await page.locator(".offer").nth(1).waitFor();
    await assertAccessible(page);
    const [opened] = await Promise.all([
      page.waitForEvent("popup"),
      page.getByRole("button", { name: "Buy from Sandbox Card" }).click(),
    ]);
    await pay(opened, GOOD_CARD);
    await page.getByText("It has arrived in your wallet.").waitFor({ timeout: 60_000 });
    assert.ok((await balance(DIRECT, wallet)) > 0n);
  });
});

test("the buying page says what is wrong, and fits a phone", async () => {
  await visit("/buy", PHONE, async (page) => {
    await page.getByLabel("You want").locator("option").first().waitFor({ state: "attached" });
    await assertFits(page);
    await assertAccessible(page);
  });
  await atDapp(async (page) => {
    await page.goto(`${BASE}/buy`);
    await page.getByLabel("You want").locator("option").first().waitFor({ state: "attached" });
    await page.getByLabel("You pay").fill("12.345");
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByRole("alert").filter({ hasText: "digits after the point" }).waitFor();
  });
});
