// Every main state of the widget looks as in its committed pictures. To change them: npm run pictures
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { connect, delivered, ready, review, visit } from './browser.js';
import { compare } from './pictures.js';
import { BASE, get, injectWallet, newAddress, newPayer } from './wallets.js';
import { passes } from '../../../tests/passes.js';

describe('the look of the widget', () => {
  test('at the start, with routes, in the review, under way and filled', async () => {
    const payer = await newPayer();
    // A chain that does not answer in time would leave its balances out of the picture.
    const balances = await get(`/v1/tokens/balances/${payer.address}?chainIds=8453`);
    let isUnderWay = false;
    const prepare = async (page) => {
      await injectWallet(page, (args) => payer.provider.request(args));
      await page.route(`${BASE}/v1/tokens/balances/**`, (route) => route.fulfill({ json: balances, headers: { 'access-control-allow-origin': '*' } }));
      // The order as it was before its delivery, for as long as that is wanted.
      await page.route(`${BASE}/v1/orders/by-id/*`, async (route) => {
        const response = await route.fetch();
        const order = await response.json();
        const { deposit } = order.transactions ?? {};
        if (isUnderWay) Object.assign(order, { status: 'deposited', stepsCompleted: ['created', 'deposited'], transactions: { deposit }, failureReason: null });
        await route.fulfill({ response, json: order });
      });
      await page.route(`${BASE}/v1/orders/by-id/*/events`, (route) => route.fulfill({ contentType: 'text/event-stream', body: '' }));
    };
    await visit('/', async (page) => {
      await ready(page);
      await loaded(page);
      await compare(page, 'start');
      await connect(page, 'Harbour');
      await page.locator('#amount-from').fill('25');
      await page.getByRole('button', { name: 'Compare 4 routes' }).click();
      await page.getByRole('radio').nth(1).waitFor();
      await page.getByText('Balance').first().waitFor();
      await compare(page, 'routes');
      await review(page);
      await compare(page, 'review');
      isUnderWay = true;
      await page.locator('#confirm').click();
      await page.locator('li.now', { hasText: 'Delivery under way' }).waitFor();
      await compare(page, 'under-way');
      isUnderWay = false;
      await delivered(page);
      await page.locator('.step-link a').nth(1).waitFor();
      await compare(page, 'filled');
    }, { prepare, bypassCSP: true });
  });

  test('of a purchase', async () => {
    await visit('/', async (page) => {
      await ready(page);
      await page.getByRole('button', { name: 'Buy', exact: true }).click();
      await page.locator('#recipient').fill(newAddress());
      await page.getByRole('radio').nth(1).waitFor();
      await loaded(page);
      await compare(page, 'buy');
    }, { bypassCSP: true });
  });

  test('of a transfer by QR code', async () => {
    await visit('/', async (page) => {
      await ready(page);
      await page.getByRole('button', { name: 'Transfer', exact: true }).click();
      await page.locator('#amount-from').fill('12.5');
      await page.locator('#recipient').fill(newAddress());
      await page.locator('#refund').fill(newAddress());
      await page.getByRole('button', { name: 'Get the deposit address' }).click();
      await page.locator('.qr img').waitFor();
      await compare(page, 'transfer');
      await passes(async () => assert.equal(await page.locator('.pill').count(), 1));
    }, { bypassCSP: true });
  });
});

/** The pictures of tokens and chains are there. */
const loaded = (page) => page.waitForFunction(() => [...document.querySelector('causeway-widget').shadowRoot.querySelectorAll('.logo img')].every((image) => image.classList.contains('on')));
