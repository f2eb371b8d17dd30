import type { FiatOrder, Order, OrderEvent } from './generated/types.js';

/** The body of a webhook about an order: one event, and the order at the time of sending. */
export interface WebhookEvent {
  /** The same id is the same event, sent again. */
  id: string;
  event: OrderEvent;
  order: Order;
}

/** The body of a webhook about a purchase: one event, and the purchase at the time of sending. */
export interface FiatWebhookEvent {
  /** The same id is the same event, sent again. */
  id: string;
  /** With a `status` of a purchase, where it changed. */
  event: OrderEvent;
  purchase: FiatOrder;
}
