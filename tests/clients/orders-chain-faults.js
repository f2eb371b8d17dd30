import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { keccak256 } from 'viem';
import { eventually, nobody } from './swaps.js';

const COIN = 10n ** 17n;

/** Every test has a pair of chains of its own, because what it does to them concerns all that goes on there. */
export const chainFaults = (causeway) => describe('chains that misbehave', { concurrency: true }, () => {
  /** A swap from chain to chain, with a recipient who is paid by nobody else. */
  async function take(from, to, amount = COIN) {
    const payer = await causeway.payer(from, { coin: 2n * amount });
    const recipient = nobody();
    const taken = await causeway.take(payer, [from, 'coin'], to, amount, { built: { recipient } });
    const paid = async () => causeway.balance(to[0], await causeway.token(...to), recipient);
    const filled = async (orderId) => {
      const order = await causeway.until(orderId, 'filled');
      assert.equal(await paid(), BigInt(taken.offer.amountOut), 'paid once');
      return order;
    };
    return { taken, paid, filled };
  }

  test('a signed deposit that a reorganisation forgets is brought again', async () => {
    const { taken, filled } = await take(56, [1, 'USDC']);
    const signedTransaction = await causeway.sign(taken);
    const { orderId } = await causeway.submit(taken, { signedTransaction });
    await causeway.receipt(56, keccak256(signedTransaction));
    await causeway.control(56, 'reorg', { blocks: 1, forget: true });
    assert.equal((await filled(orderId)).depositTxHash, keccak256(signedTransaction));
  });

  test('a delivery that a reorganisation forgets is brought again, and paid once', async () => {
    const { taken, paid, filled } = await take(1, [2741, 'coin']);
    const orderId = await causeway.pay(taken);
    await eventually(paid, (amount) => amount > 0n, 'a first delivery');
    await causeway.control(2741, 'reorg', { blocks: 1, forget: true });
    await filled(orderId);
  });

  test('endpoints that fail, dawdle and lag delay an order, and no more', async () => {
    const { taken, filled } = await take(5000, [16661, 'coin'], 1_000n * COIN);
    const orderId = await causeway.pay(taken);
    const faults = (values) => Promise.all([5000, 16661].map((chain) => causeway.control(chain, 'faults', values)));
    await faults({ failEvery: 7, slowMilliseconds: 50, staleBlocks: 1 });
    await causeway.until(orderId, 'filled').finally(() => faults({}));
    await filled(orderId);
  });
});
