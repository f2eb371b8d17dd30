// The pages of the examples in a browser, with a wallet injected, on the real service: swaps, and purchases by card.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { picture, visit } from '../example-page.js';
import { usdcOf } from '../sandbox.js';

/** Clicks, and returns the popup's card form. */
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
  it('swaps with the wallet of the browser, and tells it of the chain', () => visit('html', async (tab, account, { asked }) => {
    await tab.click('#swap');
    await tab.getByText('The order is filled.').waitFor();
    await tab.getByText(/^Delivered by 0x/).waitFor();
    assert.equal(await usdcOf(account.address), 75_000_000n);
    assert.ok(asked.includes('wallet_addEthereumChain'));
    await picture(tab, 'swap');
  }));

  it('sells for a card', () => visit('html', async (tab, account) => {
    const { popup, form } = await buy(tab);
    await picture(popup, 'checkout');
    await pay(form, '4242 4242 4242 4242');
    await tab.getByText(/^The purchase is completed\. 0x[0-9a-f]{64}$/).waitFor();
    const told = await tab.locator('#buy-log li').allTextContents();
    assert.equal(told[0], 'widget_ready');
    assert.ok(await usdcOf(account.address) > 100_000_000n);
    await picture(tab, 'bought');
  }));

  it('tells when the payer leaves', () => visit('html', async (tab, account) => {
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
  await picture(tab, 'react');
  assert.equal(await usdcOf(account.address), 75_000_000n);
}));
