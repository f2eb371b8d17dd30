// The pace of tracking unless it is told another: two seconds between looks, five after an error that may pass.
import assert from 'node:assert/strict';
import { it, mock } from 'node:test';
import { createClient, trackOrder, trackPurchase } from '@causeway/sdk';

/** Runs tracking with a clock of its own; returns the seconds at which each look came. */
async function looks(track, answers) {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  try {
    const seen = [];
    let ended = false;
    let now = 0;
    const fetch = async (url) => {
      if (url.endsWith('/events')) return new Response('', { status: 404 });
      seen.push(now / 1000);
      return answers.shift()();
    };
    const tracking = track(createClient({ baseUrl: 'http://a', fetch }), 'o1').finally(() => { ended = true; });
    for (; !ended && now < 60_000; now += 500) {
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      if (!ended) mock.timers.tick(500);
    }
    await tracking;
    return seen;
  } finally {
    mock.timers.reset();
  }
}

const order = (status) => () => Response.json({ id: 'o1', status });
const purchase = (status) => () => Response.json({ status, polling: { suggestedIntervalMs: 0, isTerminal: status === 'completed' } });
const busy = () => new Response('', { status: 503 });

it('an order is looked at every two seconds, and five after an error that may pass', async () => {
  assert.deepEqual(await looks(trackOrder, [order('created'), order('created'), busy, order('filled')]), [0, 2, 4, 9]);
});

it('a purchase is looked at every two seconds, and five after an error that may pass', async () => {
  assert.deepEqual(await looks(trackPurchase, [purchase('created'), purchase('pending'), busy, purchase('completed')]), [0, 2, 4, 9]);
});
