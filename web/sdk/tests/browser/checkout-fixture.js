import { once } from 'node:events';
import { createServer } from 'node:http';
import { after } from 'node:test';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';

const entry = new URL('../../dist/index.js', import.meta.url).pathname;
const { outputFiles: [bundle] } = await build({ entryPoints: [entry], bundle: true, format: 'esm', write: false });

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  // Popups are blocked only without this argument.
  ignoreDefaultArgs: ['--disable-popup-blocking'],
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--no-first-run'],
});
const servers = [];
after(async () => {
  await browser.close();
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});

async function serve(handle) {
  const server = createServer(handle);
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${server.address().port}`;
}

const html = (response, body) => response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>t</title>${body}`);

/** Starts a checkout without a click. */
const WITHOUT_CLICK = `<script type="module">
  import { createClient, startCheckout } from '/sdk.js';
  window.result = startCheckout(createClient({ baseUrl: location.origin }), { orderId: 'o', wrapperUrl: location.origin })
    .catch(({ name, code }) => ({ name, code }));
</script>`;

/** The integrator's page: a button and the SDK. */
export const shop = await serve((request, response) => {
  if (request.url === '/without-click') return html(response, WITHOUT_CLICK);
  if (request.url !== '/sdk.js') return html(response, '<button>Buy</button><div id="frame"></div>');
  return response.writeHead(200, { 'content-type': 'text/javascript' }).end(bundle.contents);
});

/** A page of another origin. */
export const otherOrigin = await serve((_, response) => html(response, 'Another page.'));

/** The status of each order, and the number of status requests. `failing` responds with an error, `silent` does not respond. */
export const orders = new Map();

/** The fiat API: the status of orders, and an empty wrapper page. */
export const fiat = await serve((request, response) => {
  const { pathname } = new URL(request.url, 'http://a');
  const cors = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*', 'content-type': 'application/json' };
  const [, orderId] = pathname.match(/^\/v1\/fiat\/orders\/(\w+)\/status$/) ?? [];
  if (!orderId) return html(response, 'The wrapper.');
  if (request.method === 'OPTIONS') return response.writeHead(204, cors).end();
  const order = orders.get(orderId);
  order.requests += 1;
  if (order.status === 'silent') return undefined;
  const failing = order.status === 'failing';
  const body = failing ? { name: 'InternalErrorException', message: 'Internal error.' } : statusOf(orderId, order);
  return response.writeHead(failing ? 500 : 200, cors).end(JSON.stringify(body));
});

const ENDS = ['completed', 'failed', 'canceled', 'expired'];

function statusOf(orderId, { status, hint }) {
  const isTerminal = ENDS.includes(status);
  return {
    orderId, status, progress: status, provider: 'sandbox-card', swapStrategy: 'direct',
    polling: { suggestedIntervalMs: isTerminal ? 0 : hint, isTerminal },
  };
}

let count = 0;

/** Creates an order. Tests change its status through `record`. */
export function newOrder(status = 'created', hint = 100_000) {
  const orderId = `o${++count}`;
  const record = { status, hint, requests: 0 };
  orders.set(orderId, record);
  const answer = { orderId, status, provider: 'sandbox-card', widgetUrl: `${fiat}/provider`, wrapperUrl: `${fiat}/v1/fiat/widget/${orderId}` };
  return { record, answer: { ...answer, action: { type: 'wrapper', url: answer.wrapperUrl } } };
}

/** Opens the shop's page in a new browser context, with `sdk` and a client. */
export async function visit(use, { timeout, clock } = {}) {
  const context = await browser.newContext();
  context.setDefaultTimeout(60_000);
  try {
    const page = await context.newPage();
    if (clock) await page.clock.install({ time: 0 });
    await page.goto(shop);
    if (clock) await page.clock.pauseAt(60_000);
    await page.evaluate(async ([baseUrl, limit]) => {
      window.sdk = await import('/sdk.js');
      window.client = window.sdk.createClient({ baseUrl, timeout: limit });
    }, [fiat, timeout]);
    await use(page, context);
  } finally {
    await context.close();
  }
}

/** Starts a checkout with a click and returns the popup when the checkout is running. */
export async function checkout(page, order, options = {}) {
  await page.evaluate(([answer, extra]) => {
    window.stop = new AbortController();
    window.events = [];
    window.statuses = [];
    const onEvent = ({ event }) => window.events.push(event);
    const onStatus = ({ status }) => window.statuses.push(status);
    document.querySelector('button').onclick = () => {
      const started = window.sdk.startCheckout(window.client, window.pendingOrder ?? answer, { signal: window.stop.signal, onEvent, onStatus, ...extra });
      window.result = started.catch(({ name, code, message }) => ({ error: { name, code, message } }));
    };
  }, [order.answer, options]);
  const opened = page.waitForEvent('popup');
  await page.click('button');
  const popup = await opened;
  if (!options.pending) await running(page, popup, order.answer);
  return popup;
}

/** Waits until the wrapper page is shown and the first status was received. */
export async function running(page, popup, { orderId, wrapperUrl }) {
  await popup.waitForURL(wrapperUrl);
  if (orders.get(orderId).status !== 'failing') await page.waitForFunction(() => window.statuses.length > 0);
}

/** Waits until the window is closed. */
export const closed = async (popup) => popup.isClosed() || popup.waitForEvent('close');

export const result = (page) => page.evaluate(() => window.result);
export const events = (page) => page.evaluate(() => window.events);

/** Posts widget events from the wrapper page to the shop. If that ends the checkout, the wrapper may close before this returns. */
export async function post(wrapper, orderId, ...names) {
  const posted = wrapper.evaluate(([id, all]) => {
    const page = window.opener ?? window.parent;
    for (const event of all) page.postMessage({ type: 'FIAT_WIDGET_EVENT', event, provider: 'sandbox-card', orderId: id }, '*');
  }, [orderId, names]);
  await posted.catch((error) => {
    if (!/has been closed|was detached/.test(error.message)) throw error;
  });
}
