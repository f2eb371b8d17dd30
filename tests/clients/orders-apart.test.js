import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startApart } from './causeway.js';
import { ESCROW } from './escrow.js';
import { declined, isBack, late } from './orders-refunds.js';
import { transfers } from './orders-transfers.js';
import { Causeway, eventually, nobody } from './swaps.js';

const DOLLARS = 1_000_000n;

/** A service of this file's own: its clocks are moved, its fillers robbed, and in the end it is killed. */
const world = {};
before(async () => {
  // What comes to an address whose order is over is looked for at once, instead of every minute.
  Object.assign(world, await startApart('[orders]\nlook_back_seconds = 1\n'));
  world.causeway = new Causeway(world.url, world.chains);
}, { timeout: 120_000 });
after(() => world.stop?.());

describe('money that does not go the straight way is never lost', { concurrency: true, timeout: 180_000 }, () => {
  transfers(world);
  declined(world);
  late(world);
});

test('with the service gone, anybody takes the deposit back with the terms of the build alone', { timeout: 120_000 }, async () => {
  let { causeway } = world;
  const chain = 747474;
  const [payer, refundTo] = [await causeway.payer(chain, { vbUSDC: 1_000n * DOLLARS }), nobody()];
  const taken = await causeway.take(payer, [chain, 'vbUSDC'], [8453, 'USDC'], 100n * DOLLARS, { built: { refundTo } });
  const { terms, recovery, intentId } = taken.deposit;
  await world.service.kill();
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
  await world.service.start();
  causeway = new Causeway(world.service.url, world.chains);
  const { state } = await eventually(() => causeway.get(`/v1/intent/${intentId}`).catch(({ name }) => ({ state: name })), ({ state }) => state === 'Expired', 'Expired');
  assert.equal(state, 'Expired');
  const { data: [{ id }] } = await causeway.get(`/v1/orders/${payer.address}`);
  const order = await isBack(causeway, id, refundTo, 'Expired');
  assert.equal(order.transactions.refund.txHash, hash);
});
