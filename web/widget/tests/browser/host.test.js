// What a host decides: options, look, addresses, checkout, React.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { build } from 'esbuild';
import { assertAccessible, assertFits, delivered, heard, HOST, ready, visit } from './browser.js';
import { BASE, newAddress } from './wallets.js';
import { passes } from '../../../tests/passes.js';

const OTHER = BASE.replace('127.0.0.1', 'localhost');

describe('a host', { concurrency: 2 }, () => {
  test('that is written in React gives options as props and hears events', async () => {
    const { outputFiles: [{ text }] } = await build({
      stdin: {
        contents: `
          import { createElement, useState } from 'react';
          import { createRoot } from 'react-dom/client';
          import { CausewayWidget } from './dist/react.mjs';
          window.told = [];
          function Page() {
            const [amount, setAmount] = useState('7');
            window.setAmount = setAmount;
            return createElement(CausewayWidget, { apiEndpoint: ${JSON.stringify(BASE)}, amount, locale: 'de', id: 'swap', onQuote: ({ quoteId }) => window.told.push([amount, quoteId]) });
          }
          const root = createRoot(document.getElementById('app'));
          root.render(createElement(Page));
          window.unmount = () => root.unmount();`,
        resolveDir: new URL('../../', import.meta.url).pathname,
      },
      bundle: true, format: 'esm', write: false, define: { 'process.env.NODE_ENV': '"production"' },
    });
    await visit('/react', async (page) => {
      await page.getByText('Du zahlst').waitFor();
      await passes(async () => assert.equal(await page.locator('#amount-from').inputValue(), '7'));
      await page.waitForFunction(() => window.told.some(([amount]) => amount === '7'));
      await page.evaluate(() => window.setAmount('9'));
      await page.waitForFunction(() => window.told.some(([amount]) => amount === '9'));
      await passes(async () => assert.equal(await page.locator('#amount-from').inputValue(), '9'));
      await page.evaluate(() => window.unmount());
      await passes(async () => assert.equal(await page.locator('causeway-widget').count(), 0));
    }, { prepare: (page) => page.route(`${HOST}/react-app.js`, (route) => route.fulfill({ contentType: 'text/javascript', body: text })) });
  });

  test('that redirects to the checkout gets the payer back to the purchase', async () => {
    await visit('/redirect', async (page) => {
      await page.locator('#recipient').fill(newAddress());
      await page.getByRole('radio', { name: /Sandbox Card/ }).click();
      await page.getByRole('button', { name: 'Continue to Sandbox Card' }).click();
      await page.waitForURL((url) => url.pathname.includes('/sandbox-card/checkout/'));
      await page.getByLabel('Card number').fill('4242 4242 4242 4242');
      await page.getByLabel('Expiry').fill('12/34');
      await page.getByLabel('CVC').fill('123');
      await page.getByRole('button', { name: 'Pay', exact: true }).click();
      await page.getByText(/paid|on its way|delivered/i).first().waitFor();
      await page.goBack();
      await page.waitForURL((url) => url.searchParams.has('causeway-purchase'));
      await delivered(page);
      await passes(async () => assert.equal((await heard(page)).at(-1)[0], 'success'));
    }, { expectErrors: true });
  });

  test('decides slippage, referrer and the address of the fiat API', async () => {
    const asked = [];
    await visit('/referred', async (page) => {
      page.on('request', (request) => request.method() === 'POST' && asked.push([new URL(request.url()), request.postDataJSON()]));
      await ready(page);
      await page.getByRole('radio').first().waitFor();
      await page.getByRole('button', { name: 'Buy', exact: true }).click();
      await page.getByRole('radio', { name: /Sandbox Card/ }).waitFor();
      const [, swap] = asked.find(([{ pathname }]) => pathname === '/v1/quotes');
      assert.deepEqual([swap.slippageTolerance, swap.referrer, swap.referrerFeeBps], [0.003, '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', 20]);
      assert.deepEqual(asked.map(([{ origin, pathname }]) => [pathname.startsWith('/v1/fiat/'), origin]).find(([isFiat]) => isFiat), [true, OTHER]);
    }, { bypassCSP: true, expectErrors: true });
  });

  test('names its QR service, which is asked only for deposits without a picture and gets no headers', async () => {
    const asked = [];
    let hasPicture = true;
    const show = async (page) => {
      await ready(page);
      await page.locator('#amount-from').fill('12.5');
      await page.locator('#recipient').fill(newAddress());
      await page.locator('#refund').fill(newAddress());
      await page.getByRole('button', { name: 'Get the deposit address' }).click();
      await page.locator('.qr img').waitFor();
      return new URL(await page.locator('.qr img').getAttribute('src'));
    };
    const prepare = async (page) => {
      await page.addInitScript(() => document.addEventListener('DOMContentLoaded', () => { document.querySelector('causeway-widget').config = { headers: { authorization: 'Bearer secret' } }; }));
      await page.route(`${BASE}/v1/deposit/build`, async (route) => {
        const response = await route.fetch();
        const answer = await response.json();
        const bare = ({ qrImageUrl, paymentUri, qrPayload, ...rest }) => rest;
        await route.fulfill({ response, json: hasPicture || !answer.deposit ? answer : { ...bare(answer), deposit: bare(answer.deposit) } });
      });
      await page.route('**/codes/**', (route) => {
        asked.push(route.request().headers());
        return route.fulfill({ contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' });
      });
    };
    await visit('/codes', async (page) => assert.equal((await show(page)).origin, BASE), { prepare, bypassCSP: true });
    assert.equal(asked.length, 0);
    hasPicture = false;
    await visit('/codes', async (page) => {
      const { origin, pathname, searchParams } = await show(page);
      assert.deepEqual([origin, pathname], [OTHER, '/codes/transfer']);
      assert.deepEqual(['amount', 'caip2', 'decimals'].map((name) => searchParams.get(name)), ['12.5', 'eip155:8453', '6']);
      await page.waitForFunction(() => document.querySelector('causeway-widget').shadowRoot.querySelector('.qr img').complete);
    }, { prepare, bypassCSP: true, expectErrors: true });
    assert.deepEqual(asked.map((headers) => [headers.authorization, headers['x-svc-sdk-version']]), [[undefined, undefined]]);
  });

  test('sets the layout, the theme, the colours and the words, and opens an order of its own', async () => {
    await visit('/wide', async (page) => {
      await ready(page);
      await page.getByRole('radio').nth(1).waitFor();
      const [form, routes] = await Promise.all([page.locator('.panels').boundingBox(), page.locator('.route-list').boundingBox()]);
      assert.ok(routes.x >= form.x + form.width, 'the routes stand beside the form');
      const look = (part, property) => page.locator(part).first().evaluate((element, name) => getComputedStyle(element)[name], property);
      const isDark = (colour) => colour.match(/\d+/g).slice(0, 3).every((channel) => Number(channel) < 80);
      await passes(async () => assert.ok(isDark(await look('.card', 'backgroundColor')), 'dark on a light system'));
      await passes(async () => assert.equal((await page.locator('h2').boundingBox()).width, 1));
      await assertAccessible(page);
      await page.evaluate(() => {
        const widget = document.querySelector('causeway-widget');
        widget.style.cssText = '--causeway-accent: rgb(91, 61, 245); --causeway-radius: 3px';
        widget.texts = { connect: 'Come in' };
      });
      await page.getByRole('button', { name: 'Come in' }).first().waitFor();
      await page.getByRole('radio').first().waitFor();
      await passes(async () => assert.equal(await look('#go', 'backgroundColor'), 'rgb(91, 61, 245)'));
      await passes(async () => assert.equal(await look('.card', 'borderRadius'), '3px'));
      await page.evaluate(() => document.querySelector('causeway-widget').openOrder('0f8fad5bd9cb469fa16570867728950e'));
      await page.getByText('There is no such order').waitFor();
    }, { viewport: { width: 1280, height: 900 }, colorScheme: 'light', expectErrors: true });
  });

  test('with high contrast has borders where there were only colours', async () => {
    await visit('/', async (page) => {
      await ready(page);
      const widths = await page.evaluate(() => ['.card', '.panel', '.tab', '.token', '.cta'].map((part) => getComputedStyle(document.querySelector('causeway-widget').shadowRoot.querySelector(part)).borderTopWidth));
      assert.deepEqual(widths, ['1px', '1px', '1px', '1px', '1px']);
      await assertFits(page);
    }, { forcedColors: 'active' });
  });
});
