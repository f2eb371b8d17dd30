import type { Client } from '../client.js';
import type { FiatOrderAnswer } from '../generated/types.js';
import { needBrowser, pageOf } from './checkout-page.js';
import { followCheckout, type CheckoutOptions, type CheckoutResult } from './follow-checkout.js';
import type { CheckoutOrder } from './start-checkout.js';

/** Leaves this page for the provider's checkout; follow the order with `trackPurchase` when the payer is back. */
export function redirectToCheckout(order: Pick<FiatOrderAnswer, 'widgetUrl'>): void {
  needBrowser();
  window.location.assign(pageOf(order.widgetUrl));
}

/**
 * Shows the checkout in a frame inside `container`, follows it to its end as `startCheckout` does, and takes the frame away.
 *
 * A frame that the page itself closes (`widget_close`), or that the caller removes, is a closed window.
 */
export async function embedCheckout(
  client: Client,
  order: CheckoutOrder,
  container: HTMLElement,
  options: CheckoutOptions = {},
): Promise<CheckoutResult> {
  needBrowser();
  const page = pageOf(order.wrapperUrl);
  const frame = document.createElement('iframe');
  frame.title = 'Checkout';
  // Who is asked to prove who they are is filmed, and sometimes heard.
  frame.allow = 'payment; camera; microphone';
  frame.style.cssText = 'border:0;width:100%;height:100%;min-height:700px';
  const following = followCheckout(client, order.orderId, options, {
    window: () => frame.contentWindow,
    isClosed: () => !frame.isConnected,
    close: () => frame.remove(),
  });
  // Only now, so that no message comes before somebody listens.
  frame.src = page;
  container.append(frame);
  try {
    return await following;
  } finally {
    frame.remove();
  }
}
