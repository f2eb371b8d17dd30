// @ts-check

import assert from "node:assert/strict";
import { after } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { chromium } from "playwright-core";
import { BASE } from "../calls.js";

/** @typedef {import("playwright-core").Page} Page */

export { BASE };

/** A host name that is not loopback but resolves to this machine, for pages of another site. */
export const FOREIGN_HOST = "dapp.example";

export const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    `--host-resolver-rules=MAP ${FOREIGN_HOST} 127.0.0.1`,
  ],
});
after(() => browser.close());

/**
 * Opens a page of the service and runs `use` on it. Fails on any console error, including violations of the content
 * security policy, and on any request to another origin.
 *
 * @param {string} path
 * @param {import("playwright-core").BrowserContextOptions} options
 * @param {(page: Page) => Promise<void>} use
 * @param {(page: Page) => Promise<unknown>} [prepare] runs before the page is opened
 */
export async function visit(path, options, use, prepare) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(60_000);
  /** @type {string[]} */
  const complaints = [];
  try {
    const page = await context.newPage();
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(`console: ${message.text()}`);
    });
    page.on("pageerror", (error) => complaints.push(`page: ${error.message}`));
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(`${BASE}/`) && !url.startsWith("data:")) complaints.push(`request to ${url}`);
    });
    await prepare?.(page);
    await page.goto(`${BASE}${path}`);
    await use(page);
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
  }
}

/**
 * Fails with the rule and the element of each violation that axe finds.
 *
 * @param {Page} page
 * @param {string} [within] a selector; the whole page by default
 * @param {string[]} [rules] only these rules; all by default
 */
export async function assertAccessible(page, within = "html", rules = []) {
  const axe = new AxeBuilder({ page }).include(within);
  const { violations } = await (rules.length > 0 ? axe.withRules(rules) : axe).analyze();
  const found = violations.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.html} ${node.failureSummary}`));
  assert.deepEqual(found, []);
}

/**
 * Fails when the page is wider than its window.
 *
 * @param {Page} page
 */
export async function assertFits(page) {
  // `innerWidth` of a phone grows with content that is too wide.
  const [content, window] = [await page.evaluate(() => document.documentElement.scrollWidth), page.viewportSize()?.width ?? 0];
  assert.ok(content <= window, `${content} px of content in ${window} px`);
}

/** A small phone. */
export const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
