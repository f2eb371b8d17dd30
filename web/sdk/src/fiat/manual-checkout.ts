import type { Client } from '../client.js';
import type { FiatOrderAnswer } from '../generated/types.js';
import { checkPageUrl, requireBrowser } from './checkout-page.js';
import { followCheckout, type CheckoutOptions, type CheckoutResult } from './follow-checkout.js';
import type { CheckoutOrder } from './start-checkout.js';

/** Navigates to the provider's checkout. Track the order with `trackPurchase` when the payer returns. */
export function redirectToCheckout(order: Pick<FiatOrderAnswer, 'widgetUrl'>): void {
  requireBrowser();
  window.location.assign(checkPageUrl(order.widgetUrl));
}

/**
 * Shows the checkout in an iframe inside `container`, tracks it like `startCheckout`, and removes the iframe when it ends.
 *
 * An iframe that the page closes (`widget_close`) or that the caller removes counts as a closed window.
 */
export async function embedCheckout(
  client: Client,
  order: CheckoutOrder,
  container: HTMLElement,
  options: CheckoutOptions = {},
): Promise<CheckoutResult> {
  requireBrowser();
  const page = checkPageUrl(order.wrapperUrl);
  const frame = document.createElement('iframe');
  frame.title = 'Checkout';
  // Identity verification uses the camera, and sometimes the microphone.
  frame.allow = 'payment; camera; microphone';
  frame.style.cssText = 'border:0;width:100%;height:100%;min-height:700px';
  const result = followCheckout(client, order.orderId, options, {
    window: () => frame.contentWindow,
    isClosed: () => !frame.isConnected,
    close: () => frame.remove(),
  });
  // Loaded after the listener is registered, so that no message is missed.
  frame.src = page;
  container.append(frame);
  try {
    return await result;
  } finally {
    frame.remove();
  }
}
