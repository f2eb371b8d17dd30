// @ts-check

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible, assertFits, BASE, PHONE, visit } from "./browser.js";
import { atDapp, balance, call, DECLINED_CARD, DIRECT, GOOD_CARD, JUMP, newWallet, order, pay, popup, until } from "./fiat.js";
import { passes } from "../passes.js";

/**
 * Opens the page of a purchase beside the page of the dApp.
 *
 * @param {import("playwright-core").Page} dapp
 * @param {string} orderId
 */
async function follow(dapp, orderId) {
  const page = await dapp.context().newPage();
  await page.goto(`${BASE}/order/${orderId}`);
  await page.getByRole("heading", { name: "Waiting for the payment" }).waitFor();
  return page;
}

for (const [name, target] of /** @type {const} */ ([
  ["delivered by the provider", DIRECT],
  ["delivered by a swap", JUMP],
])) {
  test(`a purchase by card, ${name}, is followed on its page to the end`, async () => {
    await atDapp(async (dapp) => {
      const recipient = newWallet();
      const { orderId, wrapperUrl } = await order(target, { page: dapp, recipient });
      const page = await follow(dapp, orderId);
      await page.getByText("Nothing is delivered before the provider has your money.").waitFor();
      await passes(async () => assert.match(await page.locator(".leg").first().innerText(), /\$100\.00/));
      await assertAccessible(page);
      await dapp.bringToFront();
      await pay(await popup(dapp, wrapperUrl), GOOD_CARD);
      await page.bringToFront();
      await page.getByRole("heading", { name: "Delivered" }).waitFor({ timeout: 120_000 });
      const { fillTxHash, swapOrderId } = await until(orderId, ({ polling }) => polling.isTerminal);
      await page.locator(`a[href="${BASE}/sandbox/explorer/${target.toChainId}/tx/${fillTxHash}"]`).first().waitFor({ timeout: 60_000 });
      await passes(async () => assert.equal(await page.locator(".timeline .done").count(), target === JUMP ? 4 : 3));
      await passes(async () => assert.equal(await page.locator(`a[href="/order/${swapOrderId}"]`).count(), target === JUMP ? 1 : 0));
      await passes(async () => assert.match(await page.locator(".leg").nth(1).innerText(), /Received\s+[\d.]+ USDC/));
      const { body: view } = await call(`/v1/fiat/order/${orderId}`);
      assert.equal((await balance(target, recipient)).toString(), view.outputAmount);
      await assertAccessible(page);
      if (swapOrderId) {
        await visit(`/order/${swapOrderId}`, { ...PHONE, reducedMotion: "reduce" }, async (swap) => {
          await swap.getByRole("heading", { name: "Delivered" }).waitFor({ timeout: 60_000 });
          await assertFits(swap);
        });
      }
    });
  });
}

test("a purchase with a declined card is told on its page", async () => {
  await atDapp(async (dapp) => {
    const { orderId, wrapperUrl } = await order(DIRECT, { page: dapp });
    const page = await follow(dapp, orderId);
    await dapp.bringToFront();
    await pay(await popup(dapp, wrapperUrl), DECLINED_CARD);
    await page.bringToFront();
    await page.getByRole("heading", { name: "Failed" }).waitFor({ timeout: 120_000 });
    await passes(async () => assert.equal(await page.locator(".timeline .bad").count(), 1));
    await assertAccessible(page);
  });
});
