import type { CallOptions, Client } from '../client.js';
import { ApiAbortedError, isTransient } from '../errors.js';
import { openEvents, type Batch, type EventLine } from '../events.js';
import type { Order, OrderEvent } from '../generated/types.js';
import { pace, type Pace } from '../pace.js';
import { pause } from '../within.js';
import { getOrder } from './get-order.js';

/** How an order is followed, and who is told. */
export interface TrackOptions extends CallOptions, Pace {
  /** Told of every status that is seen, once. */
  onStatus?: ((order: Order) => void) | undefined;
  /** Told line by line what happens, where the service sends events. */
  onEvent?: ((event: OrderEvent) => void) | undefined;
}

/** Whether nothing comes after this status of an order. */
export function isTerminal(status: string): boolean {
  return status === 'filled' || status === 'refunded' || status === 'failed';
}

/**
 * Follows an order until it is `filled`, `refunded` or `failed`.
 *
 * The order is looked at every two seconds, and sooner where the service sends an event. Errors that may pass are waited out,
 * five seconds or as long as the service asks; the others, and an abort, end the tracking.
 */
export async function trackOrder(client: Client, orderId: string, options: TrackOptions = {}): Promise<Order> {
  const { interval, after } = pace(options);
  const events = new Events(client, orderId, options);
  let told: string | undefined;
  try {
    for (;;) {
      try {
        const order = await getOrder(client, orderId, options);
        if (told !== order.status) options.onStatus?.(order);
        told = order.status;
        if (isTerminal(told)) return order;
      } catch (error) {
        if (!isTransient(error)) throw error;
        await pause(after(error), options.signal);
        continue;
      }
      await events.wait(interval);
    }
  } finally {
    events.stop();
  }
}

/** The events of an order, which make the next look come sooner than its interval. */
class Events {
  #line: EventLine | undefined;
  /** Resolves when the next events came, with nothing when there are none any more. */
  #next: Promise<Batch | 'opened' | undefined> | undefined;
  /** The last event that came. */
  #last: string | undefined;
  /** Whether the line brought anything. */
  #isLively = false;
  /** Whether the service offers events. */
  #isOffered = true;
  #isStopped = false;

  constructor(readonly client: Client, readonly orderId: string, readonly options: TrackOptions) {}

  /** Waits for the next events, at most for `interval`. */
  async wait(interval: number): Promise<void> {
    const stop = new AbortController();
    const { signal } = this.options;
    const abort = () => stop.abort();
    if (signal?.aborted) throw new ApiAbortedError();
    signal?.addEventListener('abort', abort);
    const over = pause(interval, stop.signal).then(() => 'over' as const);
    // It is aborted below, and then nobody waits for it.
    over.catch(() => {});
    try {
      const news = await Promise.race([over, ...(this.#isOffered ? [this.#listen()] : [])]);
      if (news === 'over') return;
      this.#next = undefined;
      if (news === 'opened') return;
      if (news) {
        this.#isLively = true;
        this.#last = news.last;
        news.events.forEach((event) => this.options.onEvent?.(event));
        return;
      }
      // A line that brought nothing will not the next time either; one that ended is opened again at the next interval.
      this.#isOffered = this.#isLively;
      this.#line = undefined;
      await over;
    } finally {
      signal?.removeEventListener('abort', abort);
      stop.abort();
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#line?.hangUp();
  }

  #listen(): Promise<Batch | 'opened' | undefined> {
    this.#next ??= this.#line ? this.#line.batches.next().then(({ value }) => value ?? undefined, unlessAborted) : this.#open();
    // It may fail while the order is looked at, and is heard of afterwards.
    this.#next.catch(() => {});
    return this.#next;
  }

  /** What happened before the stream began is seen by looking once more. */
  async #open(): Promise<'opened' | undefined> {
    this.#isLively = false;
    const line = await openEvents(this.client, this.orderId, this.#last, this.options).catch(unlessAborted);
    if (this.#isStopped) line?.hangUp();
    this.#line = line;
    return line && 'opened';
  }
}

function unlessAborted(error: unknown): undefined {
  if (error instanceof ApiAbortedError) throw error;
}
