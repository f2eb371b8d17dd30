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
 * Where the service sends events, they say when to look; else the order is looked at every two seconds. Errors that may pass are
 * waited out, five seconds or as long as the service asks; the others, and an abort, end the tracking.
 */
export async function trackOrder(client: Client, orderId: string, options: TrackOptions = {}): Promise<Order> {
  const { interval, floor, after } = pace(options);
  const news: News = { lively: false, polling: false };
  let told: string | undefined;
  try {
    for (;;) {
      const looked = Date.now();
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
      await awaitNews(client, orderId, news, interval, options);
      await pause(floor - (Date.now() - looked), options.signal);
    }
  } finally {
    news.line?.hangUp();
  }
}

/** How long a stream may be silent before the order is looked at anyway. */
const PATIENCE = 30_000;

/** Where the news of an order comes from between two looks. */
interface News {
  /** Events say when to look; how the order stands is read from the order itself. */
  line?: EventLine | undefined;
  /** The next events, where they were waited for in vain. */
  next?: Promise<Batch | void> | undefined;
  /** The last event that came. */
  last?: string | undefined;
  /** Whether the line brought anything. */
  lively: boolean;
  /** The service offers no events. */
  polling: boolean;
}

/** Waits until it is time to look again. */
async function awaitNews(client: Client, orderId: string, news: News, interval: number, options: TrackOptions): Promise<void> {
  if (!news.line && !news.polling) {
    news.lively = false;
    news.line = await openEvents(client, orderId, news.last, options).catch(unlessAborted);
    // What happened before the stream began is seen by looking once more.
    if (news.line) return;
    news.polling = true;
  }
  if (news.line) {
    const { batches } = news.line;
    news.next ??= batches.next().then(({ value }) => value, unlessAborted);
    // It may fail while the order is looked at, and is heard of afterwards.
    news.next.catch(() => {});
    const rest = new AbortController();
    const quiet = pause(PATIENCE, rest.signal).then(() => 'quiet' as const, () => undefined);
    const batch = await Promise.race([news.next, quiet]);
    rest.abort();
    if (batch === 'quiet') return;
    news.next = undefined;
    if (batch) {
      news.lively = true;
      news.last = batch.last;
      batch.events.forEach((event) => options.onEvent?.(event));
      return;
    }
    news.line = undefined;
    // A line that brought nothing will not the next time either.
    news.polling = !news.lively;
  }
  await pause(interval, options.signal);
}

function unlessAborted(error: unknown): undefined {
  if (error instanceof ApiAbortedError) throw error;
}
