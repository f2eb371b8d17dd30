import type { Client } from '../client.js';
import type { FiatStatus } from '../generated/types.js';
import { getFiatStatus, isTerminalPurchase } from './get-status.js';
import { pollPurchase } from './poll-purchase.js';
import { onAnyWidgetEvent, type FiatWidgetEvent } from './widget-events.js';

/** Options of a checkout. */
export interface CheckoutOptions {
  /** Minimum polling interval in milliseconds. Defaults to 1,000. A longer interval suggested by the service takes precedence. */
  minPollIntervalMs?: number | undefined;
  /** Ends the checkout with the outcome `aborted`. */
  signal?: AbortSignal | undefined;
  /** Called with each status. */
  onStatus?: ((status: FiatStatus) => void) | undefined;
  /** Called with every message of the provider's widget. */
  onEvent?: ((event: FiatWidgetEvent) => void) | undefined;
}

/** The result of a checkout. */
export interface CheckoutResult {
  /** `canceled`: the payer closed the window. `aborted`: the signal fired. `failed`: any terminal status other than `completed`. */
  outcome: 'completed' | 'failed' | 'canceled' | 'aborted';
  /** The status of the purchase when the checkout ended. */
  finalStatus: FiatStatus;
  orderId: string;
}

type EndSignal = 'completed' | 'failed' | 'closed' | 'aborted';

/** How often the window is checked for being closed, in milliseconds. */
const CLOSED_CHECK_INTERVAL = 250;

/** The popup or frame that shows the wrapper page. */
export interface CheckoutView {
  window(): unknown;
  isClosed(): boolean;
  /** Called when the page requests to be closed. */
  close(): void;
}

/** Tracks a purchase until it ends: by a widget event, a terminal status, a closed window or an abort, whichever comes first. */
export async function followCheckout(
  client: Client,
  orderId: string,
  options: CheckoutOptions,
  view: CheckoutView,
): Promise<CheckoutResult> {
  const onStatus = (status: FiatStatus) => options.onStatus?.(status);
  const result = (outcome: CheckoutResult['outcome'], finalStatus: FiatStatus): CheckoutResult => {
    const finalOutcome = isTerminalPurchase(finalStatus) ? outcomeOf(finalStatus) : outcome;
    // An abort is always reported as such; `finalStatus` has the state of the purchase.
    return { outcome: outcome === 'aborted' ? outcome : finalOutcome, finalStatus, orderId };
  };
  let wasClosed = false;
  for (;;) {
    const polling = new AbortController();
    const watcher = watch(client, orderId, options, view, wasClosed);
    try {
      const { minPollIntervalMs: interval = 1000 } = options;
      const polled = pollPurchase(client, orderId, { interval, signal: polling.signal, onStatus });
      const end = await Promise.race([watcher.ended, polled]);
      if (typeof end !== 'string') return result(outcomeOf(end), end);
      // The signal may be older than the last status, so the status of the service decides.
      polling.abort();
      const status = await getFiatStatus(client, orderId);
      onStatus(status);
      if (end !== 'closed') return result(end, status);
      if (isTerminalPurchase(status) || status.status !== 'processing') return result('canceled', status);
      wasClosed = true;
    } finally {
      polling.abort();
      watcher.stop();
    }
  }
}

const outcomeOf = ({ status }: FiatStatus) => (status === 'completed' ? 'completed' : 'failed');

/** Resolves with the first signal other than a status. A view that was closed before is not watched again. */
function watch(client: Client, orderId: string, options: CheckoutOptions, view: CheckoutView, wasClosed: boolean) {
  const { signal, onEvent } = options;
  let stop = () => {};
  const ended = new Promise<EndSignal>((resolve) => {
    let isReady = false;
    const unsubscribe = onAnyWidgetEvent(client, (event, source) => {
      const isOwnOrder = event.orderId === orderId;
      // The page may send events with another order id or none; only those of this order end the checkout.
      if (isOwnOrder || source === view.window()) onEvent?.(event);
      if (!isOwnOrder) return;
      isReady ||= event.event === 'widget_ready';
      if (isReady && event.event === 'order_completed') resolve('completed');
      if (isReady && event.event === 'order_failed') resolve('failed');
      if (event.event === 'widget_close' && !wasClosed) view.close();
    });
    const timer = setInterval(() => !wasClosed && view.isClosed() && resolve('closed'), CLOSED_CHECK_INTERVAL);
    const abort = () => resolve('aborted');
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
    stop = () => {
      unsubscribe();
      clearInterval(timer);
      signal?.removeEventListener('abort', abort);
    };
  });
  return { ended, stop };
}
