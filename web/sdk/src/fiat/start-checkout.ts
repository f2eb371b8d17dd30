import type { Client } from '../client.js';
import { ApiAbortedError, ServiceError } from '../errors.js';
import type { FiatOrderAnswer } from '../generated/types.js';
import { checkPageUrl, requireBrowser } from './checkout-page.js';
import { followCheckout, type CheckoutOptions, type CheckoutResult } from './follow-checkout.js';

/** The fields of a created order that a checkout needs. */
export type CheckoutOrder = Pick<FiatOrderAnswer, 'orderId' | 'wrapperUrl'>;

/** Options of {@link startCheckout}. */
export interface PopupOptions extends CheckoutOptions {
  /** Size of the popup in pixels. Defaults to 500 by 700. */
  popup?: { width?: number | undefined; height?: number | undefined } | undefined;
}

/**
 * Opens the checkout of an order in a popup and tracks it until it ends.
 *
 * Call it synchronously in a click handler, otherwise browsers block the popup. It accepts a promise of the order and opens the window
 * before awaiting it. Rejects if the final status cannot be fetched, and with an `ApiAbortedError` if the signal fires before the
 * order exists.
 */
export async function startCheckout(
  client: Client,
  order: CheckoutOrder | PromiseLike<CheckoutOrder>,
  options: PopupOptions = {},
): Promise<CheckoutResult> {
  requireBrowser();
  const popup = options.signal?.aborted ? undefined : openPopup(options);
  const close = () => popup?.close();
  options.signal?.addEventListener('abort', close);
  try {
    const { orderId, wrapperUrl } = await orAborted(order, options.signal);
    const page = checkPageUrl(wrapperUrl);
    if (popup && !popup.closed && !options.signal?.aborted) popup.location.replace(page);
    return await followCheckout(client, orderId, options, { window: () => popup, isClosed: () => popup?.closed ?? false, close });
  } finally {
    options.signal?.removeEventListener('abort', close);
    close();
  }
}

/** Resolves with the order, or rejects when the signal fires. An order that is already there wins. */
async function orAborted<T>(order: T | PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new ApiAbortedError());
    if (signal?.aborted) setTimeout(stop);
    signal?.addEventListener('abort', stop);
  });
  // May reject when it is no longer awaited.
  aborted.catch(() => {});
  try {
    return await Promise.race([order, aborted]);
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** Opens an empty popup, so that it opens within the click even if the order does not exist yet. */
function openPopup({ popup: { width = 500, height = 700 } = {} }: PopupOptions): Window {
  const left = Math.max(0, Math.round(window.screenX + (window.outerWidth - width) / 2));
  const top = Math.max(0, Math.round(window.screenY + (window.outerHeight - height) / 2));
  const popup = window.open('about:blank', '_blank', `popup,width=${width},height=${height},left=${left},top=${top}`);
  if (!popup) {
    throw new ServiceError('The browser blocked the checkout window. Start the checkout synchronously in a click handler, or allow popups.', 'SVC6006');
  }
  return popup;
}
