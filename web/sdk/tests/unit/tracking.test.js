// The default polling interval of two seconds, and the delay of five seconds after a transient error.
import assert from 'node:assert/strict';
import { it, mock } from 'node:test';
import { createClient, trackOrder, trackPurchase } from '@causeway/sdk';

/** Runs tracking with mocked timers; returns the seconds at which it polled. */
async function pollTimes(track, responses) {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  try {
    const times = [];
    let ended = false;
    let now = 0;
    const fetch = async (url) => {
      if (url.endsWith('/events')) return new Response('', { status: 404 });
      times.push(now / 1000);
      return responses.shift()();
    };
    const tracking = track(createClient({ baseUrl: 'http://a', fetch }), 'o1').finally(() => { ended = true; });
    for (; !ended && now < 60_000; now += 500) {
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      if (!ended) mock.timers.tick(500);
    }
    await tracking;
    return times;
  } finally {
    mock.timers.reset();
  }
}

const order = (status) => () => Response.json({ id: 'o1', status });
const purchase = (status) => () => Response.json({ status, polling: { suggestedIntervalMs: 0, isTerminal: status === 'completed' } });
const busy = () => new Response('', { status: 503 });

it('an order is polled every two seconds, and five seconds after a transient error', async () => {
  assert.deepEqual(await pollTimes(trackOrder, [order('created'), order('created'), busy, order('filled')]), [0, 2, 4, 9]);
});

it('a purchase is polled every two seconds, and five seconds after a transient error', async () => {
  assert.deepEqual(await pollTimes(trackPurchase, [purchase('created'), purchase('pending'), busy, purchase('completed')]), [0, 2, 4, 9]);
});
