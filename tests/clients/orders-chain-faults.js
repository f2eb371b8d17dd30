import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { keccak256 } from 'viem';
import { eventually, newAddress } from './swaps.js';

const COIN = 10n ** 17n;

/** Every test uses its own pair of chains, because its faults affect everything on them. */
export const chainFaults = (causeway) => describe('chain faults', { concurrency: true }, () => {
  /** A swap between two chains, with a new recipient. */
  async function take(from, to, amount = COIN) {
    const payer = await causeway.payer(from, { coin: 2n * amount });
    const recipient = newAddress();
    const taken = await causeway.quoteAndBuild(payer, [from, 'coin'], to, amount, { built: { recipient } });
    const paid = async () => causeway.balance(to[0], await causeway.token(...to), recipient);
    const filled = async (orderId) => {
      const order = await causeway.until(orderId, 'filled');
      assert.equal(await paid(), BigInt(taken.offer.amountOut), 'delivered once');
      return order;
    };
    return { taken, paid, filled };
  }

  test('a signed deposit that a reorganization drops is sent again', async () => {
    const { taken, filled } = await take(56, [1, 'USDC']);
    const signedTransaction = await causeway.sign(taken);
    const { orderId } = await causeway.submit(taken, { signedTransaction });
    await causeway.receipt(56, keccak256(signedTransaction));
    await causeway.control(56, 'reorg', { blocks: 1, forget: true });
    assert.equal((await filled(orderId)).depositTxHash, keccak256(signedTransaction));
  });

  test('a fill that a reorganization drops is sent again, and delivered once', async () => {
    const { taken, paid, filled } = await take(1, [2741, 'coin']);
    const orderId = await causeway.pay(taken);
    await eventually(paid, (amount) => amount > 0n, 'the first fill');
    await causeway.control(2741, 'reorg', { blocks: 1, forget: true });
    await filled(orderId);
  });

  test('endpoints that fail, respond slowly and lag only delay an order', async () => {
    const { taken, filled } = await take(5000, [16661, 'coin'], 1_000n * COIN);
    const orderId = await causeway.pay(taken);
    const faults = (values) => Promise.all([5000, 16661].map((chain) => causeway.control(chain, 'faults', values)));
    await faults({ failEvery: 7, slowMilliseconds: 50, staleBlocks: 1 });
    await causeway.until(orderId, 'filled').finally(() => faults({}));
    await filled(orderId);
  });
});
