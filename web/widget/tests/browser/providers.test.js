// Swaps that liquidity providers settle by a call, and the chains that swaps only begin on.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { browser, providers, trusting, wallets } from './providers.js';
import { passes } from '../../../tests/passes.js';

const { assertAccessible, choose, connect, delivered, heard, ready, review, visit } = browser;
const { balanceOf, eventually, give, injectSolanaWallet, injectWallet, newAddress, newPayer, newSolanaPayer, SOLANA, USDC } = wallets;
const { lifi, relay, zerox } = providers.contracts;
const ARBITRUM_USDC = '0xaf88d065e77c8cC2239327C5EDb3A432268e5831';
const BASE_USDT = '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2';
const SOLANA_USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const SOLANA_USDT = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB';

/** A wallet that the page finds, and what it was asked for. */
async function wallet() {
  const payer = await newPayer();
  const asked = [];
  const prepare = (page) => injectWallet(page, (args) => {
    asked.push(args);
    return payer.provider.request(args);
  });
  return { payer, prepare, sent: () => asked.filter(({ method }) => method === 'eth_sendTransaction').map(({ params }) => params[0]) };
}

/** Shows the route of a provider for 25 USDC from Base to Arbitrum. */
async function chooseRoute(page, receiver, name) {
  await ready(page);
  await choose(page, 'to', 'USDC', 'Arbitrum One');
  await connect(page, 'Harbour');
  await page.locator('#open-settings').click();
  await page.locator('#set-recipient').fill(receiver);
  await page.getByRole('button', { name: 'Back' }).click();
  await page.locator('#amount-from').fill('25');
  await page.getByRole('button', { name: /Compare \d+ routes/ }).click();
  await page.getByRole('radio', { name: `Settled by ${name}` }).click();
}

const chooseLifi = (page, receiver) => chooseRoute(page, receiver, 'LI.FI');

/** Shows 0x's route for 25 USDC on Base to USDT there. */
async function chooseZerox(page) {
  await ready(page);
  await choose(page, 'to', 'USDT', 'Base');
  await connect(page, 'Harbour');
  await page.locator('#amount-from').fill('25');
  await page.getByRole('button', { name: /Compare \d+ routes/ }).click();
  await page.getByRole('radio', { name: /Settled by 0x/ }).click();
}

const word = (number) => BigInt(number).toString(16).padStart(64, '0');

/** A service that changes a number of the transaction that it builds, where the call does not say it. */
const dishonest = (page, from, to) => page.route('**/v1/deposit/build', async (route) => {
  const response = await route.fetch();
  const built = await response.json();
  const { params: [call] } = built.approvals.find(({ deposit }) => deposit).request;
  const at = call.data.lastIndexOf(word(from));
  assert.ok(at > 0, 'the number is there');
  call.data = call.data.slice(0, at) + word(to) + call.data.slice(at + 64);
  await route.fulfill({ response, json: built });
});

describe('a swap that a provider settles', () => {
  test('says who settles it, holds the money and refunds before anything is signed, and is delivered', async () => {
    const receiver = newAddress();
    const { prepare, sent } = await wallet();
    await trusting(async (page) => {
      await chooseLifi(page, receiver);
      await page.getByText('LI.FI settles this swap itself. The escrow does not hold your money and cannot refund it.').waitFor();
      await page.getByText(/Held meanwhile by: LI\.FI's contracts and the bridge/).waitFor();
      await page.getByText(/Refund: If the bridge cannot deliver/).waitFor();
      await assertAccessible(page);
      await review(page);
      await page.getByText(/Allow lifi's contract .* to take exactly 25 USDC/).waitFor();
      await page.getByText(/Pay 25 USDC on Base to lifi's contract/).waitFor();
      await page.getByText(/settled by lifi through play and not by the escrow/).waitFor();
      await page.getByText(/Held meanwhile by: LI\.FI's contracts/).waitFor();
      await assertAccessible(page);
      assert.deepEqual(sent(), []);
      await page.locator('#confirm').click();
      await delivered(page);
      await passes(async () => assert.deepEqual((await heard(page)).at(-1)[0], 'success'));
    }, { prepare });
    assert.deepEqual(sent().map(({ to }) => to.toLowerCase()), [USDC, lifi.address].map((to) => to.toLowerCase()));
    assert.equal(await balanceOf(42161, ARBITRUM_USDC, receiver), 24_975_000n);
  });

  test('that it does not deliver is refunded, and the page says so', async () => {
    const { payer, prepare } = await wallet();
    await providers.misbehave('lifi', 'refunds');
    await trusting(async (page) => {
      await chooseLifi(page, newAddress());
      await review(page);
      await page.locator('#confirm').click();
      await page.locator('.hero', { hasText: 'Refunded' }).waitFor({ timeout: 90_000 });
      await passes(async () => assert.equal((await heard(page)).at(-1)[1].status, 'refunded'));
    }, { prepare }).finally(() => providers.misbehave('lifi', 'none'));
    assert.equal(await balanceOf(8453, USDC, payer.address), 1_000_000_000n);
  });

  test('for a contract that the host does not trust is refused before the wallet is asked', async () => {
    const { prepare, sent } = await wallet();
    await trusting(async (page) => {
      await chooseLifi(page, newAddress());
      await page.getByRole('button', { name: 'Review swap' }).click();
      await page.getByText(/expected a contract that is trusted for this provider/).waitFor();
      await passes(async () => assert.equal(await page.locator('#confirm').count(), 0));
    }, { prepare, trust: { lifi: { [lifi.chainId]: [newAddress()] } } });
    assert.deepEqual(sent(), []);
  });

  test('by a provider that names another target is refused before the wallet is asked', async () => {
    const { prepare, sent } = await wallet();
    await trusting(async (page) => {
      await chooseLifi(page, newAddress());
      await providers.misbehave('lifi', 'other-target');
      await page.getByRole('button', { name: 'Review swap' }).click();
      await page.locator('.notice.bad').waitFor();
      await passes(async () => assert.match(await page.locator('.notice.bad').textContent(), /lifi/));
      await passes(async () => assert.equal(await page.locator('#confirm').count(), 0));
    }, { prepare, expectErrors: true }).finally(() => providers.misbehave('lifi', 'none'));
    assert.deepEqual(sent(), []);
  });

  test('by another provider is delivered, too', async () => {
    const receiver = newAddress();
    const { prepare, sent } = await wallet();
    await trusting(async (page) => {
      await chooseRoute(page, receiver, 'Relay');
      await review(page);
      await page.locator('#confirm').click();
      await delivered(page);
    }, { prepare });
    assert.deepEqual(sent().map(({ to }) => to.toLowerCase()), [USDC, relay.address].map((to) => to.toLowerCase()));
    assert.equal(await balanceOf(42161, ARBITRUM_USDC, receiver), 24_975_000n);
  });

  test('within a chain is one transaction', async () => {
    const { payer, prepare, sent } = await wallet();
    await trusting(async (page) => {
      await chooseZerox(page);
      await review(page);
      await page.locator('#confirm').click();
      await delivered(page);
    }, { prepare });
    assert.deepEqual(sent().map(({ to }) => to.toLowerCase()), [USDC, zerox.address].map((to) => to.toLowerCase()));
    assert.equal(await balanceOf(8453, BASE_USDT, payer.address), 24_975_000n);
  });

  for (const [what, from, to, words] of [
    ['takes more than it says', 25_000_000, 25_000_001, /what it takes of 0x833589\w+ is 25000001, expected at most 25000000/],
    ['pays less than it says', 24_975_000, 1, /what it pays 0x\w+ is 1, expected at least 2\d{7}/],
  ]) {
    test(`that ${what} is not signed, because the wallet simulates it`, async () => {
      const { payer, prepare, sent } = await wallet();
      // An allowance of before, which its contract may use for more than the input.
      await payer.provider.request({ method: 'eth_sendTransaction', params: [{ from: payer.address, to: USDC, data: `0x095ea7b3${word(zerox.address)}${'f'.repeat(64)}` }] });
      const allowed = () => payer.provider.request({ method: 'eth_call', params: [{ to: USDC, data: `0xdd62ed3e${word(payer.address)}${word(zerox.address)}` }, 'latest'] });
      await eventually(allowed, (text) => BigInt(text) > 0n, 'the allowance');
      await trusting(async (page) => {
        await dishonest(page, from, to);
        await chooseZerox(page);
        await review(page);
        await page.locator('#confirm').click();
        await page.getByText(words).waitFor();
      }, { prepare });
      assert.deepEqual(sent(), []);
      assert.equal(await balanceOf(8453, USDC, payer.address), 1_000_000_000n);
    });
  }

  test('on Solana is signed for a program that the host trusts, and delivered', async () => {
    const payer = await newSolanaPayer();
    await give(SOLANA, payer.address, SOLANA_USDC, 100_000_000n);
    await eventually(() => balanceOf(SOLANA, SOLANA_USDC, payer.address), (has) => has > 0n, 'the faucet');
    await trusting(async (page) => {
      await ready(page);
      await choose(page, 'from', 'USDC', 'Solana');
      await choose(page, 'to', 'USDT', 'Solana');
      await connect(page, 'Lantern', 'Solana');
      await page.locator('#amount-from').fill('25');
      await page.getByText('Jupiter settles this swap itself.', { exact: false }).waitFor();
      await review(page);
      await page.getByText(/Pay exactly 25 USDC on Solana through jupiter's program/).waitFor();
      await page.locator('#confirm').click();
      await delivered(page);
    }, { prepare: (page) => injectSolanaWallet(page, payer) });
    assert.ok(await balanceOf(SOLANA, SOLANA_USDT, payer.address) > 24_000_000n);
  });
});

describe('chains that swaps only begin on', () => {
  /** The networks that can be chosen, and those of the tokens that a search finds. */
  const offered = async (page, side) => {
    await page.locator(`#token-${side}`).click();
    const networks = page.getByRole('group', { name: 'Network' }).getByRole('button');
    await networks.nth(1).waitFor();
    const names = await networks.evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label')));
    await page.getByRole('searchbox').fill('BTC');
    await page.locator('.token-list .item', { hasText: 'WBTC' }).first().waitFor();
    const found = await page.locator('.token-list .item-main').allTextContents();
    await page.getByRole('button', { name: 'Back' }).click();
    return [...names, ...found].filter((text) => /Bitcoin|Tron/.test(text)).length;
  };

  test('are sources of transfers alone: neither of swaps, nor destinations', async () => {
    await trusting(async (page) => {
      await ready(page);
      assert.deepEqual([await offered(page, 'from'), await offered(page, 'to')], [0, 0]);
      await page.getByRole('button', { name: 'Transfer', exact: true }).click();
      assert.ok(await offered(page, 'from') >= 3, 'both networks, and BTC');
      assert.equal(await offered(page, 'to'), 0);
      await choose(page, 'from', 'BTC', 'Bitcoin');
      await passes(async () => assert.equal(await page.locator('#flip').isDisabled(), true));
      // Whoever pays the token that is received would else receive the one that was paid.
      await choose(page, 'to', 'USDC', 'Arbitrum One');
      await choose(page, 'from', 'USDC', 'Arbitrum One');
      await page.locator('#token-to', { hasText: 'Select token' }).waitFor();
      await choose(page, 'to', 'ETH', 'Base');
      await choose(page, 'from', 'BTC', 'Bitcoin');
      await page.getByRole('button', { name: 'Swap', exact: true }).click();
      await page.locator('#token-from', { hasText: 'USDC' }).waitFor();
    });
  });

  test('as options of the host are where a transfer begins, and nothing that is received', async () => {
    const bitcoin = { chainId: 8253038, address: 'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq9e75rs' };
    const withTokens = (config) => async (page) => {
      await ready(page);
      await page.evaluate((options) => { document.querySelector('causeway-widget').config = options; }, config);
    };
    await trusting(async (page) => {
      await withTokens({ fromToken: bitcoin, amount: '0.0003' })(page);
      await page.locator('#token-from', { hasText: 'BTC' }).waitFor();
      await page.getByRole('heading', { name: 'Pay by transfer' }).waitFor();
      await withTokens({ fromToken: undefined, toToken: bitcoin })(page);
      await page.locator('#token-to', { hasText: 'ETH' }).waitFor();
      await withTokens({ fromToken: bitcoin, toToken: undefined, methods: ['swap'] })(page);
      await page.locator('#token-from', { hasText: 'USDC' }).waitFor();
    });
  });

  test('and routes of providers are not shown without the option', async () => {
    const { prepare } = await wallet();
    await visit('/', async (page) => {
      await ready(page);
      await choose(page, 'to', 'USDC', 'Arbitrum One');
      await connect(page, 'Harbour');
      await page.locator('#amount-from').fill('25');
      await page.locator('.route').first().waitFor();
      const { routes } = await quoted(page);
      assert.ok(routes.some(({ settlement }) => settlement === 'provider'), 'the service offers one');
      await passes(async () => assert.equal(await page.getByText(/Settled by/).count(), 0));
      await page.getByRole('button', { name: 'Transfer', exact: true }).click();
      assert.equal(await offered(page, 'from'), 0);
    }, { prepare });
  });

  /** What the service offers for the form's swap. */
  const quoted = (page) => page.evaluate(async ([url, from, to]) => (await fetch(`${url}/v1/quotes`, {
    method: 'POST', headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tradeType: 'EXACT_INPUT', fromChainId: 8453, fromToken: from, toChainId: 42161, toToken: to, amount: '25000000', fromAddress: '0x000000000000000000000000000000000000dEaD' }),
  })).json(), [providers.url, USDC, ARBITRUM_USDC]);
});
