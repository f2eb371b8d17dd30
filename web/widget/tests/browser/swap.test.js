import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertAccessible, choose, connect, delivered, heard, ready, review, visit } from './browser.js';
import { balanceOf, COIN, get, injectSolanaWallet, injectWallet, newAddress, newPayer, newSolanaPayer, SOLANA, SOL, eventually } from './wallets.js';
import { passes } from '../../../tests/passes.js';

describe('a swap in the browser', { concurrency: 2 }, () => {
  test('with the test wallet: approval, deposit, delivery, events of the host, activity, and nothing that axe finds', async () => {
    await visit('/', async (page) => {
      await ready(page);
      await page.locator('#amount-from').fill('25');
      await connect(page, 'Test wallet');
      await page.getByRole('button', { name: 'Review swap' }).waitFor();
      await assertAccessible(page);
      await passes(async () => assert.match(await page.locator('.balance').textContent(), /Balance (\d{1,3}(\.\d+)?[KM]|\d,\d{3}|\d{1,3})(?=\s|Max|$)/));
      await review(page);
      await page.getByText(/Deposit 25 USDC on Base/).waitFor();
      await assertAccessible(page);
      await page.locator('#confirm').click();
      await delivered(page);
      await assertAccessible(page);
      assert.match(page.url(), /causeway-order=[0-9a-f]{32}/);
      const events = await heard(page);
      const names = events.map(([name, { status }]) => status ?? name);
      assert.deepEqual([names[0], names[1], names.at(-2), names.at(-1)], ['wallet-connected', 'deposit-submitted', 'filled', 'success']);
      const { orderId } = events[1][1];
      const order = await get(`/v1/orders/by-id/${orderId}`);
      assert.equal(events.at(-1)[1].txHash, order.transactions.fill.txHash);
      await page.locator('#again').click();
      assert.doesNotMatch(page.url(), /causeway-order/);
      await page.locator('#open-history').click();
      await page.locator('.item').first().waitFor();
      await assertAccessible(page);
    });
  });

  test('from an EVM wallet that announces itself to an address on Solana, exact output', async () => {
    const [payer, receiver] = await Promise.all([newPayer(), newSolanaPayer()]);
    const before = await balanceOf(SOLANA, SOL, receiver.address);
    await visit('/', async (page) => {
      await ready(page);
      await choose(page, 'to', 'SOL', 'Solana');
      await connect(page, 'Harbour');
      await page.locator('#recipient').fill(receiver.address);
      await page.locator('#amount-to').fill('0.25');
      await review(page);
      await page.locator('#confirm').click();
      await delivered(page);
      assert.equal(await balanceOf(SOLANA, SOL, receiver.address), before + 250_000_000n);
    }, { prepare: (page) => injectWallet(page, (args) => payer.provider.request(args)) });
  });

  test('from a Solana wallet by the Wallet Standard to an EVM address', async () => {
    const payer = await newSolanaPayer();
    const receiver = newAddress();
    await visit('/', async (page) => {
      await ready(page);
      await choose(page, 'from', 'SOL', 'Solana');
      await connect(page, 'Lantern', 'Solana');
      await page.locator('#amount-from').fill('0.5');
      await page.locator('#recipient').fill(receiver);
      await review(page);
      await page.locator('#confirm').click();
      await delivered(page);
      await eventually(() => balanceOf(42161, COIN, receiver), (has) => has > 0n, 'the delivery');
    }, { prepare: (page) => injectSolanaWallet(page, payer) });
  });

  test('with a severe warning: nothing can be confirmed before it is ticked', async () => {
    const payer = await newPayer();
    await visit('/', async (page) => {
      await ready(page);
      await choose(page, 'to', 'SOL', 'Solana');
      await connect(page, 'Harbour');
      await page.locator('#recipient').fill('1nc1nerator11111111111111111111111111111111');
      await page.locator('#amount-from').fill('25');
      await review(page);
      const tick = page.getByLabel(/is the incinerator: nobody can move what arrives there/);
      await tick.waitFor();
      await assertAccessible(page);
      await passes(async () => assert.equal(await page.locator('#confirm').isDisabled(), true));
      await tick.check();
      await passes(async () => assert.equal(await page.locator('#confirm').isDisabled(), false));
      await tick.uncheck();
      await passes(async () => assert.equal(await page.locator('#confirm').isDisabled(), true));
      await tick.check();
      await page.locator('#confirm').click();
      await delivered(page);
    }, { prepare: (page) => injectWallet(page, (args) => payer.provider.request(args)) });
  });

  test('by permit: the wallet signs, and the deposit is not its transaction', async () => {
    const payer = await newPayer();
    const asked = [];
    const request = (args) => {
      asked.push(args.method);
      return payer.provider.request(args);
    };
    await visit('/', async (page) => {
      await ready(page);
      await connect(page, 'Harbour');
      await page.locator('#open-settings').click();
      await page.getByLabel('Sign instead of sending').check();
      await assertAccessible(page);
      await page.getByRole('button', { name: 'Back' }).click();
      await page.locator('#amount-from').fill('30');
      await review(page);
      await page.locator('#confirm').click();
      await delivered(page);
      assert.equal(asked.at(-1), 'eth_signTypedData_v4');
      assert.equal(asked.filter((method) => method === 'eth_sendTransaction').length, 1);
    }, { prepare: (page) => injectWallet(page, request) });
  });

  test('a person who declines sends nothing, is told so, and can go on', async () => {
    const payer = await newPayer(8453, COIN);
    const request = (args) => {
      if (args.method === 'eth_sendTransaction') throw Object.assign(new Error('User rejected the request.'), { code: 4001 });
      return payer.provider.request(args);
    };
    await visit('/', async (page) => {
      await ready(page);
      await choose(page, 'from', 'ETH', 'Base');
      await connect(page, 'Harbour');
      await page.locator('#amount-from').fill('0.01');
      await review(page);
      await page.locator('#confirm').click();
      await page.getByText('You declined in your wallet. Nothing was sent.').waitFor();
      await passes(async () => assert.deepEqual((await heard(page)).map(([name]) => name).slice(-2), ['cancel', 'error']));
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('button', { name: 'Review swap' }).waitFor();
    }, { prepare: (page) => injectWallet(page, request) });
  });

  test('a wallet on another network is switched, and told of a network that it does not know', async () => {
    const payer = await newPayer(8453, COIN);
    const added = [];
    const request = (args) => {
      if (args.method === 'wallet_addEthereumChain') return void added.push(args.params[0]);
      if (args.method === 'wallet_switchEthereumChain' && added.length === 0) throw Object.assign(new Error('Unrecognized chain ID.'), { code: 4902 });
      return payer.provider.request(args);
    };
    await visit('/', async (page) => {
      await ready(page);
      await choose(page, 'from', 'ETH', 'Base');
      await connect(page, 'Harbour');
      await page.locator('#amount-from').fill('0.01');
      await review(page);
      await page.locator('#confirm').click();
      await delivered(page);
      assert.deepEqual(added.map(({ chainName }) => chainName), ['Base']);
    }, { prepare: (page) => injectWallet(page, request) });
  });

  test('with a wallet that the host hands in, and no other is offered', async () => {
    const payer = await newPayer();
    await visit('/', async (page) => {
      await ready(page);
      await page.evaluate(() => {
        window.dispatchEvent(new Event('eip6963:requestProvider'));
        document.querySelector('causeway-widget').config = { wallets: { name: 'The host', request: (args) => window.hostRequest(args) }, amount: '18' };
      });
      await page.getByRole('button', { name: /Connected: The host/ }).waitFor();
      await review(page);
      await page.locator('#confirm').click();
      await delivered(page);
      await page.locator('#again').click();
      await page.locator('#open-wallets').click();
      await passes(async () => assert.equal(await page.locator('.wallet-list li').count(), 1));
    }, {
      prepare: async (page) => {
        await injectWallet(page, () => { throw new Error('nobody asks this one'); });
        await page.exposeFunction('hostRequest', (args) => payer.provider.request(args));
      },
    });
  });
});
