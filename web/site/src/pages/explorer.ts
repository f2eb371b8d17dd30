import type { Order } from '@causeway/sdk';
import { html, nothing, render, type TemplateResult } from 'lit-html';
import { showPercent, showUsd } from '../../../widget/src/amounts.js';
import { charts, type Figures, type FiguresAnswer } from '../figures.js';
import { searchBox } from '../order/search-view.js';
import { orderTable } from '../order-table.js';
import { byId, catalog, chainName, failure, getJson, span } from '../site.js';

const EVERY = 5000;
const SPANS: readonly (readonly [number, string])[] = [[24, 'Day'], [168, 'Week'], [720, 'Month']];
const STATUSES: readonly (readonly [string, string])[] = [['', 'All'], ['filled', 'Delivered'], ['published', 'Being delivered'], ['refunded', 'Refunded'], ['failed', 'Without deposit']];

const app = byId('app');
let hours = 24;
let status = '';
let figures: FiguresAnswer | undefined;
let orders: Order[] = [];
let cursor: number | null | undefined;
let more: Order[] = [];
let problem: unknown;
/** Answers of an older choice come too late. */
let turn = 0;

async function look(): Promise<void> {
  const mine = turn;
  try {
    const [newest, counted] = await Promise.all([
      getJson<{ data: Order[]; cursor?: number | null }>(`/explorer/orders?limit=20${status ? `&status=${status}` : ''}`), getJson<FiguresAnswer>(`/explorer/figures?hours=${hours}`),
    ]);
    if (mine !== turn) return;
    [orders, figures, problem] = [newest.data, counted, undefined];
    if (more.length === 0) cursor = newest.cursor;
  } catch (error) {
    problem = error;
  }
  draw();
}

async function showMore(): Promise<void> {
  const page = await getJson<{ data: Order[]; cursor?: number | null }>(`/explorer/orders?limit=50&cursor=${cursor}${status ? `&status=${status}` : ''}`);
  more = [...more, ...page.data];
  cursor = page.cursor;
  draw();
}

function choose(change: () => void): void {
  change();
  turn += 1;
  more = [];
  void look();
}

const chips = <T>(label: string, options: readonly (readonly [T, string])[], chosen: T, set: (value: T) => void): TemplateResult =>
  html`<div class="chips" role="group" aria-label=${label}>${options.map(([value, text]) => html`<button type="button" aria-pressed=${value === chosen} @click=${() => choose(() => set(value))}>${text}</button>`)}</div>`;

const rate = ({ filled, orders: count }: Figures): string => (count === 0 ? '—' : showPercent(filled / count, 'en'));
const time = ({ medianSeconds }: Figures): string => (medianSeconds === null ? '—' : span(Math.max(1, medianSeconds)));

function figuresView(found: FiguresAnswer): TemplateResult {
  return html`<section aria-labelledby="figures"><div class="section-head"><h2 id="figures">Figures</h2>${chips('Time', SPANS, hours, (value) => { hours = value; })}</div>
    <dl class="stats">
      <div><dt>Volume</dt><dd id="volume">${showUsd(Number(found.volumeUsd), 'en')}</dd></div><div><dt>Delivered</dt><dd id="filled">${found.filled.toLocaleString('en')}</dd></div>
      <div><dt>Success</dt><dd>${rate(found)}</dd></div><div><dt>Median time</dt><dd>${time(found)}</dd></div><div><dt>Refunded</dt><dd>${found.refunded.toLocaleString('en')}</dd></div>
    </dl>
    ${found.isCut ? html`<p class="under small">Of the newest 5,000 orders.</p>` : nothing}
    ${charts(found, ['Volume', 'Orders'])}
    <h3>By pair</h3>
    <div class="table-wrap" tabindex="0"><table class="table"><thead><tr><th scope="col">Pair</th><th scope="col" class="number">Orders</th><th scope="col" class="number">Volume</th><th scope="col" class="number">Success</th><th scope="col" class="number">Median time</th></tr></thead>
      <tbody>${found.pairs.length === 0 ? html`<tr><td class="empty" colspan="5">No order ended in that time</td></tr>` : found.pairs.slice(0, 12).map((pair) => html`<tr>
        <td><span class="pair"><span class="nowrap">${pair.from.symbol ?? pair.from.token} <span class="muted small">${chainName(pair.from.chainId)}</span></span> <span class="nowrap">→ ${pair.to.symbol ?? pair.to.token} <span class="muted small">${chainName(pair.to.chainId)}</span></span></span></td>
        <td class="number">${pair.orders}</td><td class="number">${showUsd(Number(pair.volumeUsd), 'en')}</td><td class="number">${rate(pair)}</td><td class="number">${time(pair)}</td></tr>`)}</tbody></table></div></section>`;
}

function draw(): void {
  const known = new Set(orders.map(({ id }) => id));
  render(html`${searchBox('')}
    ${problem ? failure(problem) : nothing}
    ${figures ? figuresView(figures) : nothing}
    <section aria-labelledby="orders"><div class="section-head"><h2 id="orders">Orders</h2>${chips('Status', STATUSES, status, (value) => { status = value; })}</div>
      ${orderTable([...orders, ...more.filter(({ id }) => !known.has(id))], 'No orders yet')}
      ${cursor ? html`<p class="under"><button type="button" class="button" @click=${() => void showMore().catch((error: unknown) => { problem = error; draw(); })}>Show more</button></p>` : nothing}</section>`, app);
}

async function start(): Promise<void> {
  await catalog.load().catch(() => {});
  app.textContent = '';
  await look();
  app.removeAttribute('aria-busy');
  setInterval(() => document.visibilityState === 'visible' && void look(), EVERY);
}

void start();
