// @ts-check

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible, assertFits, PHONE, visit } from "./browser.js";
import { call, payByFaucet, transferOrder } from "../calls.js";
import { passes } from "../passes.js";

/** An order that was delivered. */
async function delivered() {
  const { orderId, address } = await transferOrder("30000000");
  await payByFaucet(address, "30000000");
  for (const end = Date.now() + 120_000; Date.now() < end; ) {
    if ((await call(`/v1/orders/by-id/${orderId}`)).status === "filled") return orderId;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error(`${orderId} was not delivered`);
}

test("the explorer shows an order, counts it, and finds it", async () => {
  const orderId = await delivered();
  const figures = await call("/explorer/figures?hours=24");
  assert.ok(figures.filled > 0);
  assert.equal(figures.series.length, 24);
  assert.equal(figures.series.reduce((/** @type {number} */ sum, /** @type {{ orders: number }} */ bar) => sum + bar.orders, 0), figures.orders);
  const pair = figures.pairs.find((/** @type {any} */ one) => one.from.chainId === 8453 && one.to.chainId === 42161 && one.from.symbol === "USDC");
  assert.ok(pair.filled > 0 && Number(pair.volumeUsd) > 29 && pair.medianSeconds >= 0);
  await visit("/explorer", { reducedMotion: "reduce" }, async (page) => {
    await page.locator(`a[href="/order/${orderId}"]`).waitFor({ timeout: 60_000 });
    await passes(async () => assert.ok(Number((await page.locator("#filled").textContent())?.replace(",", "")) > 0));
    await page.getByText(/USDC Base → USDC Arbitrum One/).waitFor();
    await assertAccessible(page);
    await page.getByRole("button", { name: "Without deposit" }).click();
    await page.locator(`a[href="/order/${orderId}"]`).waitFor({ state: "detached", timeout: 60_000 });
    await page.getByRole("button", { name: "Delivered", exact: true }).click();
    await page.locator(`a[href="/order/${orderId}"]`).waitFor({ timeout: 60_000 });
    await page.getByLabel("Order, address or transaction").fill(orderId);
    await page.getByRole("button", { name: "Look up" }).click();
    await page.getByRole("heading", { name: "Delivered" }).waitFor({ timeout: 60_000 });
  });
  await visit("/explorer", { ...PHONE, reducedMotion: "reduce", colorScheme: "dark" }, async (page) => {
    await page.locator("#volume").waitFor({ timeout: 60_000 });
    await assertFits(page);
    await assertAccessible(page);
  });
});

test("a page of orders leads to the next one", async () => {
  await transferOrder("31000000");
  await transferOrder("32000000");
  const first = await call("/explorer/orders?limit=1");
  const second = await call(`/explorer/orders?limit=1&cursor=${first.cursor}`);
  assert.equal(first.data.length, 1);
  assert.notEqual(first.data[0].id, second.data[0].id);
  await assert.rejects(call("/explorer/orders?status=gone"), /not an order status/);
  await assert.rejects(call("/explorer/figures?hours=0"), /from 1 to 720/);
});
