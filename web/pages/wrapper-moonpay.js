// @ts-check

import { field, text } from "./wrapper-read.js";

/** @typedef {import("./wrapper-providers.js").Told} Told */

/**
 * The events of MoonPay's widget by their documented names. How it posts them to a page without MoonPay's own package is not documented, so
 * the name is looked for where such messages carry it; if none comes, our own record tells how the purchase goes on. That a transaction is
 * complete for the payer does not mean that anything has arrived.
 *
 * @type {Record<string, Told["event"]>}
 */
const EVENTS = {
  onReady: "widget_ready",
  onTransactionCreated: "order_created",
  onTransactionCompleted: "order_processing",
  onClose: "widget_close",
  onCloseOverlay: "widget_close",
};

/**
 * What MoonPay's checkout says.
 *
 * @param {unknown} message
 * @param {string} orderId
 * @returns {Told | null}
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
