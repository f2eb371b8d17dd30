import type { Client } from '../client.js';

/** What the wrapper page says of the provider's checkout. */
export interface FiatWidgetEvent {
  type: 'FIAT_WIDGET_EVENT';
  /** `widget_ready`, `order_created`, `order_processing`, `order_completed`, `order_failed` or `widget_close`. */
  event: string;
  provider?: string;
  orderId: string;
  providerOrderId?: string;
  data?: unknown;
}

/**
 * Tells of an order's messages from the wrapper page, whether it stands in a popup or in a frame; call what it returns to stop.
 *
 * A message counts only if it comes from the origin of the fiat API.
 */
export function onWidgetEvent(client: Client, orderId: string, listener: (event: FiatWidgetEvent) => void): () => void {
  return onAnyWidgetEvent(client, (event) => event.orderId === orderId && listener(event));
}

/** Tells of every message of a wrapper page, whichever order it names. */
export function onAnyWidgetEvent(client: Client, listener: (event: FiatWidgetEvent, source: unknown) => void): () => void {
  const { origin } = new URL(client.fiatBaseUrl);
  const hear = (message: MessageEvent) => {
    const event = Object(message.data) as FiatWidgetEvent;
    if (message.origin === origin && event.type === 'FIAT_WIDGET_EVENT') listener(event, message.source);
  };
  window.addEventListener('message', hear);
  return () => window.removeEventListener('message', hear);
}
