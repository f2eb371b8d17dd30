import { getOrder, isTerminal, type Order, type OrderEvent } from '@causeway/sdk';
import { Transfer, transferOf } from '../../../widget/src/flows/transfer.js';
import type { KnownToken } from '../../../widget/src/flows/catalog.js';
import { client, tokenOf } from '../site.js';

/** An order with its events, kept current by the service's event stream. */
export class FollowedOrder {
  order: Order;
  events: OrderEvent[] = [];
  from: KnownToken | undefined;
  to: KnownToken | undefined;
  /** The address that waits for money, where the order is paid by a plain transfer. */
  transfer: Transfer | undefined;
  /** Whether the service cannot be reached at the moment. */
  isOffline = false;
  readonly #changed: () => void;

  constructor(order: Order, changed: () => void) {
    this.order = order;
    this.#changed = changed;
    void this.#readTokens();
    this.#listen();
  }

  get isOver(): boolean {
    return isTerminal(this.order.status);
  }

  async #readTokens(): Promise<void> {
    const { fromChainId, fromToken, toChainId, toToken } = this.order;
    [this.from, this.to] = await Promise.all([tokenOf(fromChainId, fromToken), tokenOf(toChainId, toToken)]);
    this.#changed();
  }

  #listen(): void {
    const source = new EventSource(`/v1/orders/by-id/${encodeURIComponent(this.order.id)}/events`);
    const take = ({ data }: MessageEvent<string>) => {
      this.isOffline = false;
      const event = JSON.parse(data) as OrderEvent;
      this.events = [...this.events, event];
      if (event.status === 'created' && event.detail?.includes('TRANSFER')) this.#awaitTransfer();
      this.#changed();
      if (event.status && event.status !== this.order.status) void this.#look();
      if (event.status && isTerminal(event.status)) source.close();
    };
    source.addEventListener('status', take);
    source.addEventListener('note', take);
    source.addEventListener('error', () => {
      this.isOffline = !this.isOver && source.readyState === EventSource.CONNECTING;
      this.#changed();
    });
  }

  async #look(): Promise<void> {
    this.order = await getOrder(client, this.order.id).catch(() => this.order);
    const { fill, refund } = this.order.transactions ?? {};
    // An order may have ended a moment before its last transaction is reported.
    if (this.isOver && this.order.status !== 'failed' && !fill && !refund) setTimeout(() => void this.#look(), 1000);
    if (this.order.depositTxHash || this.isOver) {
      this.transfer?.stop();
      if (this.order.status !== 'created') this.transfer = undefined;
    }
    this.#changed();
  }

  /** Building the deposit of a waiting order again gives the same address. */
  #awaitTransfer(): void {
    const { status, depositTxHash } = this.order;
    const kept = status === 'created' && !depositTxHash ? transferOf(this.order) : undefined;
    if (!kept) return;
    const transfer = new Transfer(client, kept.ask, kept.route, undefined, {
      built: () => {
        this.transfer = transfer;
        this.#changed();
      },
      // Its deposit is no transfer: a wallet sends it.
      failed: () => this.#changed(),
      changed: this.#changed,
    });
  }
}
