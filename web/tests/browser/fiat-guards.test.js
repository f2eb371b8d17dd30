// @ts-check

import assert from "node:assert/strict";
import { test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { assertAccessible } from "./browser.js";
import { atDapp, BASE, checkout, DIRECT, FOREIGN_HOME, framed, heard, hears, HOME, order, OTHER_HOME, popup } from "./fiat.js";
import { passes } from "../passes.js";

/** @typedef {import("playwright-core").Page} Page */

/**
 * The frame with a page of this origin.
 *
 * @param {Page} page
 * @param {string} origin
 */
async function frameAt(page, origin) {
  for (let tries = 0; tries < 100; tries += 1) {
    const found = page.frames().find((frame) => frame.url().startsWith(`${origin}/`) && frame !== page.mainFrame());
    if (found) return found;
    await page.waitForTimeout(100);
  }
  return assert.fail(`no frame of ${origin}: ${page.frames().map((frame) => frame.url())}`);
}

/** Longer than the delivery of a message takes. */
const SILENCE_MS = 1_500;

test("messages of other origins are not relayed", async () => {
  await atDapp(async (page) => {
    const { orderId, wrapperUrl, provider } = await order(DIRECT, { page });
    await framed(page, wrapperUrl);
    await hears(page, "order_created");
    // The dApp itself is another origin for the wrapper, and so is any other frame inside it.
    const forged = { source: provider, name: "completed", order: orderId, session: "forged" };
    await page.evaluate((message) => window.frames[0]?.postMessage(message, "*"), forged);
    const wrapper = await frameAt(page, BASE);
    await wrapper.evaluate((message) => window.postMessage(message, "*"), forged);
    const events = ["order_completed", "order_failed"].map((event) => ({ type: "FIAT_WIDGET_EVENT", event, orderId, provider }));
    for (const event of events) await wrapper.evaluate((message) => window.postMessage(message, "*"), event);
    await page.waitForTimeout(SILENCE_MS);
    const relayed = (await heard(page)).map(({ data }) => data.event);
    assert.deepEqual(relayed, ["widget_ready", "order_created"]);
  });
});

test("messages of the provider's frame are accepted only from the provider's origin", async () => {
  await atDapp(async (page) => {
    const { orderId, wrapperUrl, widgetUrl } = await order(DIRECT, { page });
    await framed(page, wrapperUrl);
    await hears(page, "widget_ready");
    const provider = await frameAt(page, new URL(widgetUrl).origin);
    // The content security policy of the page prevents the frame from navigating elsewhere.
    await provider.evaluate((home) => void (location.href = home), HOME).catch(() => {});
    await page.waitForTimeout(SILENCE_MS);
    assert.ok(page.frames().every((frame) => frame === page.mainFrame() || !frame.url().startsWith(HOME)));
    const messages = (await heard(page)).map(({ data }) => data);
    assert.ok(messages.every((data) => data.orderId === orderId && data.event !== "order_completed"));
  });
});

test("only the origin that created the order receives events", async () => {
  await atDapp(async (page) => {
    const { wrapperUrl } = await order(DIRECT, { page });
    await page.goto(OTHER_HOME);
    const wrapper = await framed(page, wrapperUrl);
    await checkout(wrapper).getByLabel("Card number").waitFor();
    await page.waitForTimeout(SILENCE_MS);
    await passes(async () => assert.deepEqual(await heard(page), []));
  });
});

test("without a known origin, the sandbox posts events to any embedding page", async () => {
  await atDapp(async (page) => {
    const { wrapperUrl } = await order(DIRECT);
    await framed(page, wrapperUrl);
    await hears(page, "widget_ready");
  }, OTHER_HOME);
});

test("neither inline scripts nor scripts of other origins run in the wrapper", async () => {
  await atDapp(async (page) => {
    const { wrapperUrl } = await order(DIRECT, { page });
    const opened = await popup(page, wrapperUrl);
    await checkout(opened).getByLabel("Card number").waitFor();
    await opened.evaluate((home) => {
      const inline = document.createElement("script");
      inline.textContent = "window.evil = true;";
      const foreign = document.createElement("script");
      foreign.src = `${home}/evil.js`;
      const handler = document.createElement("img");
      handler.setAttribute("onerror", "window.evil = true;");
      handler.src = "/nothing.png";
      const frame = document.createElement("iframe");
      frame.src = home;
      frame.id = "evil";
      document.body.append(inline, foreign, handler, frame);
    }, HOME);
    await opened.waitForTimeout(SILENCE_MS);
    await passes(async () => assert.equal(await opened.evaluate(() => "evil" in window && /** @type {any} */ (window).evil === true), false));
    assert.ok(opened.frames().every((frame) => !frame.url().startsWith(HOME)), "nobody else is framed");
  });
});

test("pages of other hosts cannot frame the wrapper", async () => {
  await atDapp(async (page) => {
    const { wrapperUrl } = await order(DIRECT);
    await framed(page, wrapperUrl);
    await page.waitForTimeout(SILENCE_MS);
    await passes(async () => assert.deepEqual(await heard(page), []));
    const shown = page.frames().find((frame) => frame !== page.mainFrame());
    assert.ok(shown && !shown.url().startsWith(BASE), `shown: ${shown?.url()}`);
  }, FOREIGN_HOME);
});

test("only the provider's frame has the payment permission, and no other permission", async () => {
  /** @param {import("playwright-core").Frame} frame */
  const allows = (frame) =>
    frame.evaluate(() =>
      ["payment", "camera", "microphone", "geolocation"].filter((feature) => /** @type {any} */ (document).featurePolicy.allowsFeature(feature)),
    );
  for (const [provider, may] of /** @type {const} */ ([
    ["sandbox-card", ["payment"]],
    ["sandbox-bank", []],
  ])) {
    await atDapp(async (page) => {
      const { wrapperUrl, widgetUrl } = await order(DIRECT, { page, provider });
      const opened = await popup(page, wrapperUrl);
      const frame = await frameAt(opened, new URL(widgetUrl).origin);
      await frame.waitForLoadState();
      await passes(async () => assert.deepEqual(await allows(frame), may, provider));
      const allow = await opened.locator("#checkout").getAttribute("allow");
      assert.equal(allow, may.map((feature) => `${feature} ${new URL(widgetUrl).origin}`).join("; "));
    });
  }
});

test("HTML in displayed values stays text", async () => {
  const evil = "<img src=x onerror=alert(1)><b>bold</b>";
  await atDapp(async (page) => {
    const { orderId, wrapperUrl, provider } = await order(DIRECT, { page });
    const status = {
      orderId, status: "failed", progress: "failed", provider, swapStrategy: "direct",
      failedReason: evil, errorReason: evil, fillTxHash: evil, polling: { suggestedIntervalMs: 0, isTerminal: true },
    };
    await page.context().route("**/v1/fiat/orders/*/status*", (route) => route.fulfill({ json: status }));
    const opened = await popup(page, wrapperUrl);
    opened.on("dialog", () => assert.fail("a script ran that should not"));
    await opened.getByText(evil).first().waitFor();
    await passes(async () => assert.equal(await opened.locator("#words").textContent(), evil));
    await passes(async () => assert.equal(await opened.locator("#proof-hash").textContent(), evil));
    await passes(async () => assert.equal(await opened.locator("#main img, #main b").count(), 0));
    const failed = (await hears(page, "order_failed")).at(-1);
    assert.equal(failed?.data.data?.failedReason, evil, "as data, for the dApp to escape");
  });
});

test("an unknown order shows an error page", async () => {
  await atDapp(async (page) => {
    for (const id of ["0f8fad5bd9cb469fa16570867728950e", "..%2F..%2Fetc%2Fpasswd", "%3Cimg%20src=x%20onerror=alert(1)%3E"]) {
      const answer = await page.goto(`${BASE}/v1/fiat/widget/${id}`);
      assert.equal(answer?.status(), 404);
      await page.getByRole("heading", { name: "There is no such order" }).waitFor();
    }
    await assertAccessible(page);
  });
});

test("axe finds no violations in the wrapper, and it fits a popup", async () => {
  await atDapp(async (page) => {
    const { wrapperUrl } = await order(DIRECT, { page });
    const opened = await popup(page, wrapperUrl);
    await checkout(opened).getByLabel("Card number").waitFor();
    // The content of the provider's frame is excluded.
    const { violations } = await new AxeBuilder({ page: opened }).exclude("#checkout").analyze();
    assert.deepEqual(violations.map((rule) => rule.id), []);
    const [content, width] = await opened.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(content !== undefined && width !== undefined && content <= width, `${content} in ${width}`);
  });
});
