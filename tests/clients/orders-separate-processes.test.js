import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startSeparately } from './causeway.js';
import { ESCROW } from './escrow.js';
import { declined, assertRefunded, late } from './orders-refunds.js';
import { transfers } from './orders-transfers.js';
import { chainFaults } from './orders-chain-faults.js';
import { Causeway, DOLLARS, eventually, newAddress } from './swaps.js';

/** A separate service: these tests move its clocks, drain its fillers and kill it in the end. */
const causeway = new Causeway();
let separate;
before(async () => {
  // Addresses of finished orders are checked every second, instead of every minute.
  // Prices stand still: a deposit after its price had expired is returned where the price has moved since.
  separate = await startSeparately('[orders]\nlook_back_seconds = 1\n\n[sandbox]\ndrifting_prices = false\n');
  Object.assign(causeway, { url: separate.service.url, chains: separate.chains });
}, { timeout: 240_000 });
after(() => separate?.stop());

describe('late, excess and failed deposits are returned', { concurrency: true, timeout: 300_000 }, () => {
  transfers(causeway);
  declined(causeway);
  late(causeway);
  chainFaults(causeway);
});

test('without the service, anybody can refund the deposit with the terms of the build', { timeout: 240_000 }, async () => {
  const chain = 747474;
  const [payer, refundTo] = [await causeway.payer(chain, { vbUSDC: 1_000n * DOLLARS }), newAddress()];
  const taken = await causeway.quoteAndBuild(payer, [chain, 'vbUSDC'], [8453, 'USDC'], 100n * DOLLARS, { built: { refundTo } });
  const { terms, recovery, intentId } = taken.deposit;
  await separate.service.kill();
  const [, deposit] = await causeway.sendTransactions(taken);
  assert.equal((await causeway.receipt(chain, deposit)).status, 'success');
  const other = await causeway.payer(chain);
  const refund = { address: recovery.escrow, abi: ESCROW, functionName: 'refund', args: [terms], account: other };
  await assert.rejects(() => causeway.read(chain).simulateContract(refund), /NotRefundable/);
  await causeway.moveTime(chain, recovery.refundAfter + 1);
  const { request } = await causeway.read(chain).simulateContract(refund);
  const hash = await causeway.wallet(chain, other).writeContract(request);
  assert.equal((await causeway.receipt(chain, hash)).status, 'success');
  assert.equal(await causeway.balance(chain, await causeway.token(chain, 'vbUSDC'), refundTo), 100n * DOLLARS);
  // After its restart, the service reads the refund from the chain.
  await separate.service.start();
  causeway.url = separate.service.url;
  const orders = () => causeway.get(`/v1/orders/${payer.address}`);
  const { data: [{ id }] } = await eventually(orders, ({ data }) => data.length === 1, 'an order');
  const order = await assertRefunded(causeway, id, refundTo, 'Expired');
  assert.equal(order.transactions.refund.txHash, hash);
  assert.equal((await causeway.get(`/v1/intent/${intentId}`)).state, 'Expired');
});
