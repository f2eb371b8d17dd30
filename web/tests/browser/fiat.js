// @ts-check

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { after } from "node:test";
import { BASE, browser, FOREIGN_HOST } from "./browser.js";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("playwright-core").Frame} Frame */
/** @typedef {import("playwright-core").FrameLocator} FrameLocator */
/** @typedef {import("../../types/api.d.ts").FiatStatus} FiatStatus */
/** @typedef {{ orderId: string, widgetUrl: string, wrapperUrl: string, provider: string, status: string }} Order */
/** @typedef {{ origin: string, data: { type: string, event: string, provider: string, orderId: string, providerOrderId?: string, data?: Record<string, unknown> } }} Heard */

export { BASE };

/** A token that the provider sells, and one that needs a forwarding order. */
export const DIRECT = { toChainId: 8453, toToken: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913" };
export const JUMP = { toChainId: 42161, toToken: "0xaf88d065e77c8cC2239327C5EDb3A432268e5831" };

export const GOOD_CARD = "4242 4242 4242 4242";
export const DECLINED_CARD = "4000 0000 0000 0002";
export const CHALLENGED_CARD = "4000 0000 0000 3220";

/** The timeout of a purchase, on a busy machine. */
const ENDS_WITHIN_MS = 90_000;

/** The page of a dApp: it records every message, and frames or opens a URL. */
const DAPP = `<!doctype html><html lang="en"><title>A dApp</title><body>
<button id="open">Open</button><div id="frames"></div>
<script>
  window.heard = [];
  window.addEventListener("message", ({ origin, data }) => window.heard.push({ origin, data }));
  window.show = (url, allow = "payment") => {
    const frame = document.createElement("iframe");
    Object.assign(frame, { src: url, width: 500, height: 700, allow, name: "wrapper" });
    document.getElementById("frames").append(frame);
  };
  window.buy = async (base, quoteId, author) => {
    const answer = await fetch(base + "/v1/fiat/order", { method: "POST", body: JSON.stringify({ quoteId, author }) });
    return answer.json();
  };
  document.getElementById("open").addEventListener("click", () => {
    window.popup = window.open(window.next, "checkout", "width=500,height=700");
  });
</script></body></html>`;

/** A web server for pages of other origins. */
const server = createServer((request, response) => {
  const script = request.url === "/evil.js";
  response.setHeader("content-type", script ? "text/javascript" : "text/html; charset=utf-8");
  response.end(script ? "window.evil = true;" : DAPP);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(null)));
after(() => server.close());
const address = server.address();
assert.ok(address && typeof address === "object");

export const HOME = `http://127.0.0.1:${address.port}`;
export const OTHER_HOME = `http://localhost:${address.port}`;
export const FOREIGN_HOME = `http://${FOREIGN_HOST}:${address.port}`;

/**
 * Opens the page of a dApp in a new browser context.
 *
 * @param {(page: Page) => Promise<void>} use
 * @param {string} [home]
 */
export async function atDapp(use, home = HOME) {
  const context = await browser.newContext({ viewport: { width: 900, height: 900 } });
  context.setDefaultTimeout(60_000);
  try {
    const page = await context.newPage();
    page.on("dialog", () => assert.fail("a script ran that should not"));
    await page.goto(home);
    await use(page);
  } finally {
    await context.close();
  }
}

/** A new wallet address. */
export function newWallet() {
  return `0x${randomBytes(20).toString("hex")}`;
}

/**
 * @param {string} path
 * @param {unknown} [body]
 */
export async function call(path, body) {
  const answer = await fetch(`${BASE}${path}`, body === undefined ? {} : { method: "POST", body: JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
}

/**
 * The quote of this provider.
 *
 * @param {object} target
 * @param {string} provider
 * @param {string} recipient
 */
export async function quote(target, provider, recipient) {
  const ask = { fiatCurrency: "USD", fiatAmount: "100", recipient, provider, ...target };
  const { status, body } = await call("/v1/fiat/quote", ask);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.quotes.length, 1, JSON.stringify(body));
  return body.quotes[0];
}

/**
 * Creates an order from the page of the dApp, so that its origin is known; without a page the origin is unknown.
 *
 * @param {object} target
 * @param {{ page?: Page, provider?: string, recipient?: string }} [options]
 * @returns {Promise<Order>}
 */
export async function order(target, { page, provider = "sandbox-card", recipient = newWallet() } = {}) {
  const { quoteId } = await quote(target, provider, recipient);
  const created = page
    ? await page.evaluate(([base, id, author]) => /** @type {any} */ (window).buy(base, id, author), [BASE, quoteId, recipient])
    : (await call("/v1/fiat/order", { quoteId, author: recipient })).body;
  assert.ok(created.orderId, JSON.stringify(created));
  return created;
}

/**
 * The provider's page inside the wrapper.
 *
 * @param {Page | FrameLocator} wrapper
 */
export const checkout = (wrapper) => wrapper.frameLocator("#checkout");

/**
 * @param {Page | FrameLocator} wrapper
 * @param {string} number
 */
export async function pay(wrapper, number) {
  const form = checkout(wrapper);
  await form.getByLabel("Card number").fill(number);
  await form.getByLabel("Expiry").fill("12/34");
  await form.getByLabel("CVC").fill("123");
  await form.getByRole("button", { name: "Pay", exact: true }).click();
}

/**
 * Opens the order's page with `window.open` in a click handler.
 *
 * @param {Page} page
 * @param {string} url
 */
export async function popup(page, url) {
  await page.evaluate((next) => void (/** @type {any} */ (window).next = next), url);
  const [opened] = await Promise.all([page.waitForEvent("popup"), page.click("#open")]);
  return opened;
}

/**
 * Shows the order's page in an iframe.
 *
 * @param {Page} page
 * @param {string} url
 */
export async function framed(page, url) {
  await page.evaluate((shown) => /** @type {any} */ (window).show(shown), url);
  return page.frameLocator("iframe[name=wrapper]");
}

/**
 * All messages that the dApp has received.
 *
 * @param {Page} page
 * @returns {Promise<Heard[]>}
 */
export const heard = (page) => page.evaluate(() => /** @type {any} */ (window).heard);

/**
 * Waits until the dApp receives the event, and returns all messages up to then.
 *
 * @param {Page} page
 * @param {string} event
 */
export async function hears(page, event) {
  const has = /** @param {string} name */ (name) =>
    /** @type {any} */ (window).heard.some((/** @type {any} */ one) => one.data.event === name);
  await page.waitForFunction(has, event, { timeout: ENDS_WITHIN_MS, polling: 100 });
  return heard(page);
}

/**
 * Polls the status of the order until it satisfies `is`.
 *
 * @param {string} orderId
 * @param {(status: FiatStatus) => boolean} is
 * @returns {Promise<FiatStatus>}
 */
export async function until(orderId, is) {
  const end = Date.now() + ENDS_WITHIN_MS;
  for (;;) {
    const { body } = await call(`/v1/fiat/orders/${orderId}/status`);
    if (is(body)) return body;
    assert.ok(Date.now() < end, `not in time: ${JSON.stringify(body)}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/**
 * The token balance of the wallet, in raw units.
 *
 * @param {{ toChainId: number, toToken: string }} target
 * @param {string} wallet
 */
export async function balance({ toChainId, toToken }, wallet) {
  const { body } = await call(`/v1/tokens/balances/${wallet}?chainIds=${toChainId}`);
  const found = body.find((/** @type {any} */ entry) => entry.address.toLowerCase() === toToken.toLowerCase());
  return BigInt(found?.extensions?.balance ?? 0);
}
