// @ts-check

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { assertAccessible, assertFits, PHONE, visit } from "./browser.js";
import { BASE_USDC, call } from "../calls.js";
import { passes } from "../passes.js";

/** @param {unknown[]} params @param {string} method */
const rpc = async (method, params, chainId = 8453) => (await call(`/sandbox/rpc/${chainId}`, { jsonrpc: "2.0", id: 1, method, params })).result;

test("a transaction is shown with its call, its logs and what moved", async () => {
  const address = `0x${randomBytes(20).toString("hex")}`;
  const { txHash } = await call("/sandbox/faucet", { chainId: 8453, address, token: BASE_USDC, amount: "2500000" });
  let receipt = null;
  for (const end = Date.now() + 60_000; receipt === null && Date.now() < end; ) receipt = await rpc("eth_getTransactionReceipt", [txHash]);
  for (const path of [`/sandbox/tx/8453/${txHash}`, `/sandbox/explorer/8453/tx/${txHash}`]) {
    await visit(path, { reducedMotion: "reduce" }, async (page) => {
      await page.getByText("Success").waitFor({ timeout: 60_000 });
      await passes(async () => assert.match(await page.locator(".moves").innerText(), /2\.5 USDC/));
      await passes(async () => assert.match(await page.locator(".logs").innerText(), /Transfer of USDC/));
      await assertAccessible(page);
    });
  }
  await visit(`/sandbox/address/8453/${address}`, { ...PHONE, reducedMotion: "reduce" }, async (page) => {
    await page.locator(".holdings").getByText("2.5 USDC").waitFor({ timeout: 60_000 });
    await page.locator(`a[href="/sandbox/tx/8453/${txHash}"]`).first().waitFor();
    await assertFits(page);
    await assertAccessible(page);
  });
  await visit(`/sandbox/block/8453/${Number(receipt.blockNumber)}`, { ...PHONE, reducedMotion: "reduce" }, async (page) => {
    await page.locator(`a[href="/sandbox/tx/8453/${txHash}"]`).waitFor({ timeout: 60_000 });
    await assertFits(page);
    await assertAccessible(page);
  });
});

test("what the chain does not have is told", async () => {
  await visit(`/sandbox/tx/8453/0x${"7".repeat(64)}`, {}, async (page) => {
    await page.getByText("This chain has no transaction").waitFor({ timeout: 60_000 });
  });
  await visit("/sandbox/block/8453/999999999", {}, async (page) => {
    await page.getByText("This chain has no such block").waitFor({ timeout: 60_000 });
  });
});

test("the panel pauses a chain and lets it go on", async () => {
  await visit("/sandbox", { reducedMotion: "reduce" }, async (page) => {
    await page.locator(".chain-table a").first().waitFor({ timeout: 60_000 });
    await assertAccessible(page);
    await page.getByRole("button", { name: "Pause Jovay Mainnet" }).click();
    await page.getByText("Pause Jovay Mainnet: done.").waitFor();
    const row = page.locator("tr", { hasText: "Jovay Mainnet" });
    await row.getByText("paused").waitFor();
    const height = Number(await rpc("eth_blockNumber", [], 5734951));
    await page.getByRole("button", { name: "Make a block on Jovay Mainnet" }).click();
    await page.getByText("Make a block on Jovay Mainnet: done.").waitFor();
    assert.ok(Number(await rpc("eth_blockNumber", [], 5734951)) > height);
    await page.getByRole("button", { name: "Resume Jovay Mainnet" }).click();
    await page.getByText("Resume Jovay Mainnet: done.").waitFor();
    await page.getByRole("button", { name: "Reorganise Jovay Mainnet" }).click();
    await page.getByText("Reorganise Jovay Mainnet: done.").waitFor();
  });
});

test("the switches of a node show how they stand, also after a reload", async () => {
  await visit("/sandbox", { reducedMotion: "reduce" }, async (page) => {
    const row = page.locator("tr", { hasText: "Arcadia" });
    await page.getByRole("button", { name: "Lie about the fees of Arcadia" }).click({ timeout: 60_000 });
    await page.getByText("Lie about the fees of Arcadia: done.").waitFor();
    await row.getByText("lying").waitFor();
    await page.reload();
    await row.getByText("lying").waitFor({ timeout: 60_000 });
    await page.getByRole("button", { name: "End the lies of Arcadia" }).click();
    await row.getByText("lying").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Fail every second call of Arcadia" }).click();
    await row.getByText("failing").waitFor();
    await page.getByRole("button", { name: "Heal the node of Arcadia" }).click();
    await row.getByText("failing").waitFor({ state: "detached" });
  });
});

test("one button makes an order fail, and its page shows the refund from beginning to end", async () => {
  await visit("/sandbox", { reducedMotion: "reduce" }, async (panel) => {
    await panel.getByLabel("Orders to").selectOption({ label: "Avalanche" }, { timeout: 60_000 });
    await panel.getByRole("button", { name: "Make an order fail" }).click();
    const path = await panel.locator(".watched a").getAttribute("href", { timeout: 60_000 });
    await visit(path ?? "", { reducedMotion: "reduce" }, async (page) => {
      await page.getByRole("heading", { name: "Refunded", exact: true }).waitFor({ timeout: 180_000 });
      await passes(async () => assert.match(await page.locator(".hero").innerText(), /lets this filler fail/));
      await page.locator("dl .tx").nth(1).waitFor({ timeout: 60_000 });
      await assertAccessible(page);
    });
    await panel.getByText("Watch a refund: done.").waitFor({ timeout: 60_000 });
    await passes(async () => assert.deepEqual((await call("/sandbox/fillers")).map((/** @type {any} */ one) => one.failing), [[], []]));
  });
});

test("a filler that was switched to fail shows it, also after a reload, until it is healed", async () => {
  const north = async () => (await call("/sandbox/fillers")).find((/** @type {any} */ one) => one.name === "north").failing;
  await visit("/sandbox", { ...PHONE, reducedMotion: "reduce" }, async (page) => {
    await page.getByLabel("Orders to").selectOption({ label: "Berachain" }, { timeout: 60_000 });
    await page.getByRole("button", { name: "Fail north" }).click();
    await page.getByText("fails on Berachain").waitFor();
    assert.deepEqual(await north(), [80094]);
    await page.reload();
    await page.getByText("fails on Berachain").waitFor({ timeout: 60_000 });
    await assertFits(page);
    await assertAccessible(page);
    await page.getByRole("button", { name: "Heal north" }).click();
    await page.getByText("fails on Berachain").waitFor({ state: "detached" });
    assert.deepEqual(await north(), []);
  });
});

test("the faucet of the panel gives what it was asked for", async () => {
  const address = `0x${randomBytes(20).toString("hex")}`;
  await visit("/sandbox", { ...PHONE, reducedMotion: "reduce" }, async (page) => {
    await page.getByLabel("Token").selectOption({ label: "USDC" }, { timeout: 60_000 });
    await page.getByLabel("Amount").fill("12.5");
    await page.getByLabel("Address").fill(address);
    await page.getByRole("button", { name: "Give" }).click();
    await page.getByText("Give 12.5 USDC on Base: done.").waitFor();
    await assertFits(page);
    let held = "";
    for (const end = Date.now() + 60_000; BigInt(held || 0) === 0n && Date.now() < end; ) {
      held = await rpc("eth_call", [{ to: BASE_USDC, data: `0x70a08231${address.slice(2).padStart(64, "0")}` }, "latest"]);
    }
    assert.equal(BigInt(held), 12_500_000n);
  });
});
