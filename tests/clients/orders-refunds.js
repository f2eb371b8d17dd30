import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEventLogs } from 'viem';
import { ESCROW } from './escrow.js';
import { DOLLARS, FILLERS, eventually, newAddress, rejects, rejectsBadRequest } from './swaps.js';

/** Creates a contract that takes coins until it is called with data, and rejects them from then on. */
const TURNCOAT = '0x6018600a5f3960185ff33615600b576001600055005b600054156016575f5ffd5b00';
const CAUSES = ['Waived', 'Unfilled', 'Expired'];

/** Asserts that the deposit was refunded to `refundTo`, in the transaction of the order, for this cause. */
export async function assertRefunded(causeway, orderId, refundTo, cause) {
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

export const declined = (causeway) => describe('a filler without enough balance', { concurrency: true }, () => {
  const [FROM, TO] = [[8453, 'USDC'], [59144, 'USDT']];
  let swaps;
  let payers;
  const refundTo = [newAddress(), newAddress()];
  before(async () => {
    payers = await Promise.all(refundTo.map(() => causeway.payer(8453, { USDC: 1_000n * DOLLARS })));
    const take = (number, depositMethod) =>
      causeway.quoteAndBuild(payers[number], FROM, TO, 100n * DOLLARS, { built: { refundTo: refundTo[number], depositMethod } });
    swaps = [await take(0, 'CONTRACT_CALL'), await take(1, 'TRANSFER')];
    const { filler } = swaps[0];
    assert.equal(swaps[1].filler, filler);
    const [hot, token] = [FILLERS[filler].hot, await causeway.token(...TO)];
    await causeway.transfer(59144, hot, token, newAddress(), await causeway.balance(59144, token, hot.address));
    const offers = async () => (await causeway.quote(payers[0], FROM, TO, 100n * DOLLARS)).routes.map((route) => route.filler);
    await eventually(offers, (fillers) => !fillers.includes(filler), 'a quote without this filler');
  }, { timeout: 180_000 });

  test('waives the order: the deposit is refunded with the reason', async () => {
    const orderId = await causeway.pay(swaps[0]);
    const order = await assertRefunded(causeway, orderId, refundTo[0], 'Waived');
    assert.match(order.failureReason, /does not have enough/);
    const intent = await causeway.get(`/v1/intent/${order.intentId}`);
    assert.equal(intent.state, 'Cancelled');
  });

  test('waives the order: a transfer is refunded, and so is a later one', async () => {
    const { depositAddress, token, orderId } = swaps[1].deposit;
    await causeway.transfer(8453, payers[1], token, depositAddress, 100n * DOLLARS);
    await assertRefunded(causeway, orderId, refundTo[1], 'Waived');
    await causeway.transfer(8453, payers[1], token, depositAddress, 100n * DOLLARS);
    await eventually(() => causeway.balance(8453, token, refundTo[1]), (has) => has === 200n * DOLLARS, 'the second return');
    assert.equal((await causeway.get(`/v1/orders/by-id/${orderId}`)).status, 'refunded');
  });
});

export const late = (causeway) => describe('after the deadline', { concurrency: true }, () => {
  test('a deposit that was not filled in time is refunded with attestations', async () => {
    const [payer, refundTo] = [await causeway.payer(42161, { USDC: 1_000n * DOLLARS }), newAddress()];
    // The destination drops all transactions of the filler.
    await causeway.control(130, 'drop', { transactions: 1_000 });
    const taken = await causeway.quoteAndBuild(payer, [42161, 'USDC'], [130, 'coin'], 100n * DOLLARS, { built: { refundTo } });
    const orderId = await causeway.pay(taken);
    await causeway.until(orderId, 'published');
    await causeway.moveTime(130, Number(taken.deposit.terms.fillDeadline) + 1);
    const order = await assertRefunded(causeway, orderId, refundTo, 'Unfilled');
    // The second, if time moved before the filler had sent anything.
    assert.match(order.failureReason, /Nobody delivered in time|FillDeadlinePassed/);
  });

  test('a deposit whose recipient rejects the fill is refunded', async () => {
    const [payer, refundTo] = [await causeway.payer(42161, { USDC: 1_000n * DOLLARS }), newAddress()];
    const deployer = await causeway.payer(80094);
    const created = await causeway.send(80094, deployer, { data: TURNCOAT });
    const { contractAddress: recipient } = await causeway.receipt(80094, created);
    const taken = await causeway.quoteAndBuild(payer, [42161, 'USDC'], [80094, 'coin'], 100n * DOLLARS, { built: { refundTo, recipient } });
    await causeway.receipt(80094, await causeway.send(80094, deployer, { to: recipient, data: '0x01' }));
    await assert.rejects(causeway.quoteAndBuild(payer, [42161, 'USDC'], [80094, 'coin'], 100n * DOLLARS, { built: { refundTo, recipient } }),
      /recipient cannot be paid/);
    const orderId = await causeway.pay(taken);
    const order = await assertRefunded(causeway, orderId, refundTo, 'Waived');
    assert.match(order.failureReason, /recipient cannot be paid/);
  });

  test('a deposit within one chain that was not filled is refunded without attestations', async () => {
    const chain = 324;
    const [payer, refundTo] = [await causeway.payer(chain, { USDC: 1_000n * DOLLARS }), newAddress()];
    const taken = await causeway.quoteAndBuild(payer, [chain, 'USDC'], [chain, 'coin'], 100n * DOLLARS, { built: { refundTo } });
    const hashes = await causeway.sendTransactions(taken);
    await causeway.receipt(chain, hashes.at(-1));
    await causeway.control(chain, 'drop', { transactions: 1_000 });
    const { orderId } = await causeway.submit(taken, { txHash: hashes.at(-1) });
    await causeway.until(orderId, 'published');
    assert.equal(taken.deposit.recovery.refundAfter, Number(taken.deposit.terms.fillDeadline));
    await causeway.moveTime(chain, taken.deposit.recovery.refundAfter + 1);
    await causeway.until(orderId, 'refund_pending');
    await causeway.control(chain, 'drop', { transactions: 0 });
    await assertRefunded(causeway, orderId, refundTo, 'Expired');
  });

  test('a permit for an order after its open deadline is rejected', async () => {
    const payer = await causeway.payer(43114, { USDC: 1_000n * DOLLARS });
    const built = { depositMethod: 'PERMIT2' };
    const taken = await causeway.quoteAndBuild(payer, [43114, 'USDC'], [8453, 'USDC'], 100n * DOLLARS, { built });
    await causeway.sendTransactions(taken);
    await causeway.moveTime(43114, Number(taken.deposit.terms.openDeadline) + 1);
    const signature = await payer.signTypedData(taken.deposit.permit);
    const code = 'NOT_THIS_DEPOSIT';
    await rejectsBadRequest(causeway.submit(taken, { signature }), { code, message: /deadline|time/ });
  });

  test('an expired quote cannot be built, but a deposit that was built before is filled', async () => {
    const payer = await causeway.payer(1);
    const taken = await causeway.quoteAndBuild(payer, [1, 'coin'], [8453, 'USDC'], 10n ** 17n);
    const { quote } = taken;
    const other = quote.routes.at(-1);
    await sleep(Math.max(...quote.routes.map((route) => route.quote.validBefore)) * 1_000 + 1_000 - Date.now());
    await rejects(causeway.build(payer, quote, {}, other), 410, 'QuoteExpiredException', { message: /ask for a new quote/ });
    await causeway.until(await causeway.pay(taken), 'filled');
  });
});

