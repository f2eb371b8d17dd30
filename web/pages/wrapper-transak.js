// @ts-check

import { field, text } from "./wrapper-read.js";

/** @typedef {import("./wrapper-providers.js").ProviderEvent} ProviderEvent */

/**
 * Transak's events, posted as `{ event_id, data }`. `TRANSAK_ORDER_SUCCESSFUL` says only that the payer claims to have paid.
 *
 * @type {Record<string, ProviderEvent["event"]>}
 */
const EVENTS = {
  TRANSAK_WIDGET_INITIALISED: "widget_ready",
  TRANSAK_ORDER_CREATED: "order_created",
  TRANSAK_ORDER_SUCCESSFUL: "order_processing",
  TRANSAK_ORDER_CANCELLED: "order_failed",
  TRANSAK_ORDER_FAILED: "order_failed",
  TRANSAK_WIDGET_CLOSE: "widget_close",
};

/**
 * Translates a message of Transak's checkout.
 *
 * @param {unknown} message
 * @param {string} orderId
 * @returns {ProviderEvent | null}
 */
export function translateTransak(message, orderId) {
  const name = text(message, "event_id");
  if (name === undefined || !Object.hasOwn(EVENTS, name)) return null;
  const event = EVENTS[name];
  if (!event) return null;
  const data = field(message, "data");
  // The order is the data itself, or its `status`.
  const order = typeof field(data, "status") === "object" ? field(data, "status") : data;
  const named = text(order, "partnerOrderId");
  if (named !== undefined && named !== orderId) return null;
  const id = text(order, "id");
  const reason = event === "order_failed" ? (text(order, "statusReason") ?? (name.endsWith("CANCELLED") ? "canceled" : undefined)) : undefined;
  return {
    event,
    ...(id === undefined ? {} : { providerOrderId: id }),
    ...(reason === undefined ? {} : { data: { reason } }),
  };
}
