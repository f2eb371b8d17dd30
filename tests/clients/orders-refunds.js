import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEventLogs } from 'viem';
import { ESCROW } from './escrow.js';
import { eventually, known, nobody, refuses } from './swaps.js';

const DOLLARS = 1_000_000n;
const HOT = { north: 16, south: 18 };
const CAUSES = ['Waived', 'Unfilled', 'Expired'];

/** Demands that the deposit is back where it belongs, in a transaction that the order names, for this reason. */
export async function isBack(causeway, orderId, refundTo, cause) {
  const order = await causeway.until(orderId, 'refunded');
  const { deposit, refund } = order.transactions;
  assert.deepEqual([refund.chainId, refund.amount, deposit.amount], [order.fromChainId, order.srcAmount, order.srcAmount]);
  const { logs } = await causeway.receipt(order.fromChainId, refund.txHash);
  const [{ args }] = parseEventLogs({ abi: ESCROW, logs, eventName: 'Refunded' });
  assert.deepEqual([args.orderId, CAUSES[args.cause]], [order.intentId, cause]);
  assert.equal(await causeway.balance(order.fromChainId, order.fromToken, refundTo), BigInt(order.srcAmount));
  assert.deepEqual(order.stepsCompleted.slice(-2), ['refund_pending', 'refunded']);
  assert.equal(order.transactions.fill, undefined);
  return order;
}

export const declined = (world) => describe('a filler that has spent what it promised', { concurrency: true }, () => {
  const [FROM, TO] = [[8453, 'USDC'], [59144, 'USDT']];
  let swaps;
  let payers;
  const refundTo = [nobody(), nobody()];
  before(async () => {
    payers = await Promise.all(refundTo.map(() => world.causeway.payer(8453, { USDC: 1_000n * DOLLARS })));
    const take = (number, depositMethod) =>
      world.causeway.take(payers[number], FROM, TO, 100n * DOLLARS, { built: { refundTo: refundTo[number], depositMethod } });
    swaps = [await take(0, 'CONTRACT_CALL'), await take(1, 'TRANSFER')];
    const { route } = swaps[0];
    assert.equal(swaps[1].route, route);
    const [hot, token] = [known(HOT[route]), await world.causeway.token(...TO)];
    await world.causeway.transfer(59144, hot, token, nobody(), await world.causeway.balance(59144, token, hot.address));
    const offers = async () => (await world.causeway.quote(payers[0], FROM, TO, 100n * DOLLARS)).routes.map(({ routeId }) => routeId);
    await eventually(offers, (routes) => !routes.includes(route), 'an empty book');
  }, { timeout: 60_000 });

  test('gives a deposit back, and says why', async () => {
    const orderId = await world.causeway.pay(swaps[0]);
    const order = await isBack(world.causeway, orderId, refundTo[0], 'Waived');
    assert.match(order.failureReason, /does not have enough/);
    const intent = await world.causeway.get(`/v1/intent/${order.intentId}`);
    assert.equal(intent.state, 'Cancelled');
  });

  test('gives a transfer back, and so what is sent after it', async () => {
    const { depositAddress, token, orderId } = swaps[1].deposit;
    await world.causeway.transfer(8453, payers[1], token, depositAddress, 100n * DOLLARS);
    await isBack(world.causeway, orderId, refundTo[1], 'Waived');
    await world.causeway.transfer(8453, payers[1], token, depositAddress, 100n * DOLLARS);
    await eventually(() => world.causeway.balance(8453, token, refundTo[1]), (has) => has === 200n * DOLLARS, 'the second return');
    assert.equal((await world.causeway.get(`/v1/orders/by-id/${orderId}`)).status, 'refunded');
  });
});

export const late = (world) => describe('what is too late', { concurrency: true }, () => {
  test('a deposit that nobody delivered for in time comes back by the attesters\' word', async () => {
    const [payer, refundTo] = [await world.causeway.payer(42161, { USDC: 1_000n * DOLLARS }), nobody()];
    // The destination loses whatever the filler sends.
    await world.causeway.control(130, 'drop', { transactions: 1_000 });
    const taken = await world.causeway.take(payer, [42161, 'USDC'], [130, 'coin'], 100n * DOLLARS, { built: { refundTo } });
    const orderId = await world.causeway.pay(taken);
    await world.causeway.until(orderId, 'published');
    await world.causeway.moveTime(130, Number(taken.deposit.terms.fillDeadline) + 1);
    const order = await isBack(world.causeway, orderId, refundTo, 'Unfilled');
    assert.match(order.failureReason, /Nobody delivered in time/);
  });

  test('a permit over an order that can be opened no more is refused', async () => {
    const payer = await world.causeway.payer(43114, { USDC: 1_000n * DOLLARS });
    const built = { depositMethod: 'PERMIT2' };
    const taken = await world.causeway.take(payer, [43114, 'USDC'], [8453, 'USDC'], 100n * DOLLARS, { built });
    await world.causeway.walk(taken);
    await world.causeway.moveTime(43114, Number(taken.deposit.terms.openDeadline) + 1);
    const signature = await payer.signTypedData(taken.deposit.permit);
    const code = 'NOT_THIS_DEPOSIT';
    await refuses(world.causeway.submit(taken, { signature }), 400, 'BadRequestException', { code, says: /deadline|time/ });
  });

  test('an expired quote is not built, but a deposit that was built before is taken and filled', async () => {
    const payer = await world.causeway.payer(1);
    const taken = await world.causeway.take(payer, [1, 'coin'], [8453, 'USDC'], 10n ** 17n);
    const { quote } = taken;
    const other = quote.routes.at(-1);
    await sleep(Math.max(...quote.routes.map((route) => route.quote.validBefore)) * 1_000 + 1_000 - Date.now());
    await refuses(world.causeway.build(payer, quote, {}, other), 410, 'QuoteExpiredException', { says: /ask for a new quote/ });
    await world.causeway.until(await world.causeway.pay(taken), 'filled');
  });
});

