// @ts-check

import { field, text } from "./wrapper-read.js";

/** @typedef {import("./wrapper-providers.js").ProviderEvent} ProviderEvent */

/**
 * Events of MoonPay's widget by their documented names. The message format without MoonPay's package is undocumented, so the name is
 * searched in the usual fields; if no message arrives, the order's status from the service shows the progress. A completed transaction is
 * only MoonPay's claim, not a delivery.
 *
 * @type {Record<string, ProviderEvent["event"]>}
 */
const EVENTS = {
  onReady: "widget_ready",
  onTransactionCreated: "order_created",
  onTransactionCompleted: "order_processing",
  onClose: "widget_close",
  onCloseOverlay: "widget_close",
};

/**
 * Translates a message of MoonPay's checkout.
 *
 * @param {unknown} message
 * @param {string} orderId
 * @returns {ProviderEvent | null}
 */
export function translateMoonPay(message, orderId) {
  const name = text(message, "type") ?? text(message, "event") ?? text(message, "eventName");
  if (name === undefined || !Object.hasOwn(EVENTS, name)) return null;
  const event = EVENTS[name];
  if (!event) return null;
  const transaction = field(message, "payload") ?? field(message, "data") ?? field(message, "props");
  const named = text(transaction, "externalTransactionId");
  if (named !== undefined && named !== orderId) return null;
  const id = text(transaction, "id");
  const failed = text(transaction, "status") === "failed";
  const reason = failed ? (text(transaction, "failureReason") ?? "failed") : undefined;
  return {
    event: failed ? "order_failed" : event,
    ...(id === undefined ? {} : { providerOrderId: id }),
    ...(reason === undefined ? {} : { data: { reason } }),
  };
}
