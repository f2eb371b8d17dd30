import { getOrder, isTerminal, submitDeposit, trackOrder, waitForBatch, type Batch, type Client, type Order, type OrderEvent, type Wallet } from '@causeway/sdk';

/** A deposit that was sent and not submitted yet: a page that is closed in between submits it at the next visit. */
interface Unsubmitted extends Partial<Batch> {
  api: string;
  quoteId: string;
  routeId: string;
  txHash?: string;
}

const MEMORY = 'causeway-unsubmitted';

/** The order that is looked at, followed to its end. */
export class OrderTracker {
  orderId: string | undefined;
  order: Order | undefined;
  /** What happened, line by line. */
  events: OrderEvent[] = [];
  error: unknown;
  readonly #client: Client;
  readonly #changed: () => void;
  readonly #moved: (order: Order) => void;
  #abort: AbortController | undefined;

  constructor(client: Client, changed: () => void, moved: (order: Order) => void) {
    this.#client = client;
    this.#changed = changed;
    this.#moved = moved;
  }

  /** Follows this order from now on. */
  follow(orderId: string): void {
    this.stop();
    const abort = new AbortController();
    this.#abort = abort;
    Object.assign(this, { orderId, order: undefined, events: [], error: undefined });
    const onStatus = (order: Order) => {
      this.order = order;
      this.#moved(order);
      this.#changed();
    };
    const onEvent = (event: OrderEvent) => {
      this.events = [...this.events, event];
      this.#changed();
    };
    trackOrder(this.#client, orderId, { signal: abort.signal, onStatus, onEvent })
      // The last look may be older than the fill's own transaction.
      .then(async (order) => { this.order = order.status === 'filled' && !order.transactions?.fill ? await getOrder(this.#client, orderId) : order; })
      .catch((error: unknown) => { this.error = abort.signal.aborted ? undefined : error; })
      .finally(this.#changed);
    this.#changed();
  }

  get isOver(): boolean {
    return this.order !== undefined && isTerminal(this.order.status);
  }

  stop(): void {
    this.#abort?.abort();
    Object.assign(this, { orderId: undefined, order: undefined, events: [], error: undefined });
  }
}

export function keepUnsubmitted(client: Client, deposit: Omit<Unsubmitted, 'api'> | undefined): void {
  try {
    if (deposit) localStorage.setItem(MEMORY, JSON.stringify({ ...deposit, api: client.baseUrl }));
    else localStorage.removeItem(MEMORY);
  } catch {
    // Without storage the service still recognises the deposit on the chain.
  }
}

/** Submits what an earlier visit could not; the order's id, where there was something. Of a batch the wallet says what became of it. */
export async function submitKept(client: Client, wallet?: Wallet): Promise<string | undefined> {
  let kept: Partial<Unsubmitted>;
  try {
    kept = JSON.parse(localStorage.getItem(MEMORY) ?? '{}') as Partial<Unsubmitted>;
  } catch {
    return undefined;
  }
  const { api, quoteId, routeId, batchId } = kept;
  if (api !== client.baseUrl || !quoteId || !routeId) return undefined;
  let { txHash } = kept;
  if (batchId && !txHash) {
    if (!wallet || !('request' in wallet)) return undefined;
    // Where the wallet does not know the batch, the service still recognises a deposit on the chain.
    txHash = await waitForBatch(wallet, kept as Batch).catch(() => undefined);
  }
  const submitted = txHash ? await submitDeposit(client, { quoteId, routeId, txHash }) : undefined;
  keepUnsubmitted(client, undefined);
  return submitted?.orderId;
}
