// The example pages in a browser with an injected wallet, against a real service: swaps and card purchases.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { batchingWallet } from '../batch-wallet.js';
import { screenshot, visit } from '../example-page.js';
import { usdcOf } from '../sandbox.js';

/** Starts a purchase; returns the popup and its card form. */
async function buy(tab) {
  const opened = tab.waitForEvent('popup');
  await tab.click('#buy');
  const popup = await opened;
  const form = popup.frameLocator('iframe');
  await form.getByLabel('Card number').waitFor();
  return { popup, form };
}

async function pay(form, number) {
  await form.getByLabel('Card number').fill(number);
  await form.getByLabel('Expiry').fill('12/30');
  await form.getByLabel('CVC').fill('123');
  await form.getByRole('button', { name: 'Pay' }).click();
}

describe('the HTML example', () => {
  it('swaps with the injected wallet and adds the chain to it', () => visit('html', async (tab, account, { methods }) => {
    await tab.click('#swap');
    await tab.getByText('The order is filled.').waitFor();
    await tab.getByText(/^Delivered by 0x/).waitFor();
    assert.equal(await usdcOf(account.address), 75_000_000n);
    assert.ok(methods.includes('wallet_addEthereumChain'));
    await screenshot(tab, 'swap');
  }));

  it('buys by card', () => visit('html', async (tab, account) => {
    const { popup, form } = await buy(tab);
    await screenshot(popup, 'checkout');
    await pay(form, '4242 4242 4242 4242');
    await tab.getByText(/^The purchase is completed\. 0x[0-9a-f]{64}$/).waitFor();
    const entries = await tab.locator('#buy-log li').allTextContents();
    assert.equal(entries[0], 'widget_ready');
    assert.ok(await usdcOf(account.address) > 100_000_000n);
    await screenshot(tab, 'bought');
  }));

  it('reports a canceled purchase', () => visit('html', async (tab, account) => {
    const { popup } = await buy(tab);
    await popup.close();
    await tab.getByText(/^The purchase is canceled\./).waitFor();
    assert.equal(await usdcOf(account.address), 100_000_000n);
  }));
});

it('the React example connects a wallet and swaps', () => visit('react', async (tab, account) => {
  await tab.getByRole('button', { name: 'Connect a wallet' }).click();
  await tab.getByRole('button', { name: 'Swap' }).click();
  await tab.getByText(/^Delivered by 0x/).waitFor();
  await screenshot(tab, 'react');
  assert.equal(await usdcOf(account.address), 75_000_000n);
}));

it('the React example sends one batch to a wallet that takes batches', () => visit('react', async (tab, account, { methods }) => {
  await tab.getByRole('button', { name: 'Connect a wallet' }).click();
  await tab.getByRole('button', { name: 'Swap' }).click();
  await tab.getByText(/^Delivered by 0x/).waitFor();
  assert.deepEqual(methods.filter((method) => /send/i.test(method)), ['wallet_sendCalls']);
  assert.equal(await usdcOf(account.address), 75_000_000n);
}, batchingWallet));
