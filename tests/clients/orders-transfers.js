import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { zeroAddress } from 'viem';
import { DOLLARS, eventually, newAddress } from './swaps.js';

const CHAIN = 8453;
/** The chain whose time these tests move. */
const LATE = 10;

/** Builds a transfer, with a sender other than the payer of the quote, and new addresses for the output and returns. */
async function makeTransfer(causeway, from = [CHAIN, 'USDC'], amount = 100n * DOLLARS, more = {}) {
  const [payer, sender] = [{ address: newAddress() }, await causeway.payer(from[0], { coin: 10n * 10n ** 18n, [from[1]]: 10n * amount, ...more })];
  const [recipient, refundTo] = [newAddress(), newAddress()];
  const built = { depositMethod: 'TRANSFER', recipient, refundTo };
  const { deposit, offer } = await causeway.quoteAndBuild(payer, from, [1, 'USDC'], amount, { built });
  const { depositAddress, token, orderId } = deposit;
  assert.deepEqual([deposit.amount, deposit.chainId, deposit.decimals], [String(amount), from[0], from[1] === 'coin' ? 18 : 6]);
  const send = (what = amount, of = token) => causeway.transfer(from[0], sender, of, depositAddress, what);
  const filled = async () => {
    const order = await causeway.until(orderId, 'filled');
    assert.equal(await causeway.balance(1, order.toToken, recipient), BigInt(offer.amountOut));
    return order;
  };
  const returned = (what, of = token) =>
    eventually(() => causeway.balance(from[0], of, refundTo), (has) => has === what, `the return of ${what}`);
  const seen = () => causeway.get(`/v1/orders/by-deposit-address/${depositAddress}`);
  return { deposit, orderId, token, send, filled, returned, seen };
}

/** For a service that checks the addresses of finished orders often. */
export const transfers = (causeway) => describe('transfers to a deposit address', { concurrency: true }, () => {
  const transfer = (...terms) => makeTransfer(causeway, ...terms);

  test('an exact token amount: the order proceeds and lists the transfer', async () => {
    const { deposit, send, filled, seen } = await transfer();
    assert.deepEqual([(await seen()).data[0].step, (await seen()).observedDeposits], ['awaiting_deposit', []]);
    const hash = await send();
    await filled();
    const { data: [order], observedDeposits } = await seen();
    assert.deepEqual([order.orderId, order.status, order.depositAddress], [deposit.orderId, 'filled', deposit.depositAddress]);
    assert.deepEqual(observedDeposits, [{ chainId: CHAIN, txHash: hash, token: deposit.token, amount: deposit.amount }]);
  });

  test('an exact amount of the native coin', async () => {
    const { send, filled } = await transfer([CHAIN, 'coin'], 10n ** 17n);
    await send();
    await filled();
  });

  test('the QR code URL works, and the payment link has the address', async () => {
    const { deposit } = await transfer();
    assert.match(deposit.paymentUri, new RegExp(`^ethereum:${deposit.token}@${CHAIN}/transfer\\?`, 'i'));
    assert.ok(deposit.paymentUri.toLowerCase().includes(deposit.depositAddress.toLowerCase()));
    const image = await fetch(deposit.qrImageUrl);
    assert.equal(image.status, 200);
    assert.match(image.headers.get('content-type'), /^image\/svg\+xml/);
    assert.equal(deposit.deposit.qrImageUrl, deposit.qrImageUrl);
  });

  test('a partial transfer waits for the rest', async () => {
    const { orderId, send, filled, seen } = await transfer();
    await send(40n * DOLLARS);
    await eventually(async () => (await seen()).data[0].step, (step) => step === 'awaiting_more', 'awaiting_more');
    assert.equal((await causeway.get(`/v1/orders/by-id/${orderId}`)).status, 'created');
    await send(60n * DOLLARS);
    await filled();
    assert.deepEqual((await seen()).observedDeposits.map(({ amount }) => amount), ['40000000', '60000000']);
  });

  test('the excess is returned', async () => {
    const { send, filled, returned } = await transfer();
    await send(130n * DOLLARS);
    await filled();
    await returned(30n * DOLLARS);
  });

  test('a second transfer is returned', async () => {
    const { send, filled, returned } = await transfer();
    await send();
    await filled();
    await send();
    await returned(100n * DOLLARS);
    await send(7n * DOLLARS);
    await returned(107n * DOLLARS);
  });

  test('another token is returned', async () => {
    const { send, filled, returned } = await transfer([CHAIN, 'USDC'], 100n * DOLLARS, { USDT: 50n * DOLLARS });
    const usdt = await causeway.token(CHAIN, 'USDT');
    await send(50n * DOLLARS, usdt);
    await send(10n ** 16n, zeroAddress);
    await send();
    await filled();
    await Promise.all([returned(50n * DOLLARS, usdt), returned(10n ** 16n, zeroAddress)]);
  });

  test('a late or insufficient transfer is returned, and its order fails', async () => {
    const [late, short] = await Promise.all([transfer([LATE, 'USDC']), transfer([LATE, 'USDC'])]);
    await short.send(99n * DOLLARS);
    await causeway.moveTime(LATE, Math.max(late.deposit.expiresAt, short.deposit.expiresAt) + 1);
    await late.send();
    const [order] = await Promise.all([late, short].map(({ orderId }) => causeway.until(orderId, 'failed')));
    assert.match(order.failureReason, /No deposit arrived/);
    await Promise.all([late.returned(100n * DOLLARS), short.returned(99n * DOLLARS)]);
  });
});
