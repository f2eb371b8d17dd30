// @ts-check

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible, assertFits, BASE, PHONE, visit } from "./browser.js";
import { passes } from "../passes.js";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("../../types/openapi.d.ts").OpenApi} OpenApi */

/** @type {OpenApi} */
const DOCUMENT = await (await fetch(`${BASE}/openapi.json`)).json();
const METHODS = ["get", "post", "put", "patch", "delete"];
const OPERATIONS = Object.entries(DOCUMENT.paths).flatMap(([path, item]) =>
  Object.keys(item)
    .filter((method) => METHODS.includes(method))
    .map((method) => `${method} ${path}`),
);

/**
 * @param {Page} page
 * @param {string} name
 */
const operation = (page, name) => page.locator(`article[data-operation="${name}"]`);

/** @param {import("playwright-core").Locator} articles */
const names = (articles) => articles.evaluateAll((nodes) => nodes.map((node) => node.getAttribute("data-operation")));

/**
 * Opens the panel of an operation and sends its request.
 *
 * @param {Page} page
 * @param {string} name
 */
async function send(page, name) {
  const panel = operation(page, name).locator("details.try");
  await panel.locator("summary").click();
  await panel.getByRole("button", { name: "Send" }).click();
  return panel;
}

test("the reference shows every operation of the document, in the navigation and on the page", async () => {
  await visit("/docs/reference", {}, async (page) => {
    await page.locator("article.op").first().waitFor();
    await passes(async () => assert.deepEqual((await names(page.locator("article.op"))).toSorted(), OPERATIONS.toSorted()));
    await passes(async () => assert.equal(await page.locator("#nav-list li").count(), OPERATIONS.length));
    assert.ok(OPERATIONS.length > 5);
  });
});

test("Try it on GET /v1/chains shows status, request id, time and body", async () => {
  await visit("/docs/reference", {}, async (page) => {
    const panel = await send(page, "get /v1/chains");
    await panel.getByText("200 OK").waitFor();
    await panel.getByText(/\d+ ms · /).waitFor();
    await passes(async () => assert.match((await panel.locator(".headers").textContent()) ?? "", /x-request-id\S+/));
    await passes(async () => assert.match((await panel.locator("pre").textContent()) ?? "", /"name": "Base"/));
  });
});

test("Try it shows an image as an image", async () => {
  await visit("/docs/reference", {}, async (page) => {
    const panel = await send(page, "get /v1/chain/{chainId}/icon");
    await panel.getByText("200 OK").waitFor();
    const width = await panel.locator("img").evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth);
    assert.ok(Number(width) > 0);
  });
});

test("the curl command follows the input", async () => {
  await visit("/docs/reference", {}, async (page) => {
    const article = operation(page, "get /v1/tokens/search");
    await article.locator("details.try summary").click();
    await article.getByLabel(/^q\b/).fill("it's");
    await passes(async () => assert.equal(await article.locator(".code code").first().textContent(), `curl '${BASE}/v1/tokens/search?q=it'\\''s'`));
  });
});

test("an example is shown in the language that the reader chose, everywhere and after a reload", async () => {
  await visit("/docs/reference", {}, async (page) => {
    const shown = (/** @type {string} */ name) => operation(page, name).locator(".code code").first();
    await operation(page, "get /v1/chains").getByRole("button", { name: "Python" }).click();
    await passes(async () => assert.match((await shown("get /v1/chains").textContent()) ?? "", /^import json\nfrom urllib\.request import Request, urlopen/));
    await passes(async () => assert.match((await shown("post /v1/quotes").textContent()) ?? "", /json\.dumps\(body\)/));
    await operation(page, "post /v1/quotes").getByRole("button", { name: "TypeScript" }).click();
    await passes(async () => assert.match((await shown("post /v1/quotes").textContent()) ?? "", /await getQuote\(client, \{/));
    await page.reload();
    await operation(page, "post /v1/quotes").waitFor();
    await passes(async () => assert.match((await shown("post /v1/quotes").textContent()) ?? "", /@causeway\/sdk/));
    await operation(page, "post /v1/quotes").getByRole("button", { name: "Rust" }).click();
    await passes(async () => assert.match((await shown("post /v1/quotes").textContent()) ?? "", /causeway_client/));
  });
});

test("a quote feeds build, submit and track, until the order is filled", async () => {
  await visit("/docs/reference", {}, async (page) => {
    const send = (/** @type {number} */ number) => page.locator(".walk-step").nth(number).getByRole("button", { name: "Send" }).click();
    // The account of the sandbox's wallet is in place as soon as that is loaded.
    await page.waitForFunction(() => !document.querySelector(".walk code")?.textContent?.includes("0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65"));
    await send(0);
    await page.getByText("The best offer is in the second call.").waitFor({ timeout: 60_000 });
    await send(1);
    await page.getByText("The answer says what the wallet signs.").waitFor();
    await page.getByRole("button", { name: "Sign and send with the sandbox wallet" }).click();
    await page.getByText("Its hash is in the third call.").waitFor({ timeout: 60_000 });
    await send(2);
    await page.getByText(/^The order is filled, after/).waitFor({ timeout: 120_000 });
    await send(3);
    await page.locator(".walk-step").nth(3).getByText("200 OK").waitFor();
    await passes(async () => assert.match((await page.locator(".walk-step").nth(3).locator(".answer pre").textContent()) ?? "", /"status": "filled"/));
    await assertAccessible(page, ".walk");
  });
});

test("the filter shows only matching operations, and Escape resets it", async () => {
  await visit("/docs/reference", {}, async (page) => {
    await page.locator("#filter-count").getByText(`${OPERATIONS.length} operations`).waitFor({ timeout: 60_000 });
    await page.keyboard.press("/");
    await page.keyboard.type("fillers ICON");
    const visible = page.locator("article.op:visible");
    await passes(async () => assert.deepEqual(await names(visible), ["get /v1/fillers/{name}/icon"]));
    await passes(async () => assert.equal(await page.locator("#nav-list li:visible").count(), 1));
    await passes(async () => assert.equal(await page.getByRole("status").first().textContent(), `1 of ${OPERATIONS.length} operations`));
    await page.keyboard.press("Escape");
    await passes(async () => assert.equal(await visible.count(), OPERATIONS.length));
  });
});

test("a deep link scrolls to its operation", async () => {
  const item = Object.values(DOCUMENT.paths).at(-1);
  const id = (item?.get ?? item?.post ?? item?.put)?.operationId;
  assert.ok(id);
  await visit(`/docs/reference#${id}`, {}, async (page) => {
    const article = page.locator(`[id="${id}"]`);
    await article.waitFor();
    await page.waitForFunction((name) => document.activeElement?.id === name, id);
    const box = await article.boundingBox();
    assert.ok(box && box.y >= 0 && box.y < 900, `at ${box?.y}`);
  });
});

test("everything is reachable by keyboard, the content first", async () => {
  await visit("/docs/reference", {}, async (page) => {
    await page.locator("article.op").first().waitFor();
    await page.keyboard.press("Tab");
    await passes(async () => assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Skip to the content"));
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await passes(async () => assert.ok(await page.evaluate(() => document.activeElement?.closest("main") !== null)));
    const summary = operation(page, "get /v1/chains").locator("details.try summary");
    await summary.focus();
    await page.keyboard.press("Enter");
    await passes(async () => assert.notEqual(await operation(page, "get /v1/chains").locator("details.try").getAttribute("open"), null));
  });
});

test("every error name has its status and its reason", async () => {
  await visit("/docs/reference#errors", {}, async (page) => {
    const row = page.getByRole("row", { name: /^ValidationException/ });
    await row.waitFor();
    await passes(async () => assert.match((await row.textContent()) ?? "", /ValidationException400\S/));
  });
});

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  test(`axe finds nothing in the reference (${colorScheme})`, async () => {
    await visit("/docs/reference", { colorScheme }, async (page) => {
      const panel = await send(page, "get /v1/chains");
      await panel.getByText("200 OK").waitFor();
      await page.locator("details.inner summary").first().click();
      // All operations are drawn alike, and a check of all of them takes minutes: every fourth one and the one that was tried stay.
      await page.evaluate(() => {
        [...document.querySelectorAll("article.op")].filter((op, at) => at % 4 > 0 && !op.textContent?.includes("200 OK")).forEach((op) => op.remove());
      });
      // The themes differ only in colors.
      await assertAccessible(page, "html", colorScheme === "dark" ? ["color-contrast"] : []);
    });
  });
}

test("the reference fits a phone with everything expanded, and its menu opens and closes", async () => {
  await visit("/docs/reference", PHONE, async (page) => {
    await page.locator("#operations:not([aria-busy])").waitFor({ timeout: 60_000 });
    for (let depth = 0; depth < 4; depth += 1) {
      await page.evaluate(() => document.querySelectorAll("details").forEach((block) => (block.open = true)));
      await page.waitForTimeout(50);
    }
    await assertFits(page);
    await passes(async () => assert.equal(await page.locator("#nav-list").isVisible(), false));
    await page.getByRole("button", { name: "Menu" }).click();
    await assertAccessible(page, "#nav");
    await page.locator("#nav-list li a").last().click();
    await passes(async () => assert.equal(await page.locator("#nav-list").isVisible(), false));
  });
});

test("without JavaScript the reference links to the document", async () => {
  await visit("/docs/reference", { javaScriptEnabled: false }, async (page) => {
    await passes(async () => assert.ok(await page.locator('noscript a[href="/openapi.json"]').isVisible()));
  });
});
