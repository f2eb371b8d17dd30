// @ts-check

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible, assertFits, BASE, PHONE, visit } from "./browser.js";
import { call, payByFaucet, SOMEBODY, transferOrder } from "./orders.js";

test("an order by transfer shows its QR code, notices the payment and follows it to the end", async () => {
  const { orderId, address } = await transferOrder("25000000");
  await visit(`/order/${orderId}`, {}, async (page) => {
    await page.getByRole("heading", { name: "Waiting for your transfer" }).waitFor();
    assert.equal(await page.locator(".pay-text bdi").textContent(), address);
    await page.waitForFunction(() => (document.querySelector(".qr img")?.clientWidth ?? 0) > 0);
    await page.getByText(/Time left to pay: \d+/).waitFor();
    await assertAccessible(page);
    await payByFaucet(address, "25000000");
    await page.getByRole("heading", { name: "Delivered" }).waitFor({ timeout: 120_000 });
    assert.equal(await page.locator(".qr").count(), 0);
    await page.locator("dl .tx").nth(1).waitFor({ timeout: 60_000 });
    const { transactions } = await call(`/v1/orders/by-id/${orderId}`);
    for (const { txHash, chainId } of [transactions.deposit, transactions.fill]) {
      await page.locator(`a[href="${BASE}/sandbox/explorer/${chainId}/tx/${txHash}"]`).first().waitFor({ timeout: 60_000 });
    }
    assert.match((await page.locator(".leg").first().innerText()) ?? "", /25 USDC\s+on Base · \$2\d\.\d\d/);
    await assertAccessible(page);
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.getByRole("button", { name: "Print a receipt" }).isVisible(), false);
  });
  const { intentId, depositTxHash } = await call(`/v1/orders/by-id/${orderId}`);
  for (const path of [`/track/${intentId}`, `/track?txHash=${depositTxHash}&chainId=8453`, `/track/${address}`, `/transfer/${orderId}`]) {
    await visit(path, { ...PHONE, reducedMotion: "reduce" }, async (page) => {
      await page.getByRole("heading", { name: "Delivered" }).waitFor({ timeout: 60_000 });
      assert.equal(new URL(page.url()).pathname, `/order/${orderId}`);
      await assertFits(page);
    });
  }
  await visit(`/track/${SOMEBODY}`, { ...PHONE, reducedMotion: "reduce" }, async (page) => {
    await page.locator(`a[href="/order/${orderId}"]`).waitFor({ timeout: 60_000 });
    await assertFits(page);
    await assertAccessible(page);
  });
});

test("what nobody knows is told, and can be searched for again", async () => {
  await visit("/track", {}, async (page) => {
    await page.getByRole("heading", { name: "Track an order" }).waitFor();
    await assertAccessible(page);
  });
  await visit(
    "/order/0123456789abcdef0123456789abcdef",
    {},
    async (page) => {
      await page.getByText("There is nothing by").waitFor();
      await page.getByLabel("Order, address or transaction").waitFor();
    },
    // The browser itself complains of the answers 404, which are what this is about.
    (page) => page.route(/by-id|fiat\/order/, (route) => route.fulfill({ json: { name: "OrderNotFoundException", message: "no such order" } })),
  );
});

test("a link sets the transfer's tokens and amount", async () => {
  await visit("/transfer?amount=12.5&to-token=eip155:1:0x0000000000000000000000000000000000000000", {}, async (page) => {
    await page.locator('#token-to[aria-label*="ETH on Ethereum"]').waitFor({ timeout: 60_000 });
    assert.equal(await page.locator("#amount-from").inputValue(), "12.5");
  });
});
