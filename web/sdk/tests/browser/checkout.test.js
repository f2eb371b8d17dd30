// The checkout in a real browser, against a wrapper page and a status that do what each test needs.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkout, ended, events, fiat, gone, newOrder, say, shop, stranger, underWay, visit } from './stage.js';

const outcome = ({ outcome: end, finalStatus, orderId }) => [end, finalStatus?.status, orderId];

describe('a checkout', { concurrency: 3 }, () => {
  it('is completed by a message after the widget was ready', () => visit(async (page) => {
    const { record, answer } = newOrder();
    const popup = await checkout(page, { answer });
    await say(popup, answer.orderId, 'widget_ready', 'order_created');
    record.status = 'completed';
    await say(popup, answer.orderId, 'order_completed');
    assert.deepEqual(outcome(await ended(page)), ['completed', 'completed', answer.orderId]);
    assert.deepEqual(await events(page), ['widget_ready', 'order_created', 'order_completed']);
    assert.deepEqual(await page.evaluate(() => window.statuses), ['created', 'completed']);
    await gone(popup);
  }));

  it('is completed by the status alone', () => visit(async (page) => {
    const { record, answer } = newOrder('created', 100);
    await checkout(page, { answer }, { minPollIntervalMs: 100 });
    record.status = 'completed';
    assert.deepEqual(outcome(await ended(page)), ['completed', 'completed', answer.orderId]);
  }));

  it('is failed by a message', () => visit(async (page) => {
    const { record, answer } = newOrder();
    const popup = await checkout(page, { answer });
    await say(popup, answer.orderId, 'widget_ready');
    record.status = 'failed';
    await say(popup, answer.orderId, 'order_failed');
    assert.deepEqual(outcome(await ended(page)), ['failed', 'failed', answer.orderId]);
  }));

  for (const status of ['failed', 'canceled', 'expired']) {
    it(`is failed by the status ${status}, which is told`, () => visit(async (page) => {
      const { record, answer } = newOrder('created', 100);
      await checkout(page, { answer }, { minPollIntervalMs: 100 });
      record.status = status;
      assert.deepEqual(outcome(await ended(page)), ['failed', status, answer.orderId]);
    }));
  }

  it('is settled by a message while the service still settles', () => visit(async (page) => {
    const { record, answer } = newOrder();
    const popup = await checkout(page, { answer });
    record.status = 'processing';
    await say(popup, answer.orderId, 'widget_ready', 'order_completed');
    assert.deepEqual(outcome(await ended(page)), ['completed', 'processing', answer.orderId]);
  }));

  it('that is closed before paying is canceled', () => visit(async (page) => {
    const { record, answer } = newOrder();
    const popup = await checkout(page, { answer });
    await say(popup, answer.orderId, 'widget_ready');
    await popup.close();
    assert.deepEqual(outcome(await ended(page)), ['canceled', 'created', answer.orderId]);
    assert.equal(record.asked, 2, 'the service was asked once more');
  }));

  it('that is closed after paying is followed to its end', () => visit(async (page) => {
    const { record, answer } = newOrder('created', 100);
    const popup = await checkout(page, { answer }, { minPollIntervalMs: 100 });
    record.status = 'processing';
    await popup.close();
    const count = await page.evaluate(() => window.statuses.length);
    await page.waitForFunction((before) => window.statuses.length > before + 4, count);
    record.status = 'completed';
    assert.deepEqual(outcome(await ended(page)), ['completed', 'completed', answer.orderId]);
  }));

  it('that is closed when all is over ends as the order did', () => visit(async (page) => {
    for (const [status, end] of [['completed', 'completed'], ['expired', 'failed']]) {
      const { record, answer } = newOrder();
      const popup = await checkout(page, { answer });
      record.status = status;
      await popup.close();
      assert.deepEqual(outcome(await ended(page)), [end, status, answer.orderId]);
    }
  }));

  it('that is aborted closes its window and tells how it stood', () => visit(async (page) => {
    const { record, answer } = newOrder();
    const popup = await checkout(page, { answer });
    record.status = 'pending';
    await page.evaluate(() => window.stop.abort());
    assert.deepEqual(outcome(await ended(page)), ['aborted', 'pending', answer.orderId]);
    await gone(popup);
  }));

  it('that was aborted before it began opens nothing', () => visit(async (page, context) => {
    const { answer } = newOrder();
    const result = await page.evaluate((order) => window.sdk.startCheckout(window.client, order, { signal: AbortSignal.abort() }), answer);
    assert.deepEqual(outcome(result), ['aborted', 'created', answer.orderId]);
    assert.equal(context.pages().length, 1);
  }));

  it('whose popup is blocked is SVC6006', () => visit(async (_, context) => {
    const page = await context.newPage();
    await page.goto(`${shop}/hasty`);
    assert.deepEqual(await ended(page), { name: 'ServiceError', code: 'SVC6006' });
  }));

  it('in a worker is SVC6007', () => visit(async (page) => {
    const { answer } = newOrder();
    const code = await page.evaluate((order) => new Promise((resolve) => {
      const script = `import { createClient, startCheckout } from '${location.origin}/sdk.js';
        startCheckout(createClient({ baseUrl: '${location.origin}' }), ${JSON.stringify(order)}).catch(({ code }) => postMessage(code));`;
      const worker = new Worker(URL.createObjectURL(new Blob([script], { type: 'text/javascript' })), { type: 'module' });
      worker.onmessage = ({ data }) => resolve(data);
    }), answer);
    assert.equal(code, 'SVC6007');
  }));

  it('hears nobody but the fiat API', () => visit(async (page, context) => {
    const { record, answer } = newOrder();
    const popup = await checkout(page, { answer });
    const lies = ['widget_ready', 'order_completed'].map((event) => ({ type: 'FIAT_WIDGET_EVENT', event, orderId: answer.orderId }));
    // The page itself, and a stranger that it opened.
    await page.evaluate((all) => all.forEach((lie) => window.postMessage(lie, '*')), lies);
    const opened = context.waitForEvent('page');
    await page.evaluate((url) => { window.open(url); }, stranger);
    const other = await opened;
    await other.waitForURL(`${stranger}/`);
    await other.evaluate((all) => all.forEach((lie) => window.opener.postMessage(lie, '*')), lies);
    // Nor what is no message of the wrapper, nor another order's.
    await popup.evaluate((id) => {
      for (const message of [null, 'order_completed', { event: 'order_completed', orderId: id }]) window.opener.postMessage(message, '*');
    }, answer.orderId);
    await say(popup, 'another', 'widget_ready', 'order_failed');
    await say(popup, answer.orderId, 'order_processing');
    await page.waitForFunction(() => window.events.length > 2);
    // The window's own messages are told whatever they name; only those of the order settle anything.
    assert.deepEqual(await events(page), ['widget_ready', 'order_failed', 'order_processing']);
    record.status = 'completed';
    await say(popup, answer.orderId, 'widget_ready', 'order_completed');
    assert.deepEqual(outcome(await ended(page)), ['completed', 'completed', answer.orderId]);
  }));

  it('counts no end that is told before the widget was ready', () => visit(async (page) => {
    const { record, answer } = newOrder();
    const popup = await checkout(page, { answer });
    await say(popup, answer.orderId, 'order_completed', 'order_failed', 'widget_ready');
    await page.waitForFunction(() => window.events.length === 3);
    assert.equal(record.asked, 1, 'nothing was settled');
    record.status = 'failed';
    await say(popup, answer.orderId, 'order_failed');
    assert.deepEqual(outcome(await ended(page)), ['failed', 'failed', answer.orderId]);
  }));

  it('whose last status fails rejects with that error', () => visit(async (page) => {
    const { record, answer } = newOrder();
    const popup = await checkout(page, { answer });
    record.status = 'failing';
    await say(popup, answer.orderId, 'widget_ready', 'order_completed');
    assert.deepEqual(await ended(page), { error: { name: 'InternalServerError', code: 'SVC3001', message: 'Ours.' } });
    await gone(popup);
  }));

  it('whose last status does not come rejects with a time-out', () => visit(async (page) => {
    const { record, answer } = newOrder();
    const popup = await checkout(page, { answer });
    record.status = 'silent';
    await popup.close();
    const { error } = await ended(page);
    assert.deepEqual([error.name, error.code], ['ApiTimeoutError', 'SVC3002']);
  }, { timeout: 1000 }));

  it('opens its window in the click, before a promised order is there', () => visit(async (page) => {
    const { record, answer } = newOrder();
    await page.evaluate(() => { window.later = new Promise((resolve, reject) => Object.assign(window, { resolve, reject })); });
    const popup = await checkout(page, { answer }, { pending: true });
    assert.equal(popup.url(), 'about:blank');
    await page.evaluate((order) => window.resolve(order), answer);
    await underWay(page, popup, answer);
    record.status = 'completed';
    await say(popup, answer.orderId, 'widget_ready', 'order_completed');
    assert.deepEqual(outcome(await ended(page)), ['completed', 'completed', answer.orderId]);
    assert.deepEqual(await events(page), ['widget_ready', 'order_completed']);
  }));

  it('whose promised order does not come closes its window and rejects with the reason', () => visit(async (page) => {
    await page.evaluate(() => { window.later = new Promise((_, reject) => { window.reject = reject; }); });
    const popup = await checkout(page, newOrder(), { pending: true });
    await page.evaluate(() => window.reject(new Error('No such quote.')));
    assert.equal((await ended(page)).error.message, 'No such quote.');
    await gone(popup);
  }));

  it('whose promised order does not come is ended by an abort', () => visit(async (page) => {
    await page.evaluate(() => { window.later = new Promise(() => {}); });
    const popup = await checkout(page, newOrder(), { pending: true });
    await page.evaluate(() => window.stop.abort());
    const { error } = await ended(page);
    assert.deepEqual([error.name, error.code], ['ApiAbortedError', 'SVC3009']);
    await gone(popup);
  }));

  it('has a window of 500 by 700 unless told otherwise', () => visit(async (page) => {
    for (const [options, size] of [[{}, [500, 700]], [{ popup: { width: 420, height: 640 } }, [420, 640]]]) {
      const popup = await checkout(page, newOrder(), options);
      assert.deepEqual(await popup.evaluate(() => [window.innerWidth, window.innerHeight]), size);
      await page.evaluate(() => window.stop.abort());
      await ended(page);
    }
  }));

  it('shows no page that is none', () => visit(async (page) => {
    const { answer } = newOrder();
    await page.evaluate(() => { window.later = Promise.resolve({ orderId: 'o', wrapperUrl: 'javascript:alert(1)' }); });
    await checkout(page, { answer }, { pending: true });
    assert.equal((await ended(page)).error.code, 'SVC3003');
  }));
});

describe('between two looks at the status', () => {
  const looks = [
    ['the hint is waited for where it is larger than the floor', { minPollIntervalMs: 1000 }, 5000, 5000],
    ['the floor is waited for where it is larger than the hint', { minPollIntervalMs: 5000 }, 1000, 5000],
  ];
  for (const [name, options, hint, wait] of looks) {
    it(name, () => visit(async (page) => {
      const { record, answer } = newOrder('created', hint);
      await checkout(page, { answer }, options);
      const asked = async (times) => {
        await page.waitForFunction((count) => window.statuses.length === count, times, { polling: 'raf' });
        assert.equal(record.asked, times);
      };
      await asked(1);
      await page.clock.runFor(wait - 100);
      assert.equal(record.asked, 1);
      await page.clock.runFor(200);
      await asked(2);
      await page.clock.runFor(wait - 300);
      assert.equal(record.asked, 2);
      await page.clock.runFor(400);
      await asked(3);
    }, { clock: true }));
  }

  it('an error that may pass is waited out', () => visit(async (page) => {
    const { record, answer } = newOrder('failing');
    const answered = page.waitForResponse((response) => response.status() === 500);
    await checkout(page, { answer });
    await (await answered).finished();
    await page.waitForTimeout(300);
    assert.equal(record.asked, 1);
    record.status = 'completed';
    // When the page has read the answer and set its clock nobody tells, so its time goes on until it asks again, or should have.
    for (let seconds = 0; seconds < 20 && record.asked === 1; seconds += 1) await page.clock.runFor(1000);
    await page.waitForFunction(() => window.statuses.length > 0, null, { polling: 'raf' });
    assert.deepEqual(outcome(await ended(page)), ['completed', 'completed', answer.orderId]);
  }, { clock: true }));
});

describe('without a popup', () => {
  it('the wrapper stands in a frame until the checkout has ended', () => visit(async (page) => {
    const { record, answer } = newOrder();
    await page.evaluate((order) => {
      window.statuses = [];
      const onStatus = ({ status }) => window.statuses.push(status);
      window.result = window.sdk.embedCheckout(window.client, order, document.querySelector('#frame'), { onStatus });
    }, answer);
    const handle = await page.waitForSelector('iframe');
    assert.equal(await handle.getAttribute('allow'), 'payment; camera; microphone');
    const frame = await handle.contentFrame();
    await underWay(page, frame, answer);
    record.status = 'completed';
    await say(frame, answer.orderId, 'widget_ready', 'order_completed');
    assert.deepEqual(outcome(await ended(page)), ['completed', 'completed', answer.orderId]);
    assert.equal(await page.locator('iframe').count(), 0);
  }));

  it('a frame that asks to be closed is a closed window', () => visit(async (page) => {
    const { answer } = newOrder();
    await page.evaluate((order) => {
      window.statuses = [];
      const onStatus = ({ status }) => window.statuses.push(status);
      window.result = window.sdk.embedCheckout(window.client, order, document.querySelector('#frame'), { onStatus });
    }, answer);
    const frame = await (await page.waitForSelector('iframe')).contentFrame();
    await underWay(page, frame, answer);
    await say(frame, answer.orderId, 'widget_ready', 'widget_close');
    assert.deepEqual(outcome(await ended(page)), ['canceled', 'created', answer.orderId]);
    assert.equal(await page.locator('iframe').count(), 0);
  }));

  it('the page is left for the provider\'s own', () => visit(async (page) => {
    const { answer } = newOrder();
    await page.evaluate((order) => { window.sdk.redirectToCheckout(order); }, answer);
    await page.waitForURL(`${fiat}/provider`);
    assert.notEqual(new URL(page.url()).origin, shop);
  }));
});
