// The checkout in a real browser, against a local wrapper page and status API.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkout, closed, events, fiat, newOrder, otherOrigin, post, result, running, shop, visit } from './checkout-fixture.js';

const summary = ({ outcome, finalStatus, orderId }) => [outcome, finalStatus?.status, orderId];

describe('a checkout', { concurrency: 3 }, () => {
  it('is completed by a message after widget_ready', () => visit(async (page) => {
    const { record, answer } = newOrder();
    const popup = await checkout(page, { answer });
    await post(popup, answer.orderId, 'widget_ready', 'order_created');
    record.status = 'completed';
    await post(popup, answer.orderId, 'order_completed');
    assert.deepEqual(summary(await result(page)), ['completed', 'completed', answer.orderId]);
    assert.deepEqual(await events(page), ['widget_ready', 'order_created', 'order_completed']);
    assert.deepEqual(await page.evaluate(() => window.statuses), ['created', 'completed']);
    await closed(popup);
  }));

  it('is completed by the status without a message', () => visit(async (page) => {
    const { record, answer } = newOrder('created', 100);
    await checkout(page, { answer }, { minPollIntervalMs: 100 });
    record.status = 'completed';
    assert.deepEqual(summary(await result(page)), ['completed', 'completed', answer.orderId]);
  }));

  it('fails with a message', () => visit(async (page) => {
    const { record, answer } = newOrder();
    const popup = await checkout(page, { answer });
    await post(popup, answer.orderId, 'widget_ready');
    record.status = 'failed';
    await post(popup, answer.orderId, 'order_failed');
    assert.deepEqual(summary(await result(page)), ['failed', 'failed', answer.orderId]);
  }));

  for (const status of ['failed', 'canceled', 'expired']) {
    it(`fails with the status ${status}, which is in the result`, () => visit(async (page) => {
      const { record, answer } = newOrder('created', 100);
      await checkout(page, { answer }, { minPollIntervalMs: 100 });
      record.status = status;
      assert.deepEqual(summary(await result(page)), ['failed', status, answer.orderId]);
    }));
  }

  it('ends with a message while the status is still processing', () => visit(async (page) => {
    const { record, answer } = newOrder();
    const popup = await checkout(page, { answer });
    record.status = 'processing';
    await post(popup, answer.orderId, 'widget_ready', 'order_completed');
    assert.deepEqual(summary(await result(page)), ['completed', 'processing', answer.orderId]);
  }));

  it('is canceled if the window is closed before payment', () => visit(async (page) => {
    const { record, answer } = newOrder();
    const popup = await checkout(page, { answer });
    await post(popup, answer.orderId, 'widget_ready');
    await popup.close();
    assert.deepEqual(summary(await result(page)), ['canceled', 'created', answer.orderId]);
    assert.equal(record.requests, 2, 'the final status was requested');
  }));

  it('continues if the window is closed after payment', () => visit(async (page) => {
    const { record, answer } = newOrder('created', 100);
    const popup = await checkout(page, { answer }, { minPollIntervalMs: 100 });
    record.status = 'processing';
    await popup.close();
    const count = await page.evaluate(() => window.statuses.length);
    await page.waitForFunction((before) => window.statuses.length > before + 4, count);
    record.status = 'completed';
    assert.deepEqual(summary(await result(page)), ['completed', 'completed', answer.orderId]);
  }));

  it('ends with the terminal status if the window is closed after it', () => visit(async (page) => {
    for (const [status, outcome] of [['completed', 'completed'], ['expired', 'failed']]) {
      const { record, answer } = newOrder();
      const popup = await checkout(page, { answer });
      record.status = status;
      await popup.close();
      assert.deepEqual(summary(await result(page)), [outcome, status, answer.orderId]);
    }
  }));

  it('closes its window on abort and returns the status', () => visit(async (page) => {
    const { record, answer } = newOrder();
    const popup = await checkout(page, { answer });
    record.status = 'pending';
    await page.evaluate(() => window.stop.abort());
    assert.deepEqual(summary(await result(page)), ['aborted', 'pending', answer.orderId]);
    await closed(popup);
  }));

  it('opens no window if it was aborted before', () => visit(async (page, context) => {
    const { answer } = newOrder();
    const aborted = await page.evaluate((order) => window.sdk.startCheckout(window.client, order, { signal: AbortSignal.abort() }), answer);
    assert.deepEqual(summary(aborted), ['aborted', 'created', answer.orderId]);
    assert.equal(context.pages().length, 1);
  }));

  it('rejects with SVC6006 if the popup is blocked', () => visit(async (_, context) => {
    const page = await context.newPage();
    await page.goto(`${shop}/without-click`);
    assert.deepEqual(await result(page), { name: 'ServiceError', code: 'SVC6006' });
  }));

  it('rejects with SVC6007 in a worker', () => visit(async (page) => {
    const { answer } = newOrder();
    const code = await page.evaluate((order) => new Promise((resolve) => {
      const script = `import { createClient, startCheckout } from '${location.origin}/sdk.js';
        startCheckout(createClient({ baseUrl: '${location.origin}' }), ${JSON.stringify(order)}).catch(({ code }) => postMessage(code));`;
      const worker = new Worker(URL.createObjectURL(new Blob([script], { type: 'text/javascript' })), { type: 'module' });
      worker.onmessage = ({ data }) => resolve(data);
    }), answer);
    assert.equal(code, 'SVC6007');
  }));

  it('ignores messages of other origins', () => visit(async (page, context) => {
    const { record, answer } = newOrder();
    const popup = await checkout(page, { answer });
    const forged = ['widget_ready', 'order_completed'].map((event) => ({ type: 'FIAT_WIDGET_EVENT', event, orderId: answer.orderId }));
    // From the page itself, and from another origin that it opened.
    await page.evaluate((all) => all.forEach((message) => window.postMessage(message, '*')), forged);
    const opened = context.waitForEvent('page');
    await page.evaluate((url) => { window.open(url); }, otherOrigin);
    const other = await opened;
    await other.waitForURL(`${otherOrigin}/`);
    await other.evaluate((all) => all.forEach((message) => window.opener.postMessage(message, '*')), forged);
    // Messages of another format, and messages about another order.
    await popup.evaluate((id) => {
      for (const message of [null, 'order_completed', { event: 'order_completed', orderId: id }]) window.opener.postMessage(message, '*');
    }, answer.orderId);
    await post(popup, 'another', 'widget_ready', 'order_failed');
    await post(popup, answer.orderId, 'order_processing');
    await page.waitForFunction(() => window.events.length > 2);
    // All messages of the popup are reported; only those about this order end the checkout.
    assert.deepEqual(await events(page), ['widget_ready', 'order_failed', 'order_processing']);
    record.status = 'completed';
    await post(popup, answer.orderId, 'widget_ready', 'order_completed');
    assert.deepEqual(summary(await result(page)), ['completed', 'completed', answer.orderId]);
  }));

  it('ignores order_completed and order_failed before widget_ready', () => visit(async (page) => {
    const { record, answer } = newOrder();
    const popup = await checkout(page, { answer });
    await post(popup, answer.orderId, 'order_completed', 'order_failed', 'widget_ready');
    await page.waitForFunction(() => window.events.length === 3);
    assert.equal(record.requests, 1, 'the checkout has not ended');
    record.status = 'failed';
    await post(popup, answer.orderId, 'order_failed');
    assert.deepEqual(summary(await result(page)), ['failed', 'failed', answer.orderId]);
  }));

  it('rejects with the error of the final status request', () => visit(async (page) => {
    const { record, answer } = newOrder();
    const popup = await checkout(page, { answer });
    record.status = 'failing';
    await post(popup, answer.orderId, 'widget_ready', 'order_completed');
    assert.deepEqual(await result(page), { error: { name: 'InternalServerError', code: 'SVC3001', message: 'Internal error.' } });
    await closed(popup);
  }));

  it('rejects with a timeout if the final status does not arrive', () => visit(async (page) => {
    const { record, answer } = newOrder();
    const popup = await checkout(page, { answer });
    record.status = 'silent';
    await popup.close();
    const { error } = await result(page);
    assert.deepEqual([error.name, error.code], ['ApiTimeoutError', 'SVC3002']);
  }, { timeout: 1000 }));

  it('opens its window in the click, before the promised order exists', () => visit(async (page) => {
    const { record, answer } = newOrder();
    await page.evaluate(() => { window.pendingOrder = new Promise((resolve, reject) => Object.assign(window, { resolve, reject })); });
    const popup = await checkout(page, { answer }, { pending: true });
    assert.equal(popup.url(), 'about:blank');
    await page.evaluate((order) => window.resolve(order), answer);
    await running(page, popup, answer);
    record.status = 'completed';
    await post(popup, answer.orderId, 'widget_ready', 'order_completed');
    assert.deepEqual(summary(await result(page)), ['completed', 'completed', answer.orderId]);
    assert.deepEqual(await events(page), ['widget_ready', 'order_completed']);
  }));

  it('closes its window and rejects with the reason if the promised order rejects', () => visit(async (page) => {
    await page.evaluate(() => { window.pendingOrder = new Promise((_, reject) => { window.reject = reject; }); });
    const popup = await checkout(page, newOrder(), { pending: true });
    await page.evaluate(() => window.reject(new Error('No such quote.')));
    assert.equal((await result(page)).error.message, 'No such quote.');
    await closed(popup);
  }));

  it('is ended by an abort while the order is pending', () => visit(async (page) => {
    await page.evaluate(() => { window.pendingOrder = new Promise(() => {}); });
    const popup = await checkout(page, newOrder(), { pending: true });
    await page.evaluate(() => window.stop.abort());
    const { error } = await result(page);
    assert.deepEqual([error.name, error.code], ['ApiAbortedError', 'SVC3009']);
    await closed(popup);
  }));

  it('has a window of 500 by 700 by default', () => visit(async (page) => {
    for (const [options, size] of [[{}, [500, 700]], [{ popup: { width: 420, height: 640 } }, [420, 640]]]) {
      const popup = await checkout(page, newOrder(), options);
      assert.deepEqual(await popup.evaluate(() => [window.innerWidth, window.innerHeight]), size);
      await page.evaluate(() => window.stop.abort());
      await result(page);
    }
  }));

  it('opens only http and https URLs', () => visit(async (page) => {
    const { answer } = newOrder();
    await page.evaluate(() => { window.pendingOrder = Promise.resolve({ orderId: 'o', wrapperUrl: 'javascript:alert(1)' }); });
    await checkout(page, { answer }, { pending: true });
    assert.equal((await result(page)).error.code, 'SVC3003');
  }));
});

describe('the polling interval', () => {
  const intervals = [
    ['is the suggested interval if that is longer than the minimum', { minPollIntervalMs: 1000 }, 5000, 5000],
    ['is the minimum if that is longer than the suggested interval', { minPollIntervalMs: 5000 }, 1000, 5000],
  ];
  for (const [name, options, hint, wait] of intervals) {
    it(name, () => visit(async (page) => {
      const { record, answer } = newOrder('created', hint);
      await checkout(page, { answer }, options);
      const polled = async (times) => {
        await page.waitForFunction((count) => window.statuses.length === count, times, { polling: 'raf' });
        assert.equal(record.requests, times);
      };
      await polled(1);
      await page.clock.runFor(wait - 100);
      assert.equal(record.requests, 1);
      await page.clock.runFor(200);
      await polled(2);
      await page.clock.runFor(wait - 300);
      assert.equal(record.requests, 2);
      await page.clock.runFor(400);
      await polled(3);
    }, { clock: true }));
  }

  it('transient errors are retried', () => visit(async (page) => {
    const { record, answer } = newOrder('failing');
    const answered = page.waitForResponse((response) => response.status() === 500);
    await checkout(page, { answer });
    await (await answered).finished();
    await page.waitForTimeout(300);
    assert.equal(record.requests, 1);
    record.status = 'completed';
    // When the page has set its timer is unknown, so the clock advances until it polls again, or should have.
    // The clock is that of the popup too, which closes when the checkout ends.
    const popupMayClose = (error) => { if (record.requests === 1) throw error; };
    for (let seconds = 0; seconds < 20 && record.requests === 1; seconds += 1) await page.clock.runFor(1000).catch(popupMayClose);
    await page.waitForFunction(() => window.statuses.length > 0, null, { polling: 'raf' });
    assert.deepEqual(summary(await result(page)), ['completed', 'completed', answer.orderId]);
  }, { clock: true }));
});

describe('without a popup', () => {
  it('the wrapper page is shown in an iframe until the checkout ends', () => visit(async (page) => {
    const { record, answer } = newOrder();
    await page.evaluate((order) => {
      window.statuses = [];
      const onStatus = ({ status }) => window.statuses.push(status);
      window.result = window.sdk.embedCheckout(window.client, order, document.querySelector('#frame'), { onStatus });
    }, answer);
    const handle = await page.waitForSelector('iframe');
    assert.equal(await handle.getAttribute('allow'), 'payment; camera; microphone');
    const frame = await handle.contentFrame();
    await running(page, frame, answer);
    record.status = 'completed';
    await post(frame, answer.orderId, 'widget_ready', 'order_completed');
    assert.deepEqual(summary(await result(page)), ['completed', 'completed', answer.orderId]);
    assert.equal(await page.locator('iframe').count(), 0);
  }));

  it('an iframe that requests to be closed counts as a closed window', () => visit(async (page) => {
    const { answer } = newOrder();
    await page.evaluate((order) => {
      window.statuses = [];
      const onStatus = ({ status }) => window.statuses.push(status);
      window.result = window.sdk.embedCheckout(window.client, order, document.querySelector('#frame'), { onStatus });
    }, answer);
    const frame = await (await page.waitForSelector('iframe')).contentFrame();
    await running(page, frame, answer);
    await post(frame, answer.orderId, 'widget_ready', 'widget_close');
    assert.deepEqual(summary(await result(page)), ['canceled', 'created', answer.orderId]);
    assert.equal(await page.locator('iframe').count(), 0);
  }));

  it('redirectToCheckout navigates to the provider\'s page', () => visit(async (page) => {
    const { answer } = newOrder();
    await page.evaluate((order) => { window.sdk.redirectToCheckout(order); }, answer);
    await page.waitForURL(`${fiat}/provider`);
    assert.notEqual(new URL(page.url()).origin, shop);
  }));
});
