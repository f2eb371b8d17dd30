import type { Client } from '../client.js';
import { ApiAbortedError, ServiceError } from '../errors.js';
import type { FiatOrderAnswer } from '../generated/types.js';
import { needBrowser, pageOf } from './checkout-page.js';
import { followCheckout, type CheckoutOptions, type CheckoutResult } from './follow-checkout.js';

/** The parts of a created order that a checkout needs. */
export type CheckoutOrder = Pick<FiatOrderAnswer, 'orderId' | 'wrapperUrl'>;

/** How the popup looks, and how the checkout is followed. */
export interface PopupOptions extends CheckoutOptions {
  /** Pixels; 500 by 700 unless told. */
  popup?: { width?: number | undefined; height?: number | undefined } | undefined;
}

/**
 * Opens the checkout of an order in a popup and follows it to its end.
 *
 * Call it in the click's own call stack, else browsers block the popup: it takes a promise of the order as well, and opens the
 * window before it waits. A status that cannot be had at the end rejects with that error, and an abort before the order is there
 * with an `ApiAbortedError`: there is no status to tell yet.
 */
export async function startCheckout(
  client: Client,
  order: CheckoutOrder | PromiseLike<CheckoutOrder>,
  options: PopupOptions = {},
): Promise<CheckoutResult> {
  needBrowser();
  const popup = options.signal?.aborted ? undefined : open(options);
  const close = () => popup?.close();
  options.signal?.addEventListener('abort', close);
  try {
    const { orderId, wrapperUrl } = await unlessAborted(order, options.signal);
    const page = pageOf(wrapperUrl);
    if (popup && !popup.closed && !options.signal?.aborted) popup.location.replace(page);
    return await followCheckout(client, orderId, options, { window: () => popup, isClosed: () => popup?.closed ?? false, close });
  } finally {
    options.signal?.removeEventListener('abort', close);
    close();
  }
}

/** The order, or an error once the signal fires; an order that is there wins. */
async function unlessAborted<T>(order: T | PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new ApiAbortedError());
    if (signal?.aborted) setTimeout(stop);
    signal?.addEventListener('abort', stop);
  });
  // Nobody may wait for it any more.
  aborted.catch(() => {});
  try {
    return await Promise.race([order, aborted]);
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** Empty at first, so that it opens in the click whether or not the order is known yet. */
function open({ popup: { width = 500, height = 700 } = {} }: PopupOptions): Window {
  const left = Math.max(0, Math.round(window.screenX + (window.outerWidth - width) / 2));
  const top = Math.max(0, Math.round(window.screenY + (window.outerHeight - height) / 2));
  const popup = window.open('about:blank', '_blank', `popup,width=${width},height=${height},left=${left},top=${top}`);
  if (!popup) {
    throw new ServiceError('The browser blocked the checkout window. Start the checkout in the click itself, or allow popups.', 'SVC6006');
  }
  return popup;
}
