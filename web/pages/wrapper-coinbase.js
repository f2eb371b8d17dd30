// @ts-check

import { field, text } from "./wrapper-read.js";

/** @typedef {import("./wrapper-providers.js").ProviderEvent} ProviderEvent */

/**
 * Events of Coinbase's newer pages, posted as `{ eventName, data }`. A committed payment or a sent payout is only Coinbase's claim: the
 * service verifies it on the chain. After a cancel the page itself offers another attempt.
 *
 * @type {Record<string, ProviderEvent["event"]>}
 */
const EVENTS = {
  "onramp_api.load_success": "widget_ready",
  "onramp_api.load_error": "order_failed",
  "onramp_api.session_error": "order_failed",
  "onramp_api.cancel": "order_created",
  "onramp_api.commit_success": "order_processing",
  "onramp_api.commit_error": "order_failed",
  "onramp_api.polling_start": "order_processing",
  "onramp_api.polling_success": "order_processing",
  "onramp_api.polling_error": "order_failed",
};

/**
 * Events of the hosted checkout, posted inside an event named `event`.
 *
 * @type {Record<string, ProviderEvent["event"]>}
 */
const HOSTED = {
  open: "widget_ready",
  success: "order_processing",
  error: "order_failed",
  exit: "widget_close",
};

/**
 * Translates a message of Coinbase's checkout. It has no order id: the frame or window that posted it identifies the order.
 *
 * @param {unknown} message
 * @returns {ProviderEvent | null}
 */
export function translateCoinbase(message) {
  const posted = typeof message === "string" ? parse(message) : message;
  const name = text(posted, "eventName");
  const data = field(posted, "data");
  const hosted = name === "event";
  const event = hosted ? find(HOSTED, text(data, "eventName")) : find(EVENTS, name);
  if (!event) return null;
  const id = text(data, "orderId") ?? text(data, "transactionId");
  const fault = hosted ? text(field(data, "error"), "code") : text(data, "errorCode");
  return {
    event,
    ...(id === undefined ? {} : { providerOrderId: id }),
    ...(event === "order_failed" && fault !== undefined ? { data: { reason: fault } } : {}),
  };
}

/**
 * @param {Record<string, ProviderEvent["event"]>} events
 * @param {string | undefined} name
 */
function find(events, name) {
  return name !== undefined && Object.hasOwn(events, name) ? events[name] : undefined;
}

/**
 * Some pages post JSON as text.
 *
 * @param {string} message
 * @returns {unknown}
 */
function parse(message) {
  try {
    return JSON.parse(message);
  } catch {
    return null;
  }
}
