// @ts-check

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible, assertFits, BASE, PHONE, visit } from "./browser.js";
import { transferOrder } from "../calls.js";

const TOKEN = process.env.CAUSEWAY_OPERATOR_TOKEN ?? "";

/** @param {import("playwright-core").Page} page */
async function open(page) {
  await page.getByLabel("Operator token").fill(TOKEN);
  await page.getByRole("button", { name: "Open" }).click();
  await page.locator("#glance-state").waitFor({ timeout: 60_000 });
}

test("the operator's page is behind the token", async () => {
  assert.equal((await fetch(`${BASE}/operator`, { headers: { accept: "application/json" } })).status, 401);
  assert.equal((await fetch(`${BASE}/operator/overview`, { headers: { accept: "text/html" } })).status, 401);
  await visit(
    "/operator",
    {},
    async (page) => {
      await page.getByLabel("Operator token").fill("wrong");
      await page.getByRole("button", { name: "Open" }).click();
      await page.getByRole("alert").waitFor();
      await assertAccessible(page);
    },
    // A real answer 401 would be a complaint in the console, so it is made up inside the page.
    (page) =>
      page.addInitScript(() => {
        const real = globalThis.fetch;
        const refused = () => Promise.resolve(new Response('{"message":"The token is wrong."}', { status: 401 }));
        globalThis.fetch = (input, init) => (String(input).endsWith("/operator") ? refused() : real(input, init));
      }),
  );
});

test("an operator sees the orders, pauses a chain with a reason and resumes it", async () => {
  const { orderId } = await transferOrder("33000000");
  await visit("/operator", { reducedMotion: "reduce" }, async (page) => {
    await open(page);
    await page.locator(`a[href="/order/${orderId}"]`).waitFor({ timeout: 60_000 });
    const section = (/** @type {string} */ id) => page.locator("section", { has: page.locator(id) });
    await section("#fillers").getByRole("rowheader", { name: /north/ }).waitFor();
    await section("#chains").getByText(/^\d of \d endpoints serve$/).first().waitFor();
    await section("#inventory").locator("summary").first().click();
    await section("#inventory").getByRole("rowheader", { name: "Base", exact: true }).first().waitFor();
    await section("#attesters").getByText("They run inside this service.").waitFor();
    await section("#breakers").getByText("None is open.").waitFor();
    await section("#onramps").getByText(/answers, /).first().waitFor();
    for (const chart of ["Volume", "Orders", "Refunds"]) {
      await section("#day").getByRole("img", { name: new RegExp(`^${chart}: `) }).waitFor();
    }
    const filled = await (await fetch(`${BASE}/explorer/figures?hours=24`)).json();
    if (filled.filled > 0) await section("#results").getByRole("columnheader", { name: "Result" }).waitFor();
    await page.locator("section", { has: page.locator("#prices") }).getByText("USDC", { exact: true }).waitFor();
    await assertAccessible(page);
    await page.getByLabel("Pause", { exact: true }).selectOption({ label: "Katana" });
    await page.getByLabel("Reason").fill("a test of the page");
    await page.locator(".pause-form button").click();
    await page.getByText("Pause chain Katana: done.").waitFor({ timeout: 60_000 });
    const pauses = page.locator("section", { has: page.locator("#pauses") });
    await pauses.getByText("a test of the page").waitFor();
    await pauses.getByRole("button", { name: "Resume" }).click();
    await pauses.getByText("Nothing is paused.").waitFor({ timeout: 60_000 });
    await page.getByLabel("Pause", { exact: true }).selectOption({ label: "KAT on Katana" });
    await page.getByLabel("Reason").fill("a token");
    await page.locator(".pause-form button").click();
    await pauses.getByText("token KAT on Katana: a token").waitFor({ timeout: 60_000 });
    await pauses.getByRole("button", { name: "Resume" }).click();
    await pauses.getByText("Nothing is paused.").waitFor({ timeout: 60_000 });
    await section("#audit").getByText(/"reason":"a test of the page"/).first().waitFor();
    await page.getByLabel("To", { exact: true }).selectOption({ label: "To Katana" });
    await page.locator(`a[href="/order/${orderId}"]`).waitFor({ state: "detached", timeout: 60_000 });
    await page.getByLabel("To", { exact: true }).selectOption({ label: "To any chain" });
    await page.locator(`a[href="/order/${orderId}"]`).waitFor({ timeout: 60_000 });
    await page.getByLabel("Order, address or transaction").fill(orderId);
    await page.getByRole("button", { name: "Look up" }).click();
    const history = page.locator('section[aria-labelledby="history"]');
    await history.getByText("What moves it:").waitFor({ timeout: 60_000 });
    await history.getByText("33 USDC").waitFor();
    await assertAccessible(page);
    await history.getByRole("button", { name: "Close" }).click();
    await history.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Filled", exact: true }).click();
    await page.locator(`a[href="/order/${orderId}"]`).waitFor({ state: "detached", timeout: 60_000 });
  });
  await visit("/operator", { ...PHONE, reducedMotion: "reduce", colorScheme: "dark" }, async (page) => {
    await open(page);
    await assertFits(page);
    await assertAccessible(page);
  });
});
