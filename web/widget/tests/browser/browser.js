import assert from 'node:assert/strict';
import { after } from 'node:test';
import { AxeBuilder } from '@axe-core/playwright';
import { chromium } from 'playwright-core';
import { stage, tag } from './stage.js';
import { BASE } from './wallets.js';

export const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run',
    // Letters are drawn alike on every machine.
    '--font-render-hinting=none', '--disable-lcd-text', '--force-color-profile=srgb'],
});
after(() => browser.close());

const scripts = '<script src="/widget.js"></script>';
const widget = tag({ 'api-endpoint': BASE });
/** Pages of a host on another origin. `/tag` has the service's own script, `/module` the ES module. */
const host = await stage(BASE, {
  '/': `${scripts}${widget}`,
  '/two': `${scripts}${widget}${tag({ 'api-endpoint': BASE, id: 'second', methods: 'buy', theme: 'dark' })}`,
  '/tag': `<script src="${BASE}/widget.js"></script><causeway-widget></causeway-widget>`,
  '/module': `<script type="module" src="/widget.mjs"></script>${widget}`,
  '/arabic': `${scripts}${tag({ 'api-endpoint': BASE, locale: 'ar' })}`,
  '/german': `${scripts}${tag({ 'api-endpoint': BASE, locale: 'de-AT' })}`,
  '/frame': `${scripts}${tag({ 'api-endpoint': BASE, methods: 'buy', checkout: 'frame' })}`,
  '/redirect': `${scripts}${tag({ 'api-endpoint': BASE, methods: 'buy', checkout: 'redirect' })}`,
  '/wide': `${scripts}${tag({ 'api-endpoint': BASE, amount: '25', layout: 'wide', theme: 'dark', 'hide-title': '' })}`,
  '/referred': `${scripts}${tag({ 'api-endpoint': BASE, amount: '25', referrer: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', 'referrer-fee-bps': '20', 'slippage-tolerance': '0.003', 'fiat-api-endpoint': BASE.replace('127.0.0.1', 'localhost') })}`,
  '/codes': `${scripts}${tag({ 'api-endpoint': BASE, methods: 'transfer', 'embed-url': `${BASE.replace('127.0.0.1', 'localhost')}/widgets/1`, 'qr-code-api-url': '/codes' })}`,
  '/react': '<div id="app"></div><script type="module" src="/react-app.js"></script>',
  '/tokens': `${scripts}${tag({ 'api-endpoint': BASE, amount: '1.5', 'from-token': '{"chainId":42161,"address":"0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', 'to-token': 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:11111111111111111111111111111111', 'hide-title': '' })}`,
});
after(() => host.close());
export const HOST = host.url;

/**
 * Opens a page of the host, runs `use` on it, and demands what must be true of every visit: no error in the console (a breach of the
 * content security policy is one), and no request to anybody but the host and the service.
 */
export async function visit(path, use, { prepare, expectErrors = false, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 420, height: 900 }, reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(60_000);
  const complaints = [];
  const watch = (page) => {
    page.on('console', (message) => message.type() === 'error' && complaints.push(`console: ${message.text()}`));
    page.on('pageerror', (error) => complaints.push(`page: ${error.message}`));
    page.on('request', (request) => {
      const url = request.url();
      if (![`${HOST}/`, `${BASE}/`, 'data:'].some((start) => url.startsWith(start))) complaints.push(`request to ${url}`);
    });
  };
  try {
    const page = await context.newPage();
    watch(page);
    await page.addInitScript(() => {
      window.heard = [];
      for (const name of ['quote', 'wallet-connected', 'deposit-submitted', 'status', 'success', 'error', 'cancel']) {
        document.addEventListener(name, (event) => event.detail && window.heard.push([name, event.detail]));
      }
    });
    await prepare?.(page);
    await page.goto(path.startsWith('http') ? path : `${HOST}${path}`);
    await use(page, context);
    if (!expectErrors) assert.deepEqual(complaints, []);
  } finally {
    await context.close();
  }
}

/** The names of the events that the host has heard, without quotes. */
export const heard = async (page) => (await page.evaluate(() => window.heard)).filter(([name]) => name !== 'quote');

export async function assertAccessible(page) {
  const { violations } = await new AxeBuilder({ page }).analyze();
  assert.deepEqual(violations.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.html} ${node.failureSummary}`)), []);
}

export async function assertFits(page) {
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(content <= window, `${content} px of content in ${window} px`);
}

export const ready = (page) => page.locator('#token-from .token-names').first().waitFor();

/** Chooses a token by its symbol and chain. */
export async function choose(page, side, symbol, chain) {
  await page.locator(`#token-${side}`).click();
  await page.getByRole('group', { name: 'Network' }).getByRole('button', { name: chain, exact: true }).click();
  await page.getByRole('searchbox').fill(symbol);
  await page.locator('.item', { hasText: chain }).filter({ has: page.locator('strong', { hasText: new RegExp(`^${symbol}\\s*$`) }) }).first().click();
}

export async function connect(page, name, family = 'EVM') {
  await page.locator('#open-wallets').click();
  await page.getByRole('button', { name: family, exact: true }).click();
  await page.locator('.wallet-list').getByRole('button', { name }).click();
  await page.locator('#amount-from').waitFor();
}

export async function review(page) {
  await page.getByRole('button', { name: 'Review swap' }).click();
  await page.locator('#confirm').waitFor();
}

export const delivered = (page) => page.locator('.hero.done').waitFor({ timeout: 90_000 });
