// @ts-check

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible, assertFits, BASE, PHONE, visit } from "./browser.js";
import { atDapp, balance, DIRECT, GOOD_CARD, newWallet, pay } from "./fiat.js";
import { passes } from "../passes.js";

/** @param {import("playwright-core").Page} page */
const offered = (page) => page.getByRole("radio").first().waitFor({ timeout: 60_000 });

test("a person compares offers on the buying page, pays in a popup and sees it arrive", async () => {
  await atDapp(async (page) => {
    const wallet = newWallet();
    await page.goto(`${BASE}/buy`);
    await offered(page);
    await page.locator("#token-to").click();
    await page.getByRole("group", { name: "Network" }).getByRole("button", { name: "Base", exact: true }).click();
    await page.getByRole("searchbox").fill("USDC");
    await page.locator(".item", { hasText: "Base" }).first().click();
    await page.locator("#recipient").fill(wallet);
    await page.getByRole("radio", { name: /Sandbox Card/ }).click({ timeout: 60_000 });
    const [opened] = await Promise.all([page.waitForEvent("popup"), page.locator("#go").click({ timeout: 60_000 })]);
    await pay(opened, GOOD_CARD);
    await page.locator(".hero.done").waitFor({ timeout: 120_000 });
    assert.ok((await balance(DIRECT, wallet)) > 0n);
  });
});

test("the buying page offers purchases only, and fits a phone", async () => {
  await visit("/buy", { ...PHONE, reducedMotion: "reduce" }, async (page) => {
    await offered(page);
    await passes(async () => assert.equal(await page.getByRole("button", { name: "Swap", exact: true }).count(), 0));
    await assertFits(page);
    await assertAccessible(page);
  });
});
