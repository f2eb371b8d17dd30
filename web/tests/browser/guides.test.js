// @ts-check

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible, assertFits, BASE, PHONE, visit } from "./browser.js";
import { passes } from "../passes.js";

test("the portal leads to guides and to the API reference", async () => {
  await visit("/docs", {}, async (page) => {
    await assertAccessible(page);
    const links = await page.locator('main a[href^="/"]').evaluateAll((nodes) => nodes.map((node) => node.getAttribute("href") ?? ""));
    assert.ok(links.length > 20);
    for (const href of new Set(links)) assert.equal((await fetch(BASE + href)).status, 200, href);
    await page.getByRole("link", { name: "The widget" }).click();
    await page.getByRole("heading", { name: "Embed it" }).waitFor();
    await assertAccessible(page);
    await page.getByText("On this page").click();
    await page.getByRole("link", { name: "Events", exact: true }).click();
    assert.equal(new URL(page.url()).hash, "#events");
  });
});

test("the portal has a quickstart, and every card says what its guide is about", async () => {
  await visit("/docs", {}, async (page) => {
    for (const card of await page.locator(".guide-cards li").all()) {
      await passes(async () => assert.equal(await card.locator("pre, h2, h3, table").count(), 0));
      await passes(async () => assert.ok((await card.innerText()).split("\n").filter(Boolean).length > 1, await card.innerText()));
    }
    await page.getByRole("link", { name: "Try a swap in four calls" }).click();
    await page.getByRole("heading", { name: "A swap in four calls" }).waitFor();
    await page.goto(`${BASE}/docs`);
    await page.locator(".doc-links").getByRole("link", { name: "Quickstart" }).click();
    await page.getByRole("heading", { name: "Swap in the browser" }).waitFor();
    await assertAccessible(page);
  });
});

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  test(`a guide fits a phone, also without JavaScript (${colorScheme})`, async () => {
    await visit("/docs/orders", { ...PHONE, colorScheme }, async (page) => {
      await assertFits(page);
      await assertAccessible(page);
    });
    await visit("/docs/sandbox", { ...PHONE, colorScheme, javaScriptEnabled: false }, async (page) => {
      await passes(async () => assert.ok(await page.getByRole("heading", { name: "The sandbox" }).isVisible()));
    });
  });
}
