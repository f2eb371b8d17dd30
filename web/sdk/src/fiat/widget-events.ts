import type { Client } from '../client.js';

/** A message of the wrapper page about the provider's checkout. */
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
 * Listens to the messages of the wrapper page about an order, in a popup or an iframe. Returns a function that removes the listener.
 *
 * Messages from origins other than that of the fiat API are ignored.
 */
export function onWidgetEvent(client: Client, orderId: string, listener: (event: FiatWidgetEvent) => void): () => void {
  return onAnyWidgetEvent(client, (event) => event.orderId === orderId && listener(event));
}

/** Listens to the messages of the wrapper page about any order. */
export function onAnyWidgetEvent(client: Client, listener: (event: FiatWidgetEvent, source: unknown) => void): () => void {
  const { origin } = new URL(client.fiatBaseUrl);
  const onMessage = (message: MessageEvent) => {
    const event = Object(message.data) as FiatWidgetEvent;
    if (message.origin === origin && event.type === 'FIAT_WIDGET_EVENT') listener(event, message.source);
  };
  window.addEventListener('message', onMessage);
  return () => window.removeEventListener('message', onMessage);
}
