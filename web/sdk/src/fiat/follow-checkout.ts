import type { Client } from '../client.js';
import type { FiatStatus } from '../generated/types.js';
import { getFiatStatus, isTerminalPurchase } from './get-status.js';
import { pollPurchase } from './poll-purchase.js';
import { onAnyWidgetEvent, type FiatWidgetEvent } from './widget-events.js';

/** How a checkout is followed, and who is told. */
export interface CheckoutOptions {
  /** A floor in milliseconds, 1000 unless told; what the service suggests wins where it is larger. */
  minPollIntervalMs?: number | undefined;
  /** Ends the checkout as `aborted`. */
  signal?: AbortSignal | undefined;
  /** Told of each status. */
  onStatus?: ((status: FiatStatus) => void) | undefined;
  /** Told of every message of the provider's widget. */
  onEvent?: ((event: FiatWidgetEvent) => void) | undefined;
}

/** How a checkout ended. */
export interface CheckoutResult {
  /** `canceled`: the payer closed the window; `aborted`: the signal fired; a terminal status other than `completed` is `failed`. */
  outcome: 'completed' | 'failed' | 'canceled' | 'aborted';
  /** The last word of the service, asked for when the checkout ended. */
  finalStatus: FiatStatus;
  orderId: string;
}

type Cue = 'completed' | 'failed' | 'closed' | 'aborted';

/** How often is looked whether the window is still there. */
const LOOK = 250;

/** Where the wrapper page is shown. */
export interface Place {
  /** The window that shows it. */
  window(): unknown;
  isClosed(): boolean;
  /** Called when the page asks to be closed. */
  close(): void;
}

/** Follows an order that is being paid until the first that ends it: a message, a status, a closed window or an abort. */
export async function followCheckout(
  client: Client,
  orderId: string,
  options: CheckoutOptions,
  place: Place,
): Promise<CheckoutResult> {
  const told = (status: FiatStatus) => options.onStatus?.(status);
  const result = (outcome: CheckoutResult['outcome'], finalStatus: FiatStatus): CheckoutResult => {
    const end = isTerminalPurchase(finalStatus) ? outcomeOf(finalStatus) : outcome;
    // Whoever aborted hears that; how it stood is in the status.
    return { outcome: outcome === 'aborted' ? outcome : end, finalStatus, orderId };
  };
  let closed = false;
  for (;;) {
    const polling = new AbortController();
    const watching = watch(client, orderId, options, place, closed);
    try {
      const { minPollIntervalMs: interval = 1000 } = options;
      const polled = pollPurchase(client, orderId, { interval, signal: polling.signal, onStatus: told });
      const end = await Promise.race([watching.cue, polled]);
      if (typeof end !== 'string') return result(outcomeOf(end), end);
      // The cue may be older than the last status: the service has the last word.
      polling.abort();
      const status = await getFiatStatus(client, orderId);
      told(status);
      if (end !== 'closed') return result(end, status);
      if (isTerminalPurchase(status) || status.status !== 'processing') return result('canceled', status);
      closed = true;
    } finally {
      polling.abort();
      watching.stop();
    }
  }
}

const outcomeOf = ({ status }: FiatStatus) => (status === 'completed' ? 'completed' : 'failed');

/** The first that happens, other than a status; a place that was closed before is not looked at again. */
function watch(client: Client, orderId: string, options: CheckoutOptions, place: Place, wasClosed: boolean) {
  const { signal, onEvent } = options;
  let stop = () => {};
  const cue = new Promise<Cue>((resolve) => {
    let ready = false;
    const unhear = onAnyWidgetEvent(client, (event, source) => {
      const isOurs = event.orderId === orderId;
      // The page may speak of an order that it names otherwise, or of none; only its own order settles anything.
      if (isOurs || source === place.window()) onEvent?.(event);
      if (!isOurs) return;
      ready ||= event.event === 'widget_ready';
      if (ready && event.event === 'order_completed') resolve('completed');
      if (ready && event.event === 'order_failed') resolve('failed');
      if (event.event === 'widget_close' && !wasClosed) place.close();
    });
    const timer = setInterval(() => !wasClosed && place.isClosed() && resolve('closed'), LOOK);
    const abort = () => resolve('aborted');
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
    stop = () => {
      unhear();
      clearInterval(timer);
      signal?.removeEventListener('abort', abort);
    };
  });
  return { cue, stop };
}
