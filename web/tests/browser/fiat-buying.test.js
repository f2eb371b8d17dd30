// @ts-check

import assert from "node:assert/strict";
import { test } from "node:test";
import { atDapp, balance, BASE, call, CHALLENGED_CARD, checkout, DECLINED_CARD, DIRECT, framed, GOOD_CARD, heard, hears, JUMP, newWallet, order, pay, popup, until } from "./fiat.js";
import { passes } from "../passes.js";

/** @typedef {import("./fiat.js").Heard} Heard */

/** @param {Heard[]} messages */
const events = (messages) => messages.map(({ data }) => data.event);

/**
 * Asserts what must hold for all events of one order.
 *
 * @param {Heard[]} messages
 * @param {string} orderId
 */
function assertOurs(messages, orderId) {
  for (const { origin, data } of messages) {
    assert.equal(origin, BASE);
    assert.equal(data.type, "FIAT_WIDGET_EVENT");
    assert.equal(data.orderId, orderId);
    assert.equal(typeof data.provider, "string");
  }
}

for (const [name, target] of /** @type {const} */ ([
  ["direct", DIRECT],
  ["by a jump", JUMP],
])) {
  test(`a purchase ${name} through a popup reaches the wallet, and the opener receives every event`, async () => {
    await atDapp(async (page) => {
      const recipient = newWallet();
      const { orderId, wrapperUrl } = await order(target, { page, recipient });
      const opened = await popup(page, wrapperUrl);
      await pay(opened, GOOD_CARD);
      const messages = await hears(page, "order_completed");
      assertOurs(messages, orderId);
      assert.deepEqual(events(messages), ["widget_ready", "order_created", "order_processing", "order_completed"]);
      const status = await until(orderId, ({ polling }) => polling.isTerminal);
      assert.equal(status.status, "completed");
      assert.equal(status.polling.suggestedIntervalMs, 0);
      assert.ok(status.fillTxHash);
      assert.equal(Boolean(status.swapOrderId), target === JUMP);
      const { body: view } = await call(`/v1/fiat/order/${orderId}`);
      assert.equal((await balance(target, recipient)).toString(), view.outputAmount);
      await opened.getByText("It has arrived in your wallet.").waitFor();
      await passes(async () => assert.equal(await opened.locator("#proof-hash").textContent(), status.fillTxHash));
      await passes(async () => assert.equal(await opened.locator("#checkout").isVisible(), false, "our own words stand alone"));
      // The window may be gone before the click is reported as done.
      const click = opened.getByRole("button", { name: "Close" }).click().catch((error) => {
        if (!opened.isClosed()) throw error;
      });
      await Promise.all([opened.waitForEvent("close"), click]);
      await passes(async () => assert.equal((await hears(page, "widget_close")).length, 5));
    });
  });

  test(`a purchase ${name} through an iframe reaches the wallet, and the parent receives every event`, async () => {
    await atDapp(async (page) => {
      const recipient = newWallet();
      const { orderId, wrapperUrl } = await order(target, { page, recipient });
      await pay(await framed(page, wrapperUrl), GOOD_CARD);
      const messages = await hears(page, "order_completed");
      assertOurs(messages, orderId);
      assert.deepEqual(events(messages), ["widget_ready", "order_created", "order_processing", "order_completed"]);
      assert.equal((await until(orderId, () => true)).status, "completed", "only the status of the service is posted");
      assert.ok((await balance(target, recipient)) > 0n);
    });
  });

  test(`a purchase ${name} completes with every tab closed`, async () => {
    const recipient = newWallet();
    let [orderId, wrapperUrl] = ["", ""];
    await atDapp(async (page) => {
      const created = await order(target, { page, recipient });
      ({ orderId, wrapperUrl } = created);
      const opened = await popup(page, created.wrapperUrl);
      await pay(opened, GOOD_CARD);
      await hears(page, "order_processing");
      await opened.close();
    });
    const status = await until(orderId, ({ polling }) => polling.isTerminal);
    assert.equal(status.status, "completed");
    assert.ok((await balance(target, recipient)) > 0n);
    await atDapp(async (page) => {
      await page.goto(wrapperUrl);
      await page.getByText("It has arrived in your wallet.").waitFor();
      await passes(async () => assert.equal(await page.locator("iframe").count(), 0, "there is nothing left to pay"));
    });
  });
}

test("a declined card ends in order_failed with a reason", async () => {
  await atDapp(async (page) => {
    const { orderId, wrapperUrl } = await order(DIRECT, { page });
    const opened = await popup(page, wrapperUrl);
    await pay(opened, DECLINED_CARD);
    const messages = await hears(page, "order_failed");
    assertOurs(messages, orderId);
    assert.ok(!events(messages).includes("order_completed"));
    const status = await until(orderId, ({ polling }) => polling.isTerminal);
    assert.equal(status.status, "failed");
    assert.equal(status.errorReason, "payment_declined");
    assert.ok(status.failedReason);
    await opened.getByText(status.failedReason).waitFor();
  });
});

test("a card that requires approval buys after it", async () => {
  await atDapp(async (page) => {
    const { orderId, wrapperUrl } = await order(DIRECT, { page });
    const wrapper = await framed(page, wrapperUrl);
    await pay(wrapper, CHALLENGED_CARD);
    await checkout(wrapper).getByText("Is it you?").waitFor();
    await passes(async () => assert.ok(!events(await heard(page)).includes("order_processing"), "nothing is paid yet"));
    await checkout(wrapper).getByRole("button", { name: "Approve" }).click();
    await hears(page, "order_completed");
    assert.equal((await until(orderId, () => true)).status, "completed");
  });
});

test("“I have paid” never completes a purchase", async () => {
  await atDapp(async (page) => {
    const { orderId, wrapperUrl } = await order(DIRECT, { page, provider: "sandbox-bank" });
    const wrapper = await framed(page, wrapperUrl);
    await checkout(wrapper).getByRole("button", { name: "I have paid" }).click();
    const messages = await hears(page, "order_processing");
    assert.ok(!events(messages).includes("order_completed"));
    await hears(page, "order_completed");
    const status = await until(orderId, () => true);
    assert.equal(status.status, "completed");
    assert.ok(status.fillTxHash, "it is on the chain");
  });
});

test("canceling closes the popup and ends the order", async () => {
  await atDapp(async (page) => {
    const { orderId, wrapperUrl } = await order(DIRECT, { page });
    const opened = await popup(page, wrapperUrl);
    const closed = opened.waitForEvent("close");
    await checkout(opened).getByRole("button", { name: "Cancel" }).click();
    await hears(page, "widget_close");
    await closed;
    assert.equal((await until(orderId, ({ polling }) => polling.isTerminal)).status, "canceled");
  });
});
