import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as kit from '@solana/kit';
import { startSeparately } from './causeway.js';
import { TOKEN } from './solana.js';
import { SOL, SOLANA, Solana, builtFor, nobody } from './solana-swaps.js';
import { Causeway, DOLLARS, eventually, nobody as evmNobody, refuses } from './swaps.js';

const causeway = new Causeway();
const solana = new Solana(causeway);
let separate;
before(async () => {
  separate = await startSeparately('[orders]\nlook_back_seconds = 1\n');
  Object.assign(causeway, { url: separate.service.url, chains: separate.chains });
}, { timeout: 240_000 });
after(() => separate?.stop());

const usdcOnBase = () => causeway.token(8453, 'USDC');

/** The chain's time jumps there, in slots that are final. */
const moveTime = async (causeway, timestamp) => {
  await causeway.control(SOLANA, 'setTime', { timestamp });
  await causeway.control(SOLANA, 'mine', { blocks: 64 });
};

describe('money sent to a deposit address on Solana', { concurrency: true, timeout: 300_000 }, () => {
  const makeTransfer = async (symbol, amount, funds = {}) => {
    const sender = await solana.payer({ [symbol]: 10n * amount, ...funds });
    const payer = { address: await nobody() };
    const [recipient, refundTo] = [evmNobody(), await nobody()];
    const built = { depositMethod: 'TRANSFER', refundTo };
    const { deposit, offer } = await solana.take(payer, symbol, [8453, await usdcOnBase()], amount, { asked: { recipient, refundTo }, built });
    const token = await solana.token(symbol);
    const send = (what = amount, of = token) => solana.transfer(sender, of, deposit.depositAddress, what);
    const filled = async () => {
      const order = await causeway.until(deposit.orderId, 'filled');
      assert.equal(await causeway.balance(8453, order.toToken, recipient), BigInt(offer.amountOut));
      return order;
    };
    const comesBack = (what, of = token) =>
      eventually(() => solana.balance(of, refundTo), (has) => has >= what, `the return of ${what}`);
    return { deposit, send, filled, comesBack };
  };

  test('USDC, exactly: the payment link names address, amount and mint, and the order goes on by itself', async () => {
    const { deposit, send, filled } = await makeTransfer('USDC', 100n * DOLLARS);
    const link = new URL(deposit.paymentUri);
    assert.deepEqual([link.protocol, link.pathname], ['solana:', deposit.depositAddress]);
    assert.deepEqual([link.searchParams.get('amount'), link.searchParams.get('spl-token')], ['100', await solana.token('USDC')]);
    assert.equal((await fetch(deposit.qrImageUrl)).status, 200);
    await send();
    await filled();
  });
  test('SOL, exactly', async () => {
    const { send, filled } = await makeTransfer('coin', SOL);
    await send();
    await filled();
  });
  test('too little waits for the rest, and what is too much comes back', async () => {
    const { send, filled, comesBack } = await makeTransfer('USDC', 100n * DOLLARS);
    await send(40n * DOLLARS);
    await send(90n * DOLLARS);
    await filled();
    await comesBack(30n * DOLLARS);
  });
  test('another mint comes back', async () => {
    const { send, filled, comesBack } = await makeTransfer('USDC', 100n * DOLLARS, { USDT: 50n * DOLLARS });
    const usdt = await solana.token('USDT');
    await send(50n * DOLLARS, usdt);
    await send();
    await filled();
    await comesBack(50n * DOLLARS, usdt);
  });
});

test('a dead blockhash: the service says to build again, and building again gives a live one', { timeout: 240_000 }, async () => {
  const payer = await solana.payer();
  const recipient = evmNobody();
  const taken = await solana.take(payer, 'coin', [8453, await usdcOnBase()], SOL, { asked: { recipient } });
  const stale = await solana.sign(payer, builtFor(taken));
  await causeway.control(SOLANA, 'expireBlockhashes');
  await refuses(causeway.submit(taken, { signedTransaction: stale.toString('base64') }), 502, 'BroadcastException', { says: /[Bb]uild/ });
  const again = await causeway.build(payer, taken.quote);
  assert.equal(again.intentId, taken.deposit.intentId, 'the same order');
  assert.notDeepEqual(builtFor({ deposit: again }), builtFor(taken));
  await causeway.until(await solana.pay({ ...taken, deposit: again }, payer), 'filled');
});


test('what is too late comes back, and its order has failed', { timeout: 240_000 }, async () => {
  // A chain whose time has run ahead takes no new orders: this one is for this test alone.
  const other = await startSeparately('[orders]\nlook_back_seconds = 1\n');
  try {
    const causeway = new Causeway(other.service.url, other.chains);
    const solana = new Solana(causeway);
    const [sender, refundTo, mint] = [await solana.payer({ USDC: 200n * DOLLARS }), await nobody(), await solana.token('USDC')];
    const [asked, built] = [{ recipient: evmNobody(), refundTo }, { depositMethod: 'TRANSFER', refundTo }];
    const base = [8453, await causeway.token(8453, 'USDC')];
    const { deposit } = await solana.take({ address: await nobody() }, 'USDC', base, 100n * DOLLARS, { asked, built });
    await moveTime(causeway, deposit.expiresAt + 1);
    await solana.transfer(sender, mint, deposit.depositAddress, 100n * DOLLARS);
    await causeway.until(deposit.orderId, 'failed');
    await eventually(() => solana.balance(mint, refundTo), (has) => has === 100n * DOLLARS, 'the return');
  } finally {
    await other.stop();
  }
});

test('with the service gone, a stranger takes the deposit back for its owner, by the chain alone', { timeout: 300_000 }, async () => {
  const payer = await solana.payer({ USDC: 1_000n * DOLLARS });
  const mint = await solana.token('USDC');
  const taken = await solana.take(payer, 'USDC', [8453, await usdcOnBase()], 100n * DOLLARS, { asked: { recipient: evmNobody() } });
  const { intentId, recovery } = taken.deposit;
  const signed = await solana.sign(payer, builtFor(taken));
  await separate.service.kill();
  assert.equal((await solana.finalized(await solana.send(signed))).err, null);
  assert.equal(await solana.balance(mint, payer.address), 900n * DOLLARS);
  const stranger = await solana.payer();
  const id = Buffer.from(intentId.slice(2), 'hex');
  const place = async (name) => (await kit.getProgramDerivedAddress({ programAddress: recovery.escrow, seeds: [name, id] }))[0];
  const { AccountRole } = kit;
  const refund = {
    programAddress: recovery.escrow,
    data: new Uint8Array([9]),
    accounts: [
      { address: await place('order'), role: AccountRole.WRITABLE },
      { address: await place('fill'), role: AccountRole.READONLY },
      { address: await solana.account(payer.address, mint), role: AccountRole.WRITABLE },
      { address: stranger.address, role: AccountRole.READONLY_SIGNER, signer: stranger },
      { address: await place('vault'), role: AccountRole.WRITABLE },
      { address: mint, role: AccountRole.READONLY },
      { address: TOKEN, role: AccountRole.READONLY },
    ],
  };
  await assert.rejects(() => solana.run(stranger, [refund]), 'the grace is not over');
  await moveTime(causeway, recovery.refundAfter + 1);
  const signature = await solana.run(stranger, [refund]);
  assert.equal(await solana.balance(mint, payer.address), 1_000n * DOLLARS);
  // When it is back, the service learns it from the chain.
  await separate.service.start();
  causeway.url = separate.service.url;
  const orders = () => causeway.get(`/v1/orders/${payer.address}`);
  const { data: [{ id: orderId }] } = await eventually(orders, ({ data }) => data.length === 1, 'an order');
  const order = await causeway.until(orderId, 'refunded');
  assert.equal(order.transactions.refund.txHash, signature);
  assert.equal((await causeway.get(`/v1/intent/${intentId}`)).state, 'Expired');
});
