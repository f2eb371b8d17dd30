import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertAccessible, choose, delivered, heard, HOST, ready, visit } from './browser.js';
import { balanceOf, COIN, eventually, get, newAddress, USDC } from './wallets.js';
import { passes } from '../../../tests/passes.js';

const GOOD = '4242 4242 4242 4242';
const DECLINED = '4000 0000 0000 0002';

async function offers(page, wallet) {
  await ready(page).catch(() => {});
  const tab = page.getByRole('button', { name: 'Buy', exact: true });
  if (await tab.count()) await tab.click();
  await page.locator('#recipient').fill(wallet);
  await chooseCard(page);
}

/** An offer that comes in at that moment may be where the card's was. */
async function chooseCard(page) {
  const card = page.getByRole('radio', { name: /Sandbox Card/ });
  await passes(async () => {
    if (await card.getAttribute('aria-checked') !== 'true') await card.click();
    assert.equal(await card.getAttribute('aria-checked'), 'true');
  });
}

async function pay(wrapper, number) {
  const form = wrapper.frameLocator('#checkout');
  await form.getByLabel('Card number').fill(number);
  await form.getByLabel('Expiry').fill('12/34');
  await form.getByLabel('CVC').fill('123');
  await form.getByRole('button', { name: 'Pay', exact: true }).click();
}

const checkout = async (page) => (await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name: 'Continue to Sandbox Card' }).click()]))[0];

// The provider's page has an origin of its own, so requests to it are expected in popups and frames only.
describe('a purchase in the browser', { concurrency: 2 }, () => {
  test('a declined card is told, and another card buys', async () => {
    const wallet = newAddress();
    await visit('/', async (page) => {
      await ready(page);
      await choose(page, 'to', 'USDC', 'Base');
      await offers(page, wallet);
      await page.getByRole('radio').nth(1).waitFor();
      await assertAccessible(page);
      await pay(await checkout(page), DECLINED);
      await page.locator('.hero.bad').waitFor();
      await assertAccessible(page);
      await page.getByRole('button', { name: 'Try again' }).click();
      await chooseCard(page);
      await pay(await checkout(page), GOOD);
      await delivered(page);
      await assertAccessible(page);
      assert.ok(await balanceOf(8453, USDC, wallet) > 0n);
      await passes(async () => assert.equal((await heard(page)).at(-1)[0], 'success'));
    });
  });

  test('a payment window that is closed is a cancellation and no failure', async () => {
    await visit('/', async (page) => {
      await offers(page, newAddress());
      const popup = await checkout(page);
      await popup.frameLocator('#checkout').getByLabel('Card number').waitFor();
      await popup.close();
      await page.getByText('You left the payment').waitFor();
      await passes(async () => assert.equal((await heard(page)).at(-1)[0], 'cancel'));
    });
  });

  test('a blocked popup is told as such', async () => {
    await visit('/', async (page) => {
      await offers(page, newAddress());
      await page.getByRole('button', { name: 'Continue to Sandbox Card' }).click();
      await page.getByText(/Your browser blocked the payment window/).waitFor();
      await passes(async () => assert.equal((await heard(page)).at(-1)[1].code, 'SVC6006'));
      // The order that the popup was for comes later, and changes nothing.
      await page.locator('.facts .mono').waitFor();
      await passes(async () => assert.ok(await page.getByText(/Your browser blocked the payment window/).isVisible()));
    }, { prepare: (page) => page.addInitScript(() => { window.open = () => null; }) });
  });

  test('a purchase with a jump arrives with the tab closed, and is found again by its address', async () => {
    const wallet = newAddress();
    let address = '';
    await visit('/', async (page) => {
      await offers(page, wallet);
      await page.getByText('Delivered by a swap').waitFor();
      const popup = await checkout(page);
      await pay(popup, GOOD);
      await page.locator('.hero', { hasText: 'on its way' }).waitFor();
      address = page.url();
    });
    assert.match(address, /causeway-purchase=/);
    await eventually(() => balanceOf(42161, COIN, wallet), (has) => has > 0n, 'the delivery');
    await eventually(async () => (await get(`/v1/fiat/orders/by-address/${wallet}`)).data[0].status, (status) => status === 'completed', 'the end of the purchase');
    await visit(address, (page) => delivered(page));
  });

  test('in a frame inside the widget', async () => {
    await visit(`${HOST}/frame`, async (page) => {
      await offers(page, newAddress());
      await page.getByRole('button', { name: 'Continue to Sandbox Card' }).click();
      await pay(page.frameLocator('iframe[title=Checkout]'), GOOD);
      await delivered(page);
    }, { expectErrors: true });
  });
});
