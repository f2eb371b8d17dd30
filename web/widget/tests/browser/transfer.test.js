import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertAccessible, delivered, heard, ready, visit } from './browser.js';
import { balanceOf, BASE, COIN, eventually, give, newAddress, USDC } from './wallets.js';
import { passes } from '../../../tests/passes.js';

/** Goes to the deposit address for an amount of USDC on Base. */
async function prepare(page, amount, receiver, refund) {
  await ready(page);
  await page.getByRole('button', { name: 'Transfer', exact: true }).click();
  await page.locator('#amount-from').fill(amount);
  await page.locator('#recipient').fill(receiver);
  await page.locator('#refund').fill(refund);
  await page.getByRole('button', { name: 'Get the deposit address' }).click();
  await page.locator('.qr img').waitFor();
  return (await page.locator('.copy-row .mono').textContent()).trim();
}

describe('a transfer by QR code', { concurrency: 2 }, () => {
  test('of exactly the amount is seen and delivered; the picture is the one of the deposit', async () => {
    const [receiver, refund] = [newAddress(), newAddress()];
    await visit('/', async (page) => {
      const address = await prepare(page, '12.5', receiver, refund);
      const source = await page.locator('.qr img').getAttribute('src');
      assert.ok(source.startsWith(`${BASE}/api/qrcode/transfer?`) && source.includes(address), source);
      await passes(async () => assert.ok(await page.locator('.qr img').evaluate((image) => image.complete && image.naturalWidth > 0)));
      await assertAccessible(page);
      await give(8453, address, USDC, 12_500_000n);
      await delivered(page);
      assert.ok(await balanceOf(42161, COIN, receiver) > 0n);
      await passes(async () => assert.deepEqual((await heard(page)).at(-1)[0], 'success'));
    });
  });

  test('that is short and then too much is told both times, and the excess comes back', async () => {
    const [receiver, refund] = [newAddress(), newAddress()];
    await visit('/', async (page) => {
      const address = await prepare(page, '30', receiver, refund);
      await give(8453, address, USDC, 10_000_000n);
      await page.getByText('10 USDC arrived. Send 20 USDC more.').waitFor();
      await give(8453, address, USDC, 100_000_000n);
      await page.getByText(/The excess of 80 USDC goes to your refund address/).waitFor();
      await delivered(page);
      await eventually(() => balanceOf(8453, USDC, refund), (has) => has === 80_000_000n, 'the return of the excess');
    });
  });

  test('shows its address again after a reload and on another device', async () => {
    const receiver = newAddress();
    let [url, address] = ['', ''];
    await visit('/', async (page) => {
      address = await prepare(page, '14', receiver, newAddress());
      await page.reload();
      await page.locator('.copy-row', { hasText: address }).waitFor();
      url = page.url();
    });
    await visit(url, async (page) => {
      await page.locator('.copy-row', { hasText: address }).waitFor();
      await page.getByText('14 USDC', { exact: true }).waitFor();
      await give(8453, address, USDC, 14_000_000n);
      await delivered(page);
    });
  });

  test('that is late is told before anybody sends', async () => {
    await visit('/', async (page) => {
      await prepare(page, '20', newAddress(), newAddress());
      await page.clock.install();
      await page.clock.fastForward(3_600_000);
      await page.getByText(/The time is over/).waitFor();
    });
  });
});
