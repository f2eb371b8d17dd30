import {
  createFiatOrder, embedCheckout, getFiatOrder, redirectToCheckout, startCheckout, trackPurchase,
  type CheckoutResult, type Client, type FiatOrderView, type FiatQuote, type FiatStatus,
} from '@causeway/sdk';

/** How a checkout stands: `paying` shows the provider's page, `following` waits for the delivery. */
export type PurchasePhase = 'opening' | 'paying' | 'following' | 'over' | 'failed';

export interface PurchaseEvents {
  created(orderId: string): void;
  moved(orderId: string, status: FiatStatus): void;
  canceled(orderId: string | undefined): void;
  failed(error: unknown): void;
  changed(): void;
}

/** One purchase from the order to its end. */
export class Purchase {
  phase: PurchasePhase = 'opening';
  orderId: string | undefined;
  quote: FiatQuote | undefined;
  status: FiatStatus | undefined;
  view: FiatOrderView | undefined;
  outcome: CheckoutResult['outcome'] | undefined;
  error: unknown;
  readonly #client: Client;
  readonly #events: PurchaseEvents;
  readonly #abort = new AbortController();

  constructor(client: Client, events: PurchaseEvents) {
    this.#client = client;
    this.#events = events;
  }

  /** Opens the checkout; must be called in the click itself, or browsers block the popup. */
  start(quote: FiatQuote, routeId: string | undefined, author: string, how: 'popup' | 'frame' | 'redirect', frame: () => Promise<HTMLElement>): void {
    this.quote = quote;
    const order = createFiatOrder(this.#client, { quoteId: quote.quoteId, author, ...(routeId === undefined ? {} : { routeId }) });
    const options = { signal: this.#abort.signal, onStatus: (status: FiatStatus) => this.#report(status) };
    order.then(({ orderId }) => {
      this.orderId = orderId;
      // A blocked popup has ended it already, and its message stays.
      if (this.phase !== 'opening') return;
      this.phase = 'paying';
      this.#events.created(orderId);
      this.#events.changed();
    }, () => {});
    const checkout = how === 'popup' ? startCheckout(this.#client, order, options)
      : how === 'frame' ? order.then(async (made) => embedCheckout(this.#client, made, await frame(), options))
        : order.then((made) => { redirectToCheckout(made); return undefined; });
    this.#settle(checkout);
  }

  /** Follows a purchase that was begun elsewhere, or before a reload. */
  resume(orderId: string): void {
    Object.assign(this, { orderId, phase: 'following' });
    const options = { signal: this.#abort.signal, onStatus: (status: FiatStatus) => this.#report(status) };
    const ended = trackPurchase(this.#client, orderId, options);
    this.#settle(ended.then((finalStatus) => ({ outcome: finalStatus.status === 'completed' ? 'completed' : 'failed', finalStatus, orderId })));
    void this.#look();
  }

  stop(): void {
    this.#abort.abort();
  }

  #report(status: FiatStatus): void {
    const isNews = status.status !== this.status?.status || status.progress !== this.status?.progress;
    this.status = status;
    if (this.phase === 'paying' && status.status === 'processing') this.phase = 'following';
    const orderId = status.orderId ?? this.orderId;
    if (isNews && orderId !== undefined) this.#events.moved(orderId, status);
    if (isNews && status.status === 'processing') void this.#look();
    this.#events.changed();
  }

  #settle(ending: Promise<CheckoutResult | undefined>): void {
    ending.then(async (result) => {
      // A redirect leaves the page; the purchase is followed when the payer is back.
      if (!result || result.outcome === 'aborted') return;
      Object.assign(this, { outcome: result.outcome, status: result.finalStatus, phase: 'over' });
      if (result.outcome === 'canceled') this.#events.canceled(this.orderId);
      await this.#look();
    }).catch((error: unknown) => {
      if (this.#abort.signal.aborted) return;
      Object.assign(this, { error, phase: 'failed' });
      this.#events.failed(error);
    }).finally(this.#events.changed);
  }

  async #look(): Promise<void> {
    if (this.orderId === undefined) return;
    // What it adds to the status is nice to have: amounts and transactions.
    this.view = await getFiatOrder(this.#client, this.orderId).catch(() => this.view);
    this.#events.changed();
  }
}
