// @ts-check

import assert from "node:assert/strict";
import { test } from "node:test";
import { atDapp, BASE, DIRECT, framed, heard, hears, order } from "./fiat.js";
import { passes } from "../passes.js";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("playwright-core").Frame} Frame */

/**
 * A provider with a checkout on another origin.
 *
 * @typedef {object} Provider
 * @property {string} id
 * @property {string} origin
 * @property {(orderId: string) => unknown[]} buys the messages of its page for a payment
 * @property {(orderId: string) => unknown} fails
 * @property {(orderId: string) => unknown} ofAnother the same for another order
 */

/** @type {Provider[]} */
const PROVIDERS = [
  {
    id: "transak",
    origin: "https://global-stg.transak.com",
    buys: (partnerOrderId) => [
      { event_id: "TRANSAK_WIDGET_INITIALISED", data: true },
      { event_id: "TRANSAK_ORDER_CREATED", data: { id: "theirs", partnerOrderId } },
      { event_id: "TRANSAK_ORDER_SUCCESSFUL", data: { id: "theirs", partnerOrderId, status: "PENDING_DELIVERY_FROM_TRANSAK" } },
    ],
    fails: (partnerOrderId) => ({ event_id: "TRANSAK_ORDER_FAILED", data: { id: "theirs", partnerOrderId } }),
    ofAnother: (partnerOrderId) => ({ event_id: "TRANSAK_ORDER_FAILED", data: { id: "another", partnerOrderId } }),
  },
  {
    id: "moonpay",
    origin: "https://buy-sandbox.moonpay.com",
    buys: (externalTransactionId) => [
      { type: "onReady" },
      { type: "onTransactionCreated", payload: { id: "theirs", externalTransactionId } },
      { type: "onTransactionCompleted", payload: { id: "theirs", externalTransactionId, status: "completed" } },
    ],
    fails: (externalTransactionId) => ({ type: "onTransactionCompleted", payload: { id: "theirs", externalTransactionId, status: "failed" } }),
    ofAnother: (externalTransactionId) => ({ type: "onTransactionCompleted", payload: { id: "another", externalTransactionId, status: "failed" } }),
  },
];

/** Longer than the delivery of a message takes. */
const SILENCE_MS = 1_500;

/**
 * Makes a sandbox order look like one of this provider: its page shows the provider's origin, which is served by a stub.
 *
 * @param {Page} page
 * @param {Provider} provider
 * @param {string} sandbox its real origin
 */
async function played(page, { id, origin }, sandbox) {
  const context = page.context();
  await context.route(`${BASE}/v1/fiat/widget/*`, async (route) => {
    const answer = await route.fetch();
    const replace = /** @param {string} text */ (text) => text.replaceAll(sandbox, origin).replaceAll('"sandbox-card"', `"${id}"`);
    const headers = Object.fromEntries(Object.entries(answer.headers()).map(([name, value]) => [name, replace(value)]));
    delete headers["content-length"];
    await route.fulfill({ status: answer.status(), headers, body: replace(await answer.text()) });
  });
  await context.route(`${origin}/**`, (route) =>
    route.fulfill({ contentType: "text/html", body: "<!doctype html><title>A checkout</title><p>Pay here" }),
  );
}

/**
 * The provider's page.
 *
 * @param {Page} page
 * @param {string} origin
 * @returns {Promise<Frame>}
 */
async function shown(page, origin) {
  for (let tries = 0; tries < 100; tries += 1) {
    const found = page.frames().find((frame) => frame.url().startsWith(`${origin}/`));
    if (found) return found;
    await page.waitForTimeout(100);
  }
  return assert.fail(`no frame of ${origin}: ${page.frames().map((frame) => frame.url())}`);
}

/**
 * @param {Frame} frame
 * @param {unknown} message
 */
const post = (frame, message) => frame.evaluate((said) => window.parent.postMessage(said, "*"), message);

for (const provider of PROVIDERS) {
  test(`messages of ${provider.id}'s page are relayed as our events, but never order_completed`, async () => {
    await atDapp(async (page) => {
      const { orderId, wrapperUrl, widgetUrl } = await order(DIRECT, { page });
      await played(page, provider, new URL(widgetUrl).origin);
      await framed(page, wrapperUrl);
      const frame = await shown(page, provider.origin);
      await hears(page, "widget_ready");
      await post(frame, provider.ofAnother("ffffffffffffffffffffffffffffffff"));
      for (const message of provider.buys(orderId)) await post(frame, message);
      const all = await hears(page, "order_processing");
      assert.deepEqual(all.map(({ data }) => data.event), ["widget_ready", "order_created", "order_processing"]);
      assert.ok(all.every(({ origin, data }) => origin === BASE && data.orderId === orderId && data.provider === provider.id));
      assert.equal(all.at(-1)?.data.providerOrderId, "theirs");
      await page.waitForTimeout(SILENCE_MS);
      await passes(async () => assert.equal((await heard(page)).length, 3, "its word completes nothing"));
    });
  });

  test(`after a declined payment at ${provider.id} the payer may retry, and order_failed is not posted`, async () => {
    await atDapp(async (page) => {
      const { orderId, wrapperUrl, widgetUrl } = await order(DIRECT, { page });
      await played(page, provider, new URL(widgetUrl).origin);
      const wrapper = await framed(page, wrapperUrl);
      const frame = await shown(page, provider.origin);
      await hears(page, "widget_ready");
      await post(frame, provider.fails(orderId));
      await wrapper.getByText("The payment was declined").waitFor();
      for (const message of provider.buys(orderId)) await post(frame, message);
      const all = await hears(page, "order_processing");
      assert.ok(all.every(({ data }) => data.event !== "order_failed"), JSON.stringify(all));
    });
  });
}

/** Its page opens in its own window, and its messages have no order id. */
const COINBASE = { id: "coinbase", origin: "https://pay.coinbase.com", buys: () => [], fails: () => null, ofAnother: () => null };

/**
 * The wrapper of an order that looks like one of Coinbase, and its checkout page after the button was clicked.
 *
 * @param {Page} page
 */
async function atCoinbase(page) {
  const created = await order(DIRECT, { page });
  await played(page, COINBASE, new URL(created.widgetUrl).origin);
  const wrapper = await framed(page, created.wrapperUrl);
  const [pay] = await Promise.all([page.waitForEvent("popup"), wrapper.getByRole("button", { name: "Pay at" }).click()]);
  await pay.waitForURL(`${COINBASE.origin}/**`);
  /** @param {unknown} message */
  const says = (message) => pay.evaluate((said) => window.opener.postMessage(said, "*"), message);
  return { ...created, pay, says };
}

test("coinbase's page opens in its own window and never completes a purchase", async () => {
  await atDapp(async (page) => {
    const { orderId, says } = await atCoinbase(page);
    await hears(page, "widget_ready");
    await says({ eventName: "onramp_api.load_pending", data: {} });
    await says({ eventName: "onramp_api.load_success", data: {} });
    await says({ eventName: "onramp_api.cancel", data: {} });
    await says(JSON.stringify({ eventName: "onramp_api.commit_success", data: { orderId: "theirs" } }));
    await says({ eventName: "onramp_api.polling_success", data: { orderId: "theirs" } });
    const all = await hears(page, "order_processing");
    assert.deepEqual(all.map(({ data }) => data.event), ["widget_ready", "order_created", "order_processing"]);
    assert.ok(all.every(({ origin, data }) => origin === BASE && data.orderId === orderId && data.provider === "coinbase"));
    assert.equal(all.at(-1)?.data.providerOrderId, "theirs");
    await page.waitForTimeout(SILENCE_MS);
    await passes(async () => assert.equal((await heard(page)).length, 3, "its word completes nothing"));
  });
});

test("a declined card at coinbase does not end the order, and messages of other windows are ignored", async () => {
  await atDapp(async (page) => {
    const { says, pay } = await atCoinbase(page);
    await hears(page, "widget_ready");
    // The dApp is not the checkout window.
    await page.evaluate(() => window.frames[0]?.postMessage({ eventName: "onramp_api.commit_success", data: {} }, "*"));
    await says({ eventName: "onramp_api.commit_error", data: { errorCode: "ERROR_CODE_GUEST_CARD_HARD_DECLINED" } });
    await page.waitForTimeout(SILENCE_MS);
    await passes(async () => assert.deepEqual((await heard(page)).map(({ data }) => data.event), ["widget_ready"], "another card may be tried"));
    await pay.close();
  });
});

test("messages of a provider without documented messages are ignored, and the status is polled", async () => {
  const banxa = { id: "banxa", origin: "https://checkout.banxa-sandbox.com", buys: () => [], fails: () => null, ofAnother: () => null };
  await atDapp(async (page) => {
    const { orderId, wrapperUrl, widgetUrl } = await order(DIRECT, { page });
    await played(page, banxa, new URL(widgetUrl).origin);
    await framed(page, wrapperUrl);
    const frame = await shown(page, banxa.origin);
    await hears(page, "widget_ready");
    const forged = { type: "FIAT_WIDGET_EVENT", event: "order_completed", provider: "banxa", orderId };
    for (const message of [forged, { status: "complete" }, "complete", { eventName: "onramp_api.commit_success" }]) await post(frame, message);
    await page.waitForTimeout(SILENCE_MS);
    await passes(async () => assert.deepEqual((await heard(page)).map(({ data }) => data.event), ["widget_ready"]));
  });
});
