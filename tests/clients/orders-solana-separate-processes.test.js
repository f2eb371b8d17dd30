import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as kit from '@solana/kit';
import { startSeparately } from './causeway.js';
import { TOKEN } from './solana.js';
import { SOL, SOLANA, Solana, builtFor, newAddress } from './solana-swaps.js';
import { Causeway, DOLLARS, eventually, newAddress as newEvmAddress, rejects } from './swaps.js';

const causeway = new Causeway();
const solana = new Solana(causeway);
let separate;
before(async () => {
  separate = await startSeparately('[orders]\nlook_back_seconds = 1\n');
  Object.assign(causeway, { url: separate.service.url, chains: separate.chains });
}, { timeout: 240_000 });
after(() => separate?.stop());

const usdcOnBase = () => causeway.token(8453, 'USDC');

/** Sets the time of the chain, and mines until it is final. */
const moveTime = async (causeway, timestamp) => {
  await causeway.control(SOLANA, 'setTime', { timestamp });
  await causeway.control(SOLANA, 'mine', { blocks: 64 });
};

describe('transfers to a deposit address on Solana', { concurrency: true, timeout: 300_000 }, () => {
  const makeTransfer = async (symbol, amount, funds = {}) => {
    const sender = await solana.payer({ [symbol]: 10n * amount, ...funds });
    const payer = { address: await newAddress() };
    const [recipient, refundTo] = [newEvmAddress(), await newAddress()];
    const built = { depositMethod: 'TRANSFER', refundTo };
    const { deposit, offer } = await solana.quoteAndBuild(payer, symbol, [8453, await usdcOnBase()], amount, { asked: { recipient, refundTo }, built });
    const token = await solana.token(symbol);
    const send = (what = amount, of = token) => solana.transfer(sender, of, deposit.depositAddress, what);
    const filled = async () => {
      const order = await causeway.until(deposit.orderId, 'filled');
      assert.equal(await causeway.balance(8453, order.toToken, recipient), BigInt(offer.amountOut));
      return order;
    };
    const returned = (what, of = token) =>
      eventually(() => solana.balance(of, refundTo), (has) => has >= what, `the return of ${what}`);
    return { deposit, send, filled, returned };
  };

  test('exact USDC: the payment link has address, amount and mint, and the order proceeds', async () => {
    const { deposit, send, filled } = await makeTransfer('USDC', 100n * DOLLARS);
    const link = new URL(deposit.paymentUri);
    assert.deepEqual([link.protocol, link.pathname], ['solana:', deposit.depositAddress]);
    assert.deepEqual([link.searchParams.get('amount'), link.searchParams.get('spl-token')], ['100', await solana.token('USDC')]);
    assert.equal((await fetch(deposit.qrImageUrl)).status, 200);
    await send();
    await filled();
  });
  test('exact SOL', async () => {
    const { send, filled } = await makeTransfer('coin', SOL);
    await send();
    await filled();
  });
  test('a partial transfer waits for the rest, and the excess is returned', async () => {
    const { send, filled, returned } = await makeTransfer('USDC', 100n * DOLLARS);
    await send(40n * DOLLARS);
    await send(90n * DOLLARS);
    await filled();
    await returned(30n * DOLLARS);
  });
  test('another mint is returned', async () => {
    const { send, filled, returned } = await makeTransfer('USDC', 100n * DOLLARS, { USDT: 50n * DOLLARS });
    const usdt = await solana.token('USDT');
    await send(50n * DOLLARS, usdt);
    await send();
    await filled();
    await returned(50n * DOLLARS, usdt);
  });
});

test('an expired blockhash is rejected, and building again returns a valid one', { timeout: 240_000 }, async () => {
  const payer = await solana.payer();
  const recipient = newEvmAddress();
  const taken = await solana.quoteAndBuild(payer, 'coin', [8453, await usdcOnBase()], SOL, { asked: { recipient } });
  const stale = await solana.sign(payer, builtFor(taken));
  await causeway.control(SOLANA, 'expireBlockhashes');
  await rejects(causeway.submit(taken, { signedTransaction: stale.toString('base64') }), 502, 'BroadcastException', { message: /[Bb]uild/ });
  const again = await causeway.build(payer, taken.quote);
  assert.equal(again.intentId, taken.deposit.intentId, 'the same order');
  assert.notDeepEqual(builtFor({ deposit: again }), builtFor(taken));
  await causeway.until(await solana.pay({ ...taken, deposit: again }, payer), 'filled');
});

test('a late transfer is returned, and its order fails', { timeout: 240_000 }, async () => {
  // A chain whose time is ahead takes no new orders, so this test has its own service.
  const lateService = await startSeparately('[orders]\nlook_back_seconds = 1\n');
  try {
    const causeway = new Causeway(lateService.service.url, lateService.chains);
    const solana = new Solana(causeway);
    const [sender, refundTo, mint] = [await solana.payer({ USDC: 200n * DOLLARS }), await newAddress(), await solana.token('USDC')];
    const [asked, built] = [{ recipient: newEvmAddress(), refundTo }, { depositMethod: 'TRANSFER', refundTo }];
    const base = [8453, await causeway.token(8453, 'USDC')];
    const { deposit } = await solana.quoteAndBuild({ address: await newAddress() }, 'USDC', base, 100n * DOLLARS, { asked, built });
    await moveTime(causeway, deposit.expiresAt + 1);
    await solana.transfer(sender, mint, deposit.depositAddress, 100n * DOLLARS);
    await causeway.until(deposit.orderId, 'failed');
    await eventually(() => solana.balance(mint, refundTo), (has) => has === 100n * DOLLARS, 'the return');
  } finally {
    await lateService.stop();
  }
});

test('without the service, anybody can refund the deposit on chain', { timeout: 300_000 }, async () => {
  const payer = await solana.payer({ USDC: 1_000n * DOLLARS });
  const mint = await solana.token('USDC');
  const taken = await solana.quoteAndBuild(payer, 'USDC', [8453, await usdcOnBase()], 100n * DOLLARS, { asked: { recipient: newEvmAddress() } });
  const { intentId, recovery } = taken.deposit;
  const signed = await solana.sign(payer, builtFor(taken));
  await separate.service.kill();
  assert.equal((await solana.finalized(await solana.send(signed))).err, null);
  assert.equal(await solana.balance(mint, payer.address), 900n * DOLLARS);
  const other = await solana.payer();
  const id = Buffer.from(intentId.slice(2), 'hex');
  const derive = async (name) => (await kit.getProgramDerivedAddress({ programAddress: recovery.escrow, seeds: [name, id] }))[0];
  const { AccountRole } = kit;
  const refund = {
    programAddress: recovery.escrow,
    data: new Uint8Array([9]),
    accounts: [
      { address: await derive('order'), role: AccountRole.WRITABLE },
      { address: await derive('fill'), role: AccountRole.READONLY },
      { address: await solana.account(payer.address, mint), role: AccountRole.WRITABLE },
      { address: other.address, role: AccountRole.READONLY_SIGNER, signer: other },
      { address: await derive('vault'), role: AccountRole.WRITABLE },
      { address: mint, role: AccountRole.READONLY },
      { address: TOKEN, role: AccountRole.READONLY },
    ],
  };
  await assert.rejects(() => solana.run(other, [refund]), 'the grace period has not passed');
  await moveTime(causeway, recovery.refundAfter + 1);
  const signature = await solana.run(other, [refund]);
  assert.equal(await solana.balance(mint, payer.address), 1_000n * DOLLARS);
  // After its restart, the service reads the refund from the chain.
  await separate.service.start();
  causeway.url = separate.service.url;
  const orders = () => causeway.get(`/v1/orders/${payer.address}`);
  const { data: [{ id: orderId }] } = await eventually(orders, ({ data }) => data.length === 1, 'an order');
  const order = await causeway.until(orderId, 'refunded');
  assert.equal(order.transactions.refund.txHash, signature);
  assert.equal((await causeway.get(`/v1/intent/${intentId}`)).state, 'Expired');
});
