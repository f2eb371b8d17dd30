import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startSeparately } from './causeway.js';
import { ESCROW } from './escrow.js';
import { declined, isBack, late } from './orders-refunds.js';
import { transfers } from './orders-transfers.js';
import { chainFaults } from './orders-chain-faults.js';
import { Causeway, DOLLARS, eventually, nobody } from './swaps.js';

/** A service of this file's own: its clocks are moved, its fillers robbed, and in the end it is killed. */
const causeway = new Causeway();
let separate;
before(async () => {
  // What comes to an address whose order is over is looked for at once, instead of every minute.
  separate = await startSeparately('[orders]\nlook_back_seconds = 1\n');
  Object.assign(causeway, { url: separate.service.url, chains: separate.chains });
}, { timeout: 240_000 });
after(() => separate?.stop());

describe('money that does not go the straight way is never lost', { concurrency: true, timeout: 300_000 }, () => {
  transfers(causeway);
  declined(causeway);
  late(causeway);
  chainFaults(causeway);
});

test('with the service gone, anybody takes the deposit back with the terms of the build alone', { timeout: 240_000 }, async () => {
  const chain = 747474;
  const [payer, refundTo] = [await causeway.payer(chain, { vbUSDC: 1_000n * DOLLARS }), nobody()];
  const taken = await causeway.take(payer, [chain, 'vbUSDC'], [8453, 'USDC'], 100n * DOLLARS, { built: { refundTo } });
  const { terms, recovery, intentId } = taken.deposit;
  await separate.service.kill();
  const [, deposit] = await causeway.walk(taken);
  assert.equal((await causeway.receipt(chain, deposit)).status, 'success');
  const anybody = await causeway.payer(chain);
  const refund = { address: recovery.escrow, abi: ESCROW, functionName: 'refund', args: [terms], account: anybody };
  await assert.rejects(() => causeway.read(chain).simulateContract(refund), /NotRefundable/);
  await causeway.moveTime(chain, recovery.refundAfter + 1);
  const { request } = await causeway.read(chain).simulateContract(refund);
  const hash = await causeway.wallet(chain, anybody).writeContract(request);
  assert.equal((await causeway.receipt(chain, hash)).status, 'success');
  assert.equal(await causeway.balance(chain, await causeway.token(chain, 'vbUSDC'), refundTo), 100n * DOLLARS);
  // When it is back, the service learns it from the chain.
  await separate.service.start();
  causeway.url = separate.service.url;
  const orders = () => causeway.get(`/v1/orders/${payer.address}`);
  const { data: [{ id }] } = await eventually(orders, ({ data }) => data.length === 1, 'an order');
  const order = await isBack(causeway, id, refundTo, 'Expired');
  assert.equal(order.transactions.refund.txHash, hash);
  assert.equal((await causeway.get(`/v1/intent/${intentId}`)).state, 'Expired');
});
