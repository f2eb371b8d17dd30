// @ts-check

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible, assertFits, BASE, PHONE, visit } from "./browser.js";
import { passes } from "../passes.js";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("../../types/api.d.ts").Chain} Chain */
/** @typedef {import("../../types/api.d.ts").Status} Status */

/** @param {string} path */
const get = async (path) => (await fetch(BASE + path)).json();

/** A price in the widget of the start page. @param {Page} page */
const priced = (page) => page.locator("#widget").getByRole("radio").first().waitFor({ timeout: 60_000 });

/** The order of the start page's widget has ended well. @param {Page} page */
const delivered = (page) => page.locator("#widget .hero.done").waitFor({ timeout: 120_000 });

test("the start page says what is running", async () => {
  /** @type {Status} */
  const status = await get("/status.json");
  await visit("/", {}, async (page) => {
    await page.getByText(status.ready ? "Ready" : "Starting", { exact: true }).waitFor();
    await passes(async () => assert.equal(await page.locator("#mode").textContent(), status.mode));
    await passes(async () => assert.equal(await page.locator("#version").textContent(), status.version));
    await passes(async () => assert.equal(await page.locator("#chain-count").textContent(), status.chains.toLocaleString("en")));
    await passes(async () => assert.equal(await page.locator("#token-count").textContent(), status.tokens.toLocaleString("en")));
    await passes(async () => assert.match((await page.locator("#uptime").textContent()) ?? "", /^\d+ (d|h|min|s)/));
  });
});

test("two clicks on the start page swap, and the second confirms", async () => {
  await visit("/", {}, async (page) => {
    await page.getByRole("button", { name: "Swap with a sandbox wallet" }).click();
    await page.locator("#widget #confirm").click({ timeout: 60_000 });
    await delivered(page);
    const order = new URL(page.url()).searchParams.get("causeway-order-widget");
    assert.equal((await get(`/v1/orders/by-id/${order}`)).status, "filled");
  });
});

test("choosing a sentence puts that swap to its review", async () => {
  await visit("/", {}, async (page) => {
    await page.getByRole("button", { name: "Swap 0.5 ETH for USDC" }).click();
    const meaning = page.locator("#understood button").filter({ hasText: "USDC on OP Mainnet" });
    await meaning.click();
    await page.locator("#widget #confirm").waitFor({ timeout: 60_000 });
    await passes(async () => {
      const legs = await page.locator("#widget .leg").allInnerTexts();
      assert.match(legs[0] ?? "", /0\.5 ETH\s+on Ethereum/);
      assert.match(legs[1] ?? "", /USDC\s+on OP Mainnet/);
    });
  });
});

test("words without a swap in them are answered by an example", async () => {
  await visit("/", {}, async (page) => {
    await page.getByLabel("Or say what you want").fill("hello");
    await page.getByText("Name an amount and two tokens").waitFor();
  });
});

test("only a sandbox offers its wallet and warns against real keys", async () => {
  for (const mode of ["sandbox", "production"]) {
    await visit(
      "/",
      {},
      async (page) => {
        await priced(page);
        const isSandbox = mode === "sandbox";
        await passes(async () => assert.equal(await page.getByText("Never sign here with a real key").isVisible(), isSandbox));
        await passes(async () => assert.equal(await page.getByRole("button", { name: "Swap with a sandbox wallet" }).isVisible(), isSandbox));
      },
      (page) =>
        page.route(`${BASE}/`, async (route) => {
          const response = await route.fetch();
          await route.fulfill({ response, body: (await response.text()).replace('data-mode="sandbox"', `data-mode="${mode}"`) });
        }),
    );
  }
});

test("the playground's code gives the widget that it shows", async () => {
  await visit("/", {}, async (page) => {
    await page.locator("#preview").scrollIntoViewIfNeeded();
    const preview = page.locator("#preview-widget");
    await preview.getByRole("button", { name: "Transfer" }).waitFor({ timeout: 60_000 });
    await page.getByLabel("Colour").fill("#5b3df5");
    await page.getByLabel("Title").fill("Cross over");
    await page.getByLabel("Language").selectOption("de");
    await page.getByLabel("Offers").selectOption("swap");
    await page.getByLabel("Amount", { exact: true }).fill("7");
    await preview.getByRole("heading", { name: "Cross over" }).waitFor();
    await preview.getByText("Du zahlst").waitFor();
    await passes(async () => assert.equal(await preview.evaluate((widget) => getComputedStyle(widget).getPropertyValue("--causeway-accent")), "#5b3df5"));
    await passes(async () => {
      const code = (await page.locator("#embed-code").textContent()) ?? "";
      for (const text of [`src="${BASE}/widget.js"`, "--causeway-accent: #5b3df5;", 'locale="de"', 'methods="swap"', 'amount="7"', '{"titleSwap":"Cross over"}']) {
        assert.ok(code.includes(text), `${text} in ${code}`);
      }
    });
  });
});

test("every chain is shown with its icon", async () => {
  /** @type {Chain[]} */
  const chains = await get("/v1/chains");
  await visit("/", {}, async (page) => {
    await page.locator("#chain-list strong").first().waitFor();
    await passes(async () => assert.deepEqual(await page.locator("#chain-list strong").allTextContents(), chains.map((chain) => chain.name)));
    await page.locator("#chain-list").scrollIntoViewIfNeeded();
    await page.waitForFunction(() => {
      const images = [...document.querySelectorAll("#chain-list img")];
      return images.some((image) => image instanceof HTMLImageElement && image.naturalWidth > 0);
    });
  });
});

test("without JavaScript the text and the links are there", async () => {
  await visit("/", { javaScriptEnabled: false }, async (page) => {
    for (const path of ["/docs", "/openapi.json", "/v1/chains", "/healthz", "/readyz", "/metrics"]) {
      await passes(async () => assert.ok(await page.locator(`main a[href="${path}"]`).first().isVisible(), path));
    }
    await passes(async () => assert.ok(await page.getByText("moves value across chains").isVisible()));
    await passes(async () => assert.equal(await page.getByRole("button", { name: "Swap with a sandbox wallet" }).isVisible(), false));
  });
});

test("every place that the page leads to answers", async () => {
  await visit("/", {}, async (page) => {
    const links = await page.locator('a[href^="/"]').evaluateAll((nodes) => nodes.map((node) => node.getAttribute("href") ?? ""));
    for (const href of new Set(links)) assert.equal((await fetch(BASE + href, { headers: { accept: "text/html" } })).status, 200, href);
  });
});

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  test(`axe finds nothing on the start page (${colorScheme})`, async () => {
    await visit("/", { colorScheme, reducedMotion: "reduce" }, async (page) => {
      await priced(page);
      await assertAccessible(page);
    });
  });
}

test("the start page fits a phone", async () => {
  await visit("/", { ...PHONE, reducedMotion: "reduce" }, async (page) => {
    await priced(page);
    await assertFits(page);
    await assertAccessible(page);
  });
});
