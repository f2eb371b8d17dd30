// @ts-check

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible, assertFits, BASE, PHONE, visit } from "./browser.js";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("../../types/api.d.ts").Chain} Chain */
/** @typedef {import("../../types/api.d.ts").Status} Status */

/** @param {string} path */
const get = async (path) => (await fetch(BASE + path)).json();

/** @param {Page} page */
async function search(page) {
  await page.getByLabel("Find a token").fill("100 usdc on base");
  await page.locator("#understood li").first().waitFor();
}

/**
 * Waits until every image that matches is drawn.
 *
 * @param {Page} page
 * @param {string} selector
 */
async function drawn(page, selector) {
  await page.waitForFunction((css) => {
    const images = [...document.querySelectorAll(css)];
    return images.length > 0 && images.every((image) => image instanceof HTMLImageElement && image.naturalWidth > 0);
  }, selector);
}

test("the start page says what is running", async () => {
  /** @type {Status} */
  const status = await get("/status.json");
  await visit("/", {}, async (page) => {
    await page.getByText(status.ready ? "Ready" : "Starting", { exact: true }).waitFor();
    assert.equal(await page.locator("#mode").textContent(), status.mode);
    assert.equal(await page.locator("#version").textContent(), status.version);
    assert.equal(await page.locator("#chain-count").textContent(), status.chains.toLocaleString("en"));
    assert.equal(await page.locator("#token-count").textContent(), status.tokens.toLocaleString("en"));
    assert.match((await page.locator("#uptime").textContent()) ?? "", /^\d+ (d|h|min|s)/);
  });
});

test("only a sandbox warns against real keys", async () => {
  /** @type {Status} */
  const status = await get("/status.json");
  for (const mode of ["sandbox", "production"]) {
    await visit(
      "/",
      {},
      async (page) => {
        await page.getByText(mode, { exact: true }).waitFor();
        assert.equal(await page.getByText("Never sign here with a real key").isVisible(), mode === "sandbox");
      },
      (page) => page.route("**/status.json", (route) => route.fulfill({ json: { ...status, mode } })),
    );
  }
});

test("every chain is shown with its icon", async () => {
  /** @type {Chain[]} */
  const chains = await get("/v1/chains");
  await visit("/", {}, async (page) => {
    await page.locator("#chain-list li").first().waitFor();
    const names = await page.locator("#chain-list strong").allTextContents();
    assert.deepEqual(
      names,
      chains.map((chain) => chain.name),
    );
    await drawn(page, "#chain-list img");
  });
});

test("a sentence typed into the box is understood, and a result becomes the payment code", async () => {
  await visit("/", {}, async (page) => {
    await drawn(page, "#qr-image");
    await search(page);
    const row = page.locator("#understood li").first();
    assert.match((await row.textContent()) ?? "", /100 USDC on Base/);
    await row.getByRole("button").click();
    assert.equal(await page.getByLabel("Amount").inputValue(), "100");
    assert.match((await page.locator("#qr-image").getAttribute("src")) ?? "", /amount=100&.*caip2=eip155:8453&/);
    await drawn(page, "#qr-image");
  });
});

test("an amount that cannot be paid is explained in the service's words", async () => {
  await visit("/", {}, async (page) => {
    // The refusal shows up in the console as a failed load, which is the point here; a stub keeps the visit clean.
    const refusal = { body: "amount must be a decimal number", contentType: "text/plain" };
    await page.route(/amount=1e18/, (route) => route.fulfill(refusal));
    await page.getByLabel("Amount").fill("1e18");
    await page.getByText("amount must be a decimal number").waitFor();
  });
});

test("a search with no result says so", async () => {
  await visit("/", {}, async (page) => {
    const nothing = { json: { data: [], parsed: "", nextSlots: [] } };
    await page.route("**/v1/tokens/{autocomplete/,search?q=}zz*", (route) => route.fulfill(nothing));
    await page.getByLabel("Find a token").fill("zz");
    await page.getByText("Nothing in the catalog matches that.").waitFor();
  });
});

test("without JavaScript the text, the links and the QR example are there", async () => {
  await visit("/", { javaScriptEnabled: false }, async (page) => {
    for (const path of ["/docs", "/openapi.json", "/v1/chains", "/healthz", "/readyz", "/metrics"]) {
      assert.ok(await page.locator(`main a[href="${path}"]`).first().isVisible(), path);
    }
    assert.ok(await page.getByText("moves value across chains").isVisible());
    assert.equal((await fetch(BASE + (await page.locator("#qr-image").getAttribute("src")))).status, 200);
  });
});

test("every place that the page leads to answers", async () => {
  await visit("/", {}, async (page) => {
    const links = await page.locator('a[href^="/"]').evaluateAll((nodes) => nodes.map((node) => node.getAttribute("href") ?? ""));
    for (const href of new Set(links)) assert.equal((await fetch(BASE + href)).status, 200, href);
  });
});

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  test(`axe finds nothing on the start page (${colorScheme})`, async () => {
    await visit("/", { colorScheme }, async (page) => {
      await search(page);
      await assertAccessible(page);
    });
  });
}

test("the start page fits a phone", async () => {
  await visit("/", PHONE, async (page) => {
    await search(page);
    await assertFits(page);
    await assertAccessible(page);
  });
});
