import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addressOf, TestProvider } from '../../dist/widget/test-wallet.js';
import { choose, connect, delivered, heard, ready, review, visit } from './browser.js';
import { balanceOf, BASE, eventually, give, injectWallet, newAddress, newPayer, post, rpcOf, USDC } from './wallets.js';
import { passes } from '../../../tests/passes.js';

/** The sandbox's fillers and their keys, accounts 16 and 18 of the phrase that everybody knows. */
const FILLERS = {
  north: 'ea6c44ac03bff858b476bba40716402b03e41b8e97e276d1baec7c37d42484a0',
  south: 'de9be858da4a475276426320d5e9262ecfc3ba460bfac56360bfa6c4c28b4ee0',
};
const USDT_ON_LINEA = '0xA219439258ca9da29E9Cc4cE5596924745e12B93';

describe('the life of an order in the browser', { concurrency: 2 }, () => {
  test('a price that expires during the review is told, and nothing was signed', async () => {
    const payer = await newPayer();
    const asked = [];
    await visit('/', async (page) => {
      await ready(page);
      await connect(page, 'Harbour');
      await page.locator('#amount-from').fill('20');
      await review(page);
      await page.clock.install();
      await page.clock.fastForward(70_000);
      await page.getByText('The price has expired.').waitFor();
      assert.ok(!asked.includes('eth_sendTransaction'));
      await page.getByRole('button', { name: 'Get a fresh price' }).click();
      await page.locator('#amount-from').waitFor();
    }, { prepare: (page) => injectWallet(page, (args) => { asked.push(args.method); return payer.provider.request(args); }) });
  });

  test('prices are refreshed by themselves, and a chosen route that disappears is told', async () => {
    let asks = 0;
    // However long it takes until the route is chosen: the others answer until then.
    let isChosen = false;
    await visit('/', async (page) => {
      await ready(page);
      await page.locator('#amount-from').fill('40');
      await page.getByRole('button', { name: 'Compare 4 routes' }).click();
      await page.getByRole('radio').nth(1).click();
      const gone = await page.locator('[role=radio][aria-checked=true] svg text').first().textContent();
      isChosen = true;
      await page.getByText(/no longer offers this swap/).waitFor();
      assert.ok(asks >= 2 && gone !== '');
      await passes(async () => assert.equal(await page.getByRole('radio').count(), 1));
    }, {
      prepare: (page) => page.route(`${BASE}/v1/quotes?mode=stream`, async (route) => {
        asks += 1;
        const response = await route.fetch();
        const lines = (await response.text()).trim().split('\n').map((line) => JSON.parse(line)).sort((a, b) => (BigInt(b.quote.amountOut) > BigInt(a.quote.amountOut) ? 1 : -1));
        // The price holds for six seconds instead of thirty, and then only the better filler answers.
        const soon = Math.floor(Date.now() / 1000) + 6;
        const shown = (isChosen ? lines.slice(0, 1) : lines).map((line) => ({ ...line, quote: { ...line.quote, quoteExpiresAt: soon } }));
        await route.fulfill({ response, body: `${shown.map((line) => JSON.stringify(line)).join('\n')}\n` });
      }),
    });
  });

  test('a filler that cannot deliver gives the deposit back, and the page says so', async () => {
    const payer = await newPayer();
    for (const key of Object.values(FILLERS)) await give(59144, addressOf(key), USDT_ON_LINEA, 1_000_000_000n);
    await eventually(() => quote(payer.address), (answer) => new Set(answer.routes?.map(({ filler }) => filler)).size === 2, 'a full book');
    await visit('/', async (page) => {
      await ready(page);
      await choose(page, 'to', 'USDT', 'Linea Mainnet');
      await connect(page, 'Harbour');
      await page.locator('#amount-from').fill('50');
      await review(page);
      // Both fillers spend what they promised before the deposit arrives.
      for (const key of Object.values(FILLERS)) await spendAll(key, 59144, USDT_ON_LINEA);
      await eventually(() => quote(payer.address), (answer) => answer.name === 'CannotFillException', 'an empty book');
      await page.locator('#confirm').click();
      await page.locator('.hero.back').waitFor();
      await page.locator('.hero', { hasText: 'Refunded' }).waitFor();
      await page.getByText(/does not have enough/).waitFor();
      await passes(async () => assert.equal((await heard(page)).at(-1)[1].status, 'refunded'));
      await eventually(() => balanceOf(8453, USDC, payer.address), (has) => has === 1_000_000_000n, 'the refund');
    }, { prepare: (page) => injectWallet(page, (args) => payer.provider.request(args)) });
  });

  test('a deposit that nobody delivers for can be taken back by the payer when it is due', async () => {
    const payer = await newPayer();
    const sent = [];
    let isDue = false;
    const request = (args) => {
      if (isDue && args.method === 'eth_sendTransaction') return void sent.push(args.params[0]);
      return payer.provider.request(args);
    };
    await visit('/', async (page) => {
      await ready(page);
      await choose(page, 'to', 'USDC', 'Mantle');
      await connect(page, 'Harbour');
      await page.locator('#amount-from').fill('60');
      await review(page);
      await post('/sandbox/control/5000', { action: 'pause' });
      try {
        await page.locator('#confirm').click();
        await page.getByText(/you can take your money back yourself in/).waitFor();
        await page.locator('li.done', { hasText: 'Deposit confirmed' }).waitFor();
        isDue = true;
        await page.clock.install();
        await page.clock.fastForward(24 * 3_600_000);
        await page.locator('#take-back').click();
        await eventually(async () => sent.length, (count) => count === 1, 'the request to the wallet');
        const [{ to, data, from }] = sent;
        const call = (...overrides) => payer.provider.request({ method: 'eth_call', params: [{ from, to, data }, 'latest', ...overrides] });
        await assert.rejects(call(), /revert/);
        await call({}, { time: `0x${(Math.floor(Date.now() / 1000) + 24 * 3600).toString(16)}` });
      } finally {
        await post('/sandbox/control/5000', { action: 'resume' });
      }
    }, { prepare: (page) => injectWallet(page, request) });
  });

  test('an order goes on after a reload, and opens from its address in a fresh profile', async () => {
    const payer = await newPayer();
    let address = '';
    await visit('/', async (page) => {
      await ready(page);
      await connect(page, 'Harbour');
      await page.locator('#amount-from').fill('15');
      await review(page);
      await page.locator('#confirm').click();
      await page.locator('.timeline').waitFor();
      await page.reload();
      await delivered(page);
      address = page.url();
    }, { prepare: (page) => injectWallet(page, (args) => payer.provider.request(args)) });
    await visit(address, async (page) => {
      await delivered(page);
      await page.getByText('15 USDC').first().waitFor();
    });
  });

  test('a deposit that was sent and not submitted is submitted at the next visit', async () => {
    const payer = await newPayer();
    let isDown = true;
    await visit('/', async (page) => {
      await page.route(`${BASE}/v1/deposit/submit`, (route) => (isDown ? route.abort() : route.continue()));
      await ready(page);
      await connect(page, 'Harbour');
      await page.locator('#amount-from').fill('16');
      await review(page);
      await page.locator('#confirm').click();
      await page.getByText('Sending your deposit…').waitFor();
      isDown = false;
      await page.reload();
      await delivered(page);
    }, { prepare: (page) => injectWallet(page, (args) => payer.provider.request(args)), expectErrors: true });
  });

  test('a service that is down is told, and the page goes on when it is back', async () => {
    let isDown = true;
    await visit('/', async (page) => {
      await page.getByText('The service cannot be reached. Trying again…').waitFor();
      isDown = false;
      await ready(page);
      await page.locator('#amount-from').fill('10');
      await page.getByRole('radio').first().waitFor();
    }, { prepare: (page) => page.route(`${BASE}/v1/**`, (route) => (isDown ? route.abort() : route.continue())), expectErrors: true });
  });
});

/** What the service answers who asks for the same swap. */
async function quote(fromAddress) {
  const ask = { tradeType: 'EXACT_INPUT', fromChainId: 8453, fromToken: USDC, toChainId: 59144, toToken: USDT_ON_LINEA, amount: '50000000', fromAddress };
  const response = await fetch(`${BASE}/v1/quotes`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(ask) });
  return response.json();
}

/** Has a filler send all that it holds of a token to nobody. */
async function spendAll(key, chainId, token) {
  const filler = new TestProvider(key, rpcOf, chainId);
  const [from] = await filler.request({ method: 'eth_accounts' });
  const word = (text) => text.replace('0x', '').padStart(64, '0');
  const held = await filler.request({ method: 'eth_call', params: [{ to: token, data: `0x70a08231${word(from)}` }, 'latest'] });
  const data = `0xa9059cbb${word(newAddress())}${word(held)}`;
  await filler.request({ method: 'eth_sendTransaction', params: [{ to: token, data, gas: '0x30d40' }] });
  await post(`/sandbox/control/${chainId}`, { action: 'mine', blocks: 2 });
}
