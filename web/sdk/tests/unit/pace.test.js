import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as sdk from '@causeway/sdk';

const order = (status) => Response.json({ id: 'o', status });
const busy = () => Response.json({ name: 'InternalErrorException', message: 'Later.' }, { status: 503 });

/** Lets everything happen that waits for no timer. */
const settle = async () => {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** Tracks an order that is answered by these responses, and returns after how many milliseconds each was asked for. */
async function waits(timers, answers) {
  const asked = [];
  let now = 0;
  const fetch = async (url) => {
    if (String(url).endsWith('/events')) return Response.json({ name: 'NotFoundException', message: 'No events.' }, { status: 404 });
    asked.push(now);
    return answers[asked.length - 1]();
  };
  let done = false;
  const tracked = sdk.trackOrder(sdk.createClient({ baseUrl: 'http://a', fetch }), 'o').finally(() => (done = true));
  await settle();
  while (!done && now < 60_000) {
    timers.tick(500);
    now += 500;
    await settle();
  }
  await tracked;
  return asked.map((at, index) => at - (asked[index - 1] ?? 0));
}

describe('tracking', () => {
  it('looks every 2 seconds and waits 5 after an error that may pass, unless told', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const answers = [() => order('created'), () => order('deposited'), busy, busy, () => order('filled')];
    assert.deepEqual(await waits(t.mock.timers, answers), [0, 2000, 2000, 5000, 5000]);
  });
});
