import { getBalances, getFillers, type Filler, type Order } from '@causeway/sdk';
import { html, nothing, render, type TemplateResult } from 'lit-html';
import type { KnownToken } from '../../../widget/src/flows/catalog.js';
import { orderTable } from '../order-table.js';
import { client, failure, wordsOf } from '../site.js';
import type { AuditEvent, ListedFiller, OperatorApi, Overview, Page, Pause, Results, Stuck, Webhook } from './api.js';
import { chainsView, guardsView, pricesView } from './health-views.js';
import { auditView, fillersView, inventoryView, pausesView, resultsView, stuckView, summaryView, unclaimedView, webhooksView } from './views.js';

const EVERY = 5000;
/** Balances are read from the chains, so less often. */
const BALANCES_EVERY = 30_000;
const STATUSES: readonly (readonly [string, string])[] = [['', 'All'], ['created', 'Created'], ['deposited', 'Deposited'], ['published', 'Published'], ['filled', 'Filled'], ['refund_pending', 'Refunding'], ['refunded', 'Refunded'], ['failed', 'Failed']];

/** Everything that an operator looks at, live. */
export class Dashboard {
  overview: Overview | undefined;
  results: Results | undefined;
  orders: Order[] = [];
  stuck: Stuck[] = [];
  pauses: Pause[] = [];
  listed: ListedFiller[] = [];
  fillers: Filler[] = [];
  audit: AuditEvent[] = [];
  webhooks: Webhook[] = [];
  /** What the fillers hold, by the address that fills. */
  holdings = new Map<string, { name: string; tokens: KnownToken[] }>();
  status = '';
  problem: unknown;
  said = '';
  readonly api: OperatorApi;
  readonly #root: HTMLElement;
  readonly #leave: () => void;
  #balancesAt = 0;

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

  async #look(): Promise<void> {
    const { api } = this;
    try {
      const [overview, results, orders, stuck, pauses, listed, audit, webhooks, fillers] = await Promise.all([
        api.get<Overview>('/overview'), api.get<Results>('/results'), api.get<Page>(`/orders?limit=20${this.status ? `&status=${this.status}` : ''}`), api.get<{ data: Stuck[] }>('/stuck'), api.get<{ data: Pause[] }>('/pauses'),
        api.get<{ data: ListedFiller[] }>('/fillers'), api.get<{ events: AuditEvent[] }>('/audit'), api.get<{ webhooks: Webhook[] }>('/webhooks'), getFillers(client).catch(() => []),
      ]);
      Object.assign(this, { overview, results, orders: orders.data, stuck: stuck.data, pauses: pauses.data, listed: listed.data, audit: audit.events, webhooks: webhooks.webhooks, fillers, problem: undefined });
    } catch (error) {
      this.problem = error;
    }
    this.draw();
    if (Date.now() - this.#balancesAt > BALANCES_EVERY) {
      this.#balancesAt = Date.now();
      await this.#readBalances();
      this.draw();
    }
  }

  /** The accounts that filled lately are the fillers' own. */
  async #readBalances(): Promise<void> {
    const accounts = new Map(this.orders.flatMap(({ fillerAddress, providerStatus }) => (fillerAddress ? [[fillerAddress, providerStatus?.provider ?? '']] : []) as [string, string][]));
    for (const [address, name] of accounts) {
      const held = await getBalances(client, address).catch(() => undefined);
      if (held) this.holdings.set(address, { name, tokens: held.tokens.filter(({ symbol, decimals }) => symbol && decimals !== undefined) as KnownToken[] });
    }
  }

  draw(): void {
    render(this.#view(), this.#root);
  }

  #view(): TemplateResult {
    const choose = (status: string) => {
      this.status = status;
      void this.#look();
    };
    const find = (event: Event) => {
      event.preventDefault();
      const text = new FormData(event.target as HTMLFormElement).get('q');
      if (typeof text === 'string' && text.trim()) location.href = `/track/${encodeURIComponent(text.trim())}`;
    };
    return html`<div class="section-head"><p class="said" role="status">${this.said}</p><button type="button" class="button small" @click=${this.#leave}>Leave</button></div>
      ${this.problem ? failure(this.problem) : nothing}
      ${summaryView(this)}
      ${stuckView(this)}
      <section aria-labelledby="orders"><div class="section-head"><h2 id="orders">Orders</h2>
        <form class="find" role="search" @submit=${find}><label for="q" class="unseen">Order, address or transaction</label><input id="q" name="q" type="search" placeholder="Order, address or transaction" autocomplete="off" spellcheck="false" /><button class="button">Look up</button></form></div>
        <div class="chips filter" role="group" aria-label="Status">${STATUSES.map(([status, text]) => html`<button type="button" aria-pressed=${status === this.status} @click=${() => choose(status)}>${text}</button>`)}</div>
        ${orderTable(this.orders, 'No such orders')}</section>
      <div class="order-grid">${unclaimedView(this)}${pausesView(this)}</div>
      ${fillersView(this)}
      ${resultsView(this)}
      ${inventoryView(this)}
      ${chainsView(this)}
      ${guardsView(this)}
      <div class="order-grid">${pricesView(this)}<div class="stack">${webhooksView(this)}${auditView(this)}</div></div>`;
  }
}
