// Waiting for a receipt comes to an end, whatever the wallet and its node do.
import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { mined } from '../../dist/execute/wallet-request.js';

const HASH = `0x${'ab'.repeat(32)}`;
const FROM = `0x${'aa'.repeat(20)}`;

/** Runs with a clock of its own, which goes on a second at a time until `work` is over; returns how long that took and how it ended. */
async function timed(work, most = 1_000) {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  try {
    let ended;
    work().then((value) => { ended = { value }; }, (error) => { ended = { error }; });
    let seconds = 0;
    for (; !ended && seconds < most; seconds += 1) {
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      if (!ended) mock.timers.tick(1_000);
    }
    return { ...ended, seconds };
  } finally {
    mock.timers.reset();
  }
}

const wallet = (answers) => ({ request: async ({ method }) => answers[method]?.() ?? null });

describe('a transaction', () => {
  it('that is never mined is given up by name', async () => {
    const { error, seconds } = await timed(() => mined(wallet({}), FROM, HASH));
    assert.match(error.message, new RegExp(`${HASH} was sent and is not mined after 5 minutes`));
    assert.ok(seconds >= 299 && seconds <= 310, String(seconds));
  });

  it('of which the wallet never says anything is given up by name', async () => {
    const silent = { request: () => new Promise(() => {}) };
    const { error } = await timed(() => mined(silent, FROM, HASH));
    assert.match(error.message, new RegExp(`${HASH} was sent and is not mined`));
  });

  it('is no longer waited for after an abort, though the wallet is silent', async () => {
    const stop = new AbortController();
    const silent = { request: () => { setImmediate(() => stop.abort()); return new Promise(() => {}); } };
    const { error, seconds } = await timed(() => mined(silent, FROM, HASH, stop.signal));
    assert.equal(error.name, 'ApiAbortedError');
    assert.ok(seconds <= 2);
  });

  it('that another one has replaced is told as such', async () => {
    let looks = 0;
    const replaced = wallet({
      eth_getTransactionByHash: () => { looks += 1; return looks > 2 ? null : { nonce: '0x7' }; },
      eth_getTransactionCount: () => '0x8',
    });
    const { error, seconds } = await timed(() => mined(replaced, FROM, HASH));
    assert.match(error.message, new RegExp(`${HASH} was replaced by another one of the wallet`));
    assert.ok(seconds < 20);
  });

  it('that waits behind others is not taken for replaced', async () => {
    let looks = 0;
    const waiting = wallet({
      eth_getTransactionReceipt: () => { looks += 1; return looks > 30 ? { status: '0x1' } : null; },
      eth_getTransactionByHash: () => (looks % 2 ? null : { nonce: '0x7' }),
      eth_getTransactionCount: () => '0x7',
    });
    assert.deepEqual(Object.keys(await timed(() => mined(waiting, FROM, HASH))), ['value', 'seconds']);
  });
});
