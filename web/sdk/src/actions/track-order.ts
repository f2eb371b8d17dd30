import type { CallOptions, Client } from '../client.js';
import { ApiAbortedError, isTransient } from '../errors.js';
import type { Order, OrderEvent } from '../generated/types.js';
import { openEvents, type Batch, type EventStream } from '../order-events.js';
import { polling, type PollingOptions } from '../polling.js';
import { sleep } from '../timeout.js';
import { getOrder } from './get-order.js';

/** Options of {@link trackOrder}. */
export interface TrackOptions extends CallOptions, PollingOptions {
  /** Called once for every status that is observed. */
  onStatus?: ((order: Order) => void) | undefined;
  /** Called for every event of the order, if the service streams events. */
  onEvent?: ((event: OrderEvent) => void) | undefined;
}

/** Whether a status of an order is final. */
export function isTerminal(status: string): boolean {
  return status === 'filled' || status === 'refunded' || status === 'failed';
}

/**
 * Tracks an order until it is `filled`, `refunded` or `failed`, and resolves with the order.
 *
 * Polls every 2 seconds, and immediately when the service pushes an event. Transient errors are retried after 5 seconds, or
 * after the service's `Retry-After` if that is longer. Other errors, and an abort, reject.
 */
export async function trackOrder(client: Client, orderId: string, options: TrackOptions = {}): Promise<Order> {
  const { interval, delayAfter } = polling(options);
  const events = new OrderEvents(client, orderId, options);
  let lastStatus: string | undefined;
  try {
    for (;;) {
      try {
        const order = await getOrder(client, orderId, options);
        if (lastStatus !== order.status) options.onStatus?.(order);
        lastStatus = order.status;
        if (isTerminal(lastStatus)) return order;
      } catch (error) {
        if (!isTransient(error)) throw error;
        await sleep(delayAfter(error), options.signal);
        continue;
      }
      await events.wait(interval);
    }
  } finally {
    events.stop();
  }
}

/** The event stream of an order. A new event ends the wait before the polling interval is over. */
class OrderEvents {
  #stream: EventStream | undefined;
  /** Resolves with the next batch, or with `undefined` when the stream has ended. */
  #next: Promise<Batch | 'opened' | undefined> | undefined;
  /** The id of the last event that was received. */
  #lastId: string | undefined;
  /** Whether the current stream has delivered any event. */
  #hasDelivered = false;
  /** Whether the service streams events. */
  #isSupported = true;
  #isStopped = false;

  constructor(readonly client: Client, readonly orderId: string, readonly options: TrackOptions) {}

  /** Waits for the next events, but no longer than `interval`. */
  async wait(interval: number): Promise<void> {
    const stop = new AbortController();
    const { signal } = this.options;
    const abort = () => stop.abort();
    if (signal?.aborted) throw new ApiAbortedError();
    signal?.addEventListener('abort', abort);
    const elapsed = sleep(interval, stop.signal).then(() => 'elapsed' as const);
    // Aborted below, when it is no longer awaited.
    elapsed.catch(() => {});
    try {
      const next = await Promise.race([elapsed, ...(this.#isSupported ? [this.#listen()] : [])]);
      if (next === 'elapsed') return;
      this.#next = undefined;
      if (next === 'opened') return;
      if (next) {
        this.#hasDelivered = true;
        this.#lastId = next.lastId;
        next.events.forEach((event) => this.options.onEvent?.(event));
        return;
      }
      // A stream that ended without an event is not reopened; one that delivered events is, after this interval.
      this.#isSupported = this.#hasDelivered;
      this.#stream = undefined;
      await elapsed;
    } finally {
      signal?.removeEventListener('abort', abort);
      stop.abort();
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#stream?.close();
  }

  #listen(): Promise<Batch | 'opened' | undefined> {
    this.#next ??= this.#stream ? this.#stream.batches.next().then(({ value }) => value ?? undefined, unlessAborted) : this.#open();
    // May reject while the order is being polled; the rejection is handled by the next `wait`.
    this.#next.catch(() => {});
    return this.#next;
  }

  /** Opens the stream. The caller polls once more afterwards, which covers the events before it. */
  async #open(): Promise<'opened' | undefined> {
    this.#hasDelivered = false;
    const stream = await openEvents(this.client, this.orderId, this.#lastId, this.options).catch(unlessAborted);
    if (this.#isStopped) stream?.close();
    this.#stream = stream;
    return stream && 'opened';
  }
}

function unlessAborted(error: unknown): undefined {
  if (error instanceof ApiAbortedError) throw error;
}
