// Transfers to addresses of a liquidity provider: of Bitcoin, of Tron, and of an EVM chain.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { browser, providers, trusting, wallets } from './providers.js';
import { passes } from '../../../tests/passes.js';

const { assertAccessible, assertFits, choose, delivered, heard, ready } = browser;
const { balanceOf, give, newAddress, USDC } = wallets;
const ARBITRUM_USDC = '0xaf88d065e77c8cC2239327C5EDb3A432268e5831';
const REFUND_TO = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
const REFUND_TO_ON_TRON = 'TMuA6YqfCeX8EhbfYEg5y7S4DqzSJireY9';
const HELD_BY_1CLICK = /Held meanwhile by: the agent of 1Click/;

/** Asks for a deposit address of 1Click. */
async function prepareTransfer(page, symbol, chain, amount, receiver, refund) {
  await ready(page);
  await page.getByRole('button', { name: 'Transfer', exact: true }).click();
  await choose(page, 'from', symbol, chain);
  await choose(page, 'to', 'USDC', 'Arbitrum One');
  await page.locator('#amount-from').fill(amount);
  await page.locator('#recipient').fill(receiver);
  await page.locator('#refund').fill(refund);
  await page.getByRole('button', { name: 'Get the deposit address' }).click();
  await page.locator('.qr img').waitFor();
  return (await page.locator('.copy-row .mono').textContent()).trim();
}

describe('a transfer to an address of a provider', () => {
  test('of Bitcoin by QR code says who holds the money, and is delivered on an EVM chain; a reload shows it again', async () => {
    const receiver = newAddress();
    await trusting(async (page) => {
      const address = await prepareTransfer(page, 'BTC', 'Bitcoin', '0.00025', receiver, REFUND_TO);
      assert.match(address, /^bc1q/);
      await page.getByText(HELD_BY_1CLICK).waitFor();
      await page.getByText('0.00025 BTC', { exact: true }).waitFor();
      await page.getByText(/The address is oneclick's word/).waitFor();
      const source = new URL(await page.locator('.qr img').getAttribute('src'));
      assert.deepEqual(['recipient', 'amount'].map((name) => source.searchParams.get(name)), [address, '0.00025']);
      await passes(async () => assert.ok(await page.locator('.qr img').evaluate((image) => image.complete && image.naturalWidth > 0)));
      assert.equal(await page.getByRole('link', { name: 'Open in wallet' }).getAttribute('href'), `bitcoin:${address}?amount=0.00025`);
      await assertAccessible(page);
      await page.setViewportSize({ width: 320, height: 800 });
      await assertFits(page);
      await page.reload();
      await page.locator('.copy-row', { hasText: address }).waitFor();
      await providers.pay(address, 24_999);
      await page.getByText(/only 24999 of 25000/).waitFor();
      await providers.pay(address, 1);
      await delivered(page);
      await passes(async () => assert.deepEqual((await heard(page)).at(-1)[0], 'success'));
    });
    assert.equal(await balanceOf(42161, ARBITRUM_USDC, receiver), 24_975_000n);
  });

  test('of Bitcoin that is not delivered is refunded by the word of the provider, which is said', async () => {
    await providers.misbehave('oneclick', 'refunds');
    await trusting(async (page) => {
      const address = await prepareTransfer(page, 'BTC', 'Bitcoin', '0.0003', newAddress(), REFUND_TO);
      await providers.pay(address, 30_000);
      await page.locator('.hero', { hasText: 'Refunded' }).waitFor({ timeout: 90_000 });
      await page.getByText(/says that it has returned/).waitFor();
      await passes(async () => assert.equal(await page.getByText(/Your deposit is back/).count(), 0));
      const { orderId } = (await heard(page)).at(-1)[1];
      await page.goto(`${new URL(page.url()).origin}/?causeway-order=${orderId}`);
      await page.getByText(/says that it has returned/).waitFor();
      await assertAccessible(page);
    }).finally(() => providers.misbehave('oneclick', 'none'));
  });

  test('of USDT on Tron has a QR code of its address alone', async () => {
    const receiver = newAddress();
    await trusting(async (page) => {
      const address = await prepareTransfer(page, 'USDT', 'Tron', '25', receiver, REFUND_TO_ON_TRON);
      assert.match(address, /^T/);
      assert.equal(new URL(await page.locator('.qr img').getAttribute('src')).searchParams.get('recipient'), address);
      await passes(async () => assert.equal(await page.getByRole('link', { name: 'Open in wallet' }).count(), 0));
      await providers.pay(address, 25_000_000);
      await delivered(page);
    });
    assert.equal(await balanceOf(42161, ARBITRUM_USDC, receiver), 24_975_000n);
  });

  test('on an EVM chain is chosen among those to the escrow, and delivered', async () => {
    const receiver = newAddress();
    await trusting(async (page) => {
      await ready(page);
      await page.getByRole('button', { name: 'Transfer', exact: true }).click();
      await choose(page, 'to', 'USDC', 'Arbitrum One');
      await page.locator('#amount-from').fill('31');
      await page.locator('#recipient').fill(receiver);
      await page.locator('#refund').fill(newAddress());
      await page.getByRole('button', { name: /Compare \d+ routes/ }).click();
      await page.getByRole('radio', { name: /Settled by 1Click/ }).click();
      await page.getByRole('button', { name: 'Get the deposit address' }).click();
      await page.locator('.qr img').waitFor();
      await page.getByText(HELD_BY_1CLICK).waitFor();
      await give(8453, (await page.locator('.copy-row .mono').textContent()).trim(), USDC, 31_000_000n);
      await delivered(page);
    });
    assert.equal(await balanceOf(42161, ARBITRUM_USDC, receiver), 30_969_000n);
  });

  test('shows no address any more once the time is over', async () => {
    await trusting(async (page) => {
      await prepareTransfer(page, 'BTC', 'Bitcoin', '0.0004', newAddress(), REFUND_TO);
      await page.clock.install();
      await page.clock.fastForward(3 * 3_600_000);
      await page.getByText('Send nothing any more: what arrives now may be lost.', { exact: false }).waitFor();
      await passes(async () => assert.equal(await page.locator('.copy-row').count(), 0));
    });
  });

  test('to another target than was asked for is refused before it is shown', async () => {
    await trusting(async (page) => {
      await ready(page);
      await page.getByRole('button', { name: 'Transfer', exact: true }).click();
      await choose(page, 'from', 'BTC', 'Bitcoin');
      await page.locator('#amount-from').fill('0.0005');
      await choose(page, 'to', 'USDC', 'Arbitrum One');
      await page.locator('#recipient').fill(newAddress());
      await page.locator('#refund').fill(REFUND_TO);
      await page.getByRole('button', { name: 'Get the deposit address' }).click();
      await page.getByText(/transfer's link is/).waitFor();
      await passes(async () => assert.equal(await page.locator('.qr').count(), 0));
    }, {
      expectErrors: true,
      // The service itself lies: it shows an address of its own.
      prepare: (page) => page.route(`${providers.url}/v1/deposit/build`, async (route) => {
        const response = await route.fetch();
        const built = await response.json();
        const mine = '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa';
        await route.fulfill({ response, json: { ...built, depositAddress: mine, deposit: { ...built.deposit, depositAddress: mine } } });
      }),
    });
  });

  test('asks for addresses of the right network, in the words of the service', async () => {
    await trusting(async (page) => {
      await ready(page);
      await page.getByRole('button', { name: 'Transfer', exact: true }).click();
      await choose(page, 'from', 'BTC', 'Bitcoin');
      await choose(page, 'to', 'USDC', 'Arbitrum One');
      await page.locator('#amount-from').fill('0.0003');
      await page.getByRole('button', { name: 'Enter the recipient' }).waitFor();
      await page.locator('#recipient').fill(newAddress());
      await page.getByRole('button', { name: 'Enter a refund address' }).waitFor();
      const says = (text) => passes(async () => assert.match(await page.locator('#refund-says').textContent(), text));
      await page.locator('#refund').fill('tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx');
      await says(/a Bitcoin test network/);
      await passes(async () => assert.equal(await page.locator('#refund').getAttribute('aria-invalid'), 'true'));
      await page.getByRole('button', { name: 'Enter a refund address' }).waitFor();
      await passes(async () => assert.equal(await page.locator('.notice.bad').count(), 0));
      await assertAccessible(page);
      await page.locator('#refund').fill('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5');
      await says(/checksum of this Bitcoin address/);
      await page.locator('#refund').fill(REFUND_TO);
      await page.getByRole('button', { name: 'Get the deposit address' }).waitFor();
      await choose(page, 'from', 'USDT', 'Tron');
      await page.locator('#amount-from').fill('25');
      await says(/Tron/);
      await page.locator('#refund').fill('41a614f803b6fd780986a42c78ec9c7f77e6ded13c');
      await says(/hex form/);
      await page.locator('#refund').fill(REFUND_TO_ON_TRON);
      await page.getByRole('button', { name: 'Get the deposit address' }).waitFor();
    }, { expectErrors: true });
  });
});
