import { html, render } from 'lit-html';
import { showUsd } from '../../../widget/src/amounts.js';
import { find, type Found } from '../order/find.js';
import { FollowedOrder } from '../order/followed-order.js';
import { FollowedPurchase } from '../order/followed-purchase.js';
import { listView, searchView } from '../order/search-view.js';
import { orderView } from '../order/order-view.js';
import { purchaseView } from '../order/purchase-view.js';
import { byId, catalog, failure } from '../site.js';

const app = byId('app');
const path = location.pathname.split('/').filter(Boolean);
const given = new URLSearchParams(location.search);
/** `/order/{id}`, `/track/{anything}`, `/track?orderId=…` and the names that other services use. */
const wanted = (path[1] ? decodeURIComponent(path[1]) : ['q', 'id', 'orderId', 'order', 'txHash', 'hash', 'intentId', 'address'].map((name) => given.get(name)).find(Boolean) ?? '').trim();

let draw = (): void => {};
let isDrawn = false;
const changed = (): void => {
  if (isDrawn) return;
  isDrawn = true;
  requestAnimationFrame(() => {
    isDrawn = false;
    draw();
  });
};

function open(found: Found): void {
  if (found.kind === 'list') {
    draw = () => render(listView(found), app);
  } else if (found.kind === 'order') {
    const followed = new FollowedOrder(found.order, changed);
    draw = () => render(orderView(followed), app);
    history.replaceState(null, '', `/order/${found.order.id}`);
  } else {
    const followed = new FollowedPurchase(found.purchase, changed);
    draw = () => render(purchaseView(followed), app);
    history.replaceState(null, '', `/order/${found.purchase.orderId}`);
  }
  draw();
  // Time left is counted down on the page.
  setInterval(() => document.visibilityState === 'visible' && changed(), 1000);
}

async function start(): Promise<void> {
  if (wanted === '') return void render(searchView(''), app);
  await catalog.load().catch(() => {});
  const found = await find(wanted, given.get('chainId'));
  if (found) open(found);
  else render(searchView(wanted), app);
}

// The first number takes a browser long, so one is written while the service is asked.
setTimeout(() => showUsd(0, 'en'));
app.textContent = '';
render(html`<h1 class="unseen">Order</h1><p class="muted">Looking it up…</p>`, app);
start().catch((error: unknown) => render(html`<h1>Order</h1>${failure(error)}`, app)).finally(() => app.removeAttribute('aria-busy'));
