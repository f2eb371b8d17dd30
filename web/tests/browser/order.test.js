// @ts-check

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible, assertFits, BASE, PHONE, visit } from "./browser.js";
import { call, payByFaucet, SOMEBODY, transferOrder } from "../calls.js";
import { passes } from "../passes.js";

test("an order by transfer shows its QR code, notices the payment and follows it to the end", async () => {
  const { orderId, address } = await transferOrder("25000000");
  await visit(`/order/${orderId}`, {}, async (page) => {
    await page.getByRole("heading", { name: "Waiting for your transfer" }).waitFor();
    await passes(async () => assert.equal(await page.locator(".pay-text bdi").textContent(), address));
    await page.waitForFunction(() => (document.querySelector(".qr img")?.clientWidth ?? 0) > 0);
    await page.getByText(/Time left to pay: \d+/).waitFor();
    await assertAccessible(page);
    await payByFaucet(address, "25000000");
    await page.getByRole("heading", { name: "Delivered" }).waitFor({ timeout: 120_000 });
    await passes(async () => assert.equal(await page.locator(".qr").count(), 0));
    await page.locator("dl .tx").nth(1).waitFor({ timeout: 60_000 });
    const { transactions } = await call(`/v1/orders/by-id/${orderId}`);
    for (const { txHash, chainId } of [transactions.deposit, transactions.fill]) {
      await page.locator(`a[href="${BASE}/sandbox/explorer/${chainId}/tx/${txHash}"]`).first().waitFor({ timeout: 60_000 });
    }
    await passes(async () => assert.match((await page.locator(".leg").first().innerText()) ?? "", /25 USDC\s+on Base · \$2\d\.\d\d/));
    await assertAccessible(page);
    await page.emulateMedia({ media: "print" });
    await passes(async () => assert.equal(await page.getByRole("button", { name: "Print a receipt" }).isVisible(), false));
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

test("an order whose time to pay is over asks for no money any more", async () => {
  const { orderId } = await transferOrder("27000000");
  await visit(
    `/order/${orderId}`,
    {},
    async (page) => {
      await page.getByRole("heading", { name: "The time to pay is over" }).waitFor();
      await page.getByText("Order made.").waitFor();
      await passes(async () => assert.equal(await page.locator(".qr").count(), 0));
      await assertAccessible(page);
    },
    (page) =>
      page.route(/by-id\/[0-9a-f]{32}$/, async (route) => {
        const response = await route.fetch();
        const order = await response.json();
        await route.fulfill({ response, json: { ...order, timestamps: { ...order.timestamps, depositBefore: "2020-01-01T00:00:00Z" } } });
      }),
  );
});

test("an order that a provider settles says who holds the money and how it comes back", async () => {
  const { orderId } = await transferOrder("25000000");
  const order = await call(`/v1/orders/by-id/${orderId}`);
  const depositBefore = new Date(Date.now() - 60_000).toISOString();
  const provided = {
    ...order, settlement: "provider", heldBy: "an agent of its own", refunds: "It returns the input less its fee.", intentId: undefined,
    timestamps: { ...order.timestamps, depositBefore, refundAt: undefined },
  };
  await visit(
    `/order/${orderId}`,
    {},
    async (page) => {
      await page.getByText("an agent of its own; no contract of this service protects it").waitFor();
      await page.getByText("It returns the input less its fee.").waitFor();
      await page.getByText("what comes now may be lost").waitFor();
      await assertAccessible(page);
    },
    (page) => page.route(/by-id\/[0-9a-f]+$/, (route) => route.fulfill({ json: provided })),
  );
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
    await passes(async () => assert.equal(await page.locator("#amount-from").inputValue(), "12.5"));
  });
});
