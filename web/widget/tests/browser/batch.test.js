import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newBatchingPayer } from './batch-wallet.js';
import { connect, delivered, heard, ready, review, visit } from './browser.js';
import { balanceOf, eventually, get, injectWallet, newPayer, USDC } from './wallets.js';
import { passes } from '../../../tests/passes.js';

const signing = (asked) => asked.filter((method) => /send(Transaction|Calls)|sign/i.test(method));

/** Fills the form and confirms. */
async function swap(page, amount) {
  await ready(page);
  await connect(page, 'Harbour');
  await page.locator('#amount-from').fill(amount);
  await review(page);
  await page.locator('#confirm').click();
}

describe('a wallet that takes atomic batches', { concurrency: 2 }, () => {
  test('is asked once for approval and deposit, after the review', async () => {
    const payer = await newBatchingPayer();
    await visit('/', async (page) => {
      await ready(page);
      await connect(page, 'Harbour');
      await page.locator('#amount-from').fill('22');
      await review(page);
      await passes(async () => assert.equal(await page.locator('.sentences li').count() >= 2, true, 'approval and deposit are told'));
      assert.deepEqual(signing(payer.asked), []);
      await page.locator('#confirm').click();
      await delivered(page);
      assert.deepEqual(signing(payer.asked), ['wallet_sendCalls']);
      const events = await heard(page);
      const { orderId, txHash } = events.find(([name]) => name === 'deposit-submitted')[1];
      assert.equal(txHash, payer.batches.get('batch-0'));
      assert.equal((await get(`/v1/orders/by-id/${orderId}`)).transactions.deposit.txHash, txHash);
      await eventually(() => balanceOf(8453, USDC, payer.address), (has) => has === 978_000_000n, 'the deposit');
    }, { prepare: (page) => injectWallet(page, payer.request) });
  });

  test('whose person does not want the account upgraded is asked for single transactions', async () => {
    const payer = await newPayer();
    const asked = [];
    const request = (args) => {
      asked.push(args.method);
      if (args.method === 'wallet_getCapabilities') return { '0x2105': { atomic: { status: 'ready' } } };
      if (args.method === 'wallet_sendCalls') throw Object.assign(new Error('The upgrade was rejected.'), { code: 5750 });
      return payer.provider.request(args);
    };
    await visit('/', async (page) => {
      await swap(page, '23');
      await delivered(page);
      assert.deepEqual(signing(asked), ['wallet_sendCalls', 'eth_sendTransaction', 'eth_sendTransaction']);
    }, { prepare: (page) => injectWallet(page, request) });
  });

  test('whose person declines is asked for nothing more', async () => {
    const payer = await newBatchingPayer();
    const request = (args) => {
      if (args.method !== 'wallet_sendCalls') return payer.request(args);
      payer.asked.push(args.method);
      throw Object.assign(new Error('User rejected the request.'), { code: 4001 });
    };
    await visit('/', async (page) => {
      await swap(page, '24');
      await page.getByText('You declined in your wallet. Nothing was sent.').waitFor();
      assert.deepEqual(signing(payer.asked), ['wallet_sendCalls']);
      await passes(async () => assert.deepEqual((await heard(page)).map(([name]) => name).slice(-2), ['cancel', 'error']));
    }, { prepare: (page) => injectWallet(page, request) });
  });

  test('tells at the next visit what became of a batch, and the order is shown', async () => {
    const payer = await newBatchingPayer();
    let isSilent = true;
    const request = (args) => (isSilent && args.method === 'wallet_getCallsStatus' ? { status: 100 } : payer.request(args));
    await visit('/', async (page) => {
      await swap(page, '26');
      await page.getByText('Sending your deposit…').waitFor();
      await passes(async () => assert.match(await page.evaluate(() => localStorage.getItem('causeway-unsubmitted')), /batch-0/));
      isSilent = false;
      await page.reload();
      await delivered(page);
      await page.getByText('26 USDC').first().waitFor();
      await passes(async () => assert.equal(await page.evaluate(() => localStorage.getItem('causeway-unsubmitted')), null));
      assert.deepEqual(signing(payer.asked), ['wallet_sendCalls']);
    }, { prepare: (page) => injectWallet(page, request) });
  });

  test('that has forgotten a batch is asked no more, and the form is there', async () => {
    const payer = await newBatchingPayer();
    let isReloaded = false;
    const request = (args) => {
      if (args.method !== 'wallet_getCallsStatus') return payer.request(args);
      if (isReloaded) throw Object.assign(new Error('Unknown batch.'), { code: 5730 });
      return { status: 100 };
    };
    await visit('/', async (page) => {
      await swap(page, '27');
      await page.getByText('Sending your deposit…').waitFor();
      isReloaded = true;
      await page.reload();
      await ready(page);
      await page.waitForFunction(() => localStorage.getItem('causeway-unsubmitted') === null);
      await page.locator('#amount-from').waitFor();
      // The service has seen the deposit on the chain.
      const orders = () => get(`/v1/orders/${payer.address}`);
      await eventually(orders, (answer) => JSON.stringify(answer).includes('"filled"'), 'the delivery');
    }, { prepare: (page) => injectWallet(page, request) });
  });
});
