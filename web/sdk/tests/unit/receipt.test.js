// Waiting for a receipt ends, whatever the wallet and its node do.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { waitForReceipt } from '../../dist/execute/wallet-request.js';
import { timed } from '../timed.js';

const HASH = `0x${'ab'.repeat(32)}`;
const FROM = `0x${'aa'.repeat(20)}`;

const wallet = (responses) => ({ request: async ({ method }) => responses[method]?.() ?? null });

describe('a transaction', () => {
  it('that is never mined times out with its hash', async () => {
    const { error, seconds } = await timed(() => waitForReceipt(wallet({}), FROM, HASH));
    assert.match(error.message, new RegExp(`${HASH} was sent but not mined within 5 minutes`));
    assert.ok(seconds >= 299 && seconds <= 310, String(seconds));
  });

  it('of a wallet that never responds times out with its hash', async () => {
    const silent = { request: () => new Promise(() => {}) };
    const { error } = await timed(() => waitForReceipt(silent, FROM, HASH));
    assert.match(error.message, new RegExp(`${HASH} was sent but not mined`));
  });

  it('is no longer awaited after an abort, even if the wallet does not respond', async () => {
    const stop = new AbortController();
    const silent = { request: () => { setImmediate(() => stop.abort()); return new Promise(() => {}); } };
    const { error, seconds } = await timed(() => waitForReceipt(silent, FROM, HASH, stop.signal));
    assert.equal(error.name, 'ApiAbortedError');
    assert.ok(seconds <= 2);
  });

  it('that was replaced is reported as replaced', async () => {
    let calls = 0;
    const replaced = wallet({
      eth_getTransactionByHash: () => { calls += 1; return calls > 2 ? null : { nonce: '0x7' }; },
      eth_getTransactionCount: () => '0x8',
    });
    const { error, seconds } = await timed(() => waitForReceipt(replaced, FROM, HASH));
    assert.match(error.message, new RegExp(`${HASH} was replaced by another transaction of the wallet`));
    assert.ok(seconds < 20);
  });

  it('that is queued behind others is not reported as replaced', async () => {
    let calls = 0;
    const waiting = wallet({
      eth_getTransactionReceipt: () => { calls += 1; return calls > 30 ? { status: '0x1' } : null; },
      eth_getTransactionByHash: () => (calls % 2 ? null : { nonce: '0x7' }),
      eth_getTransactionCount: () => '0x7',
    });
    assert.deepEqual(Object.keys(await timed(() => waitForReceipt(waiting, FROM, HASH))), ['value', 'seconds']);
  });
});
