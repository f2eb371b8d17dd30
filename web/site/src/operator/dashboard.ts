import { getFillers, type Filler, type Order } from '@causeway/sdk';
import { html, nothing, render, type TemplateResult } from 'lit-html';
import { charts, type FiguresAnswer } from '../figures.js';
import { orderTable } from '../order-table.js';
import { catalog, client, failure, getJson, wordsOf } from '../site.js';
import type { AuditEvent, History, ListedFiller, OperatorApi, Overview, Page, Pause, Results, Stuck, Webhook } from './api.js';
import { chainsView, guardsView, onRampsView, pricesView } from './health-views.js';
import { historyView } from './history-view.js';
import { auditView, fillersView, inventoryView, pausesView, resultsView, stuckView, summaryView, unclaimedView, webhooksView } from './views.js';

const EVERY = 5000;
const [PAGE, MOST] = [20, 100];
const STATUSES: readonly (readonly [string, string])[] = [['', 'All'], ['created', 'Created'], ['deposited', 'Deposited'], ['published', 'Published'], ['filled', 'Filled'], ['refund_pending', 'Refunding'], ['refunded', 'Refunded'], ['failed', 'Failed']];

/** Everything that an operator looks at, live. */
export class Dashboard {
  overview: Overview | undefined;
  results: Results | undefined;
  figures: FiguresAnswer | undefined;
  orders: Order[] = [];
  stuck: Stuck[] = [];
  pauses: Pause[] = [];
  listed: ListedFiller[] = [];
  fillers: Filler[] = [];
  audit: AuditEvent[] = [];
  webhooks: Webhook[] = [];
  /** The order that is looked at. */
  history: History | undefined;
  status = '';
  /** The chains that orders are shown of; all of them without one. */
  fromChain = '';
  toChain = '';
  /** How many orders are shown. */
  shown = PAGE;
  hasMore = false;
  problem: unknown;
  said = '';
  readonly api: OperatorApi;
  readonly #root: HTMLElement;
  readonly #leave: () => void;

  constructor(root: HTMLElement, api: OperatorApi, leave: () => void) {
    this.#root = root;
    this.api = api;
    this.#leave = leave;
    void this.#look();
    setInterval(() => document.visibilityState === 'visible' && void this.#look(), EVERY);
  }

  /** Does something as the operator, and says how it went. */
  readonly act = async (what: string, act: () => Promise<unknown>): Promise<void> => {
    this.said = await act().then(() => `${what}: done.`, (error: unknown) => `${what}: ${wordsOf(error)}`);
    await this.#look();
  };

  /** Looks at an order, or at none. */
  readonly show = (history: History | undefined): void => {
    this.history = history;
    this.draw();
    if (history) document.getElementById('history')?.scrollIntoView({ block: 'center' });
  };

  readonly #historyOf = (id: string): Promise<History | undefined> => this.api.get<History>(`/orders/${encodeURIComponent(id)}`).catch(() => undefined);

  /** An order by its id, also one that nobody else sees yet; whatever else the text is, the page of orders finds it. */
  async #find(text: string): Promise<void> {
    const history = /^[0-9a-f]{32}$/i.test(text) ? await this.#historyOf(text.toLowerCase()) : undefined;
    if (history) this.show(history);
    else location.href = `/track/${encodeURIComponent(text)}`;
  }

  async #look(): Promise<void> {
    const { api } = this;
    const asked = new URLSearchParams({ limit: String(this.shown) });
    for (const [name, value] of [['status', this.status], ['fromChainId', this.fromChain], ['toChainId', this.toChain]] as const) if (value) asked.set(name, value);
    try {
      const [figures, overview, results, orders, stuck, pauses, listed, audit, webhooks, fillers] = await Promise.all([
        getJson<FiguresAnswer>('/explorer/figures?hours=24'), api.get<Overview>('/overview'), api.get<Results>('/results'), api.get<Page>(`/orders?${asked}`), api.get<{ data: Stuck[] }>('/stuck'), api.get<{ data: Pause[] }>('/pauses'),
        api.get<{ data: ListedFiller[] }>('/fillers'), api.get<{ events: AuditEvent[] }>('/audit'), api.get<{ webhooks: Webhook[] }>('/webhooks'), getFillers(client).catch(() => []),
      ]);
      Object.assign(this, { figures, overview, results, orders: orders.data, hasMore: orders.cursor != null, stuck: stuck.data, pauses: pauses.data, listed: listed.data, audit: audit.events, webhooks: webhooks.webhooks, fillers, problem: undefined });
      const { history } = this;
      const newer = history && (await this.#historyOf(history.order.id));
      // It may have been closed meanwhile.
      if (newer && this.history === history) this.history = newer;
    } catch (error) {
      this.problem = error;
    }
    this.draw();
  }

  draw(): void {
    render(this.#view(), this.#root);
  }

  #view(): TemplateResult {
    const choose = (choice: Partial<Pick<Dashboard, 'status' | 'fromChain' | 'toChain' | 'shown'>>) => {
      Object.assign(this, { shown: PAGE }, choice);
      void this.#look();
    };
    const chainChoice = (label: string, chosen: string, set: (id: string) => void) => html`<select aria-label=${label} @change=${(event: Event) => set((event.target as HTMLSelectElement).value)}>
      <option value="">${label} any chain</option>${[...catalog.chains.values()].map(({ id, name }) => html`<option value=${id} ?selected=${String(id) === chosen}>${label} ${name}</option>`)}</select>`;
    const find = (event: Event) => {
      event.preventDefault();
      const text = new FormData(event.target as HTMLFormElement).get('q');
      if (typeof text === 'string' && text.trim()) void this.#find(text.trim());
    };
    return html`<div class="section-head"><p class="said" role="status">${this.said}</p><button type="button" class="button small" @click=${this.#leave}>Leave</button></div>
      ${this.problem ? failure(this.problem) : nothing}
      ${summaryView(this)}
      ${this.figures ? html`<section aria-labelledby="day"><h2 id="day">Last 24 hours</h2>${charts(this.figures, ['Volume', 'Orders', 'Refunds'])}</section>` : nothing}
      ${stuckView(this)}
      <section aria-labelledby="orders"><div class="section-head"><h2 id="orders">Orders</h2>
        <form class="find" role="search" @submit=${find}><label for="q" class="unseen">Order, address or transaction</label><input id="q" name="q" type="search" placeholder="Order, address or transaction" autocomplete="off" spellcheck="false" /><button class="button">Look up</button></form></div>
        <div class="chips filter" role="group" aria-label="Status">${STATUSES.map(([status, text]) => html`<button type="button" aria-pressed=${status === this.status} @click=${() => choose({ status })}>${text}</button>`)}</div>
        <div class="order-filter">${chainChoice('From', this.fromChain, (fromChain) => choose({ fromChain }))}${chainChoice('To', this.toChain, (toChain) => choose({ toChain }))}</div>
        ${historyView(this)}
        ${orderTable(this.orders, 'No such orders')}
        ${this.hasMore && this.shown < MOST ? html`<p class="under"><button type="button" class="button" @click=${() => choose({ shown: MOST })}>Show more</button></p>` : nothing}</section>
      <div class="order-grid">${unclaimedView(this)}${pausesView(this)}</div>
      ${fillersView(this)}
      ${resultsView(this)}
      ${inventoryView(this)}
      ${chainsView(this)}
      ${guardsView(this)}
      ${onRampsView(this)}
      <div class="order-grid">${pricesView(this)}<div class="stack">${webhooksView(this)}${auditView(this)}</div></div>`;
  }
}
