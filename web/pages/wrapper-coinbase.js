// @ts-check

import { field, text } from "./wrapper-read.js";

/** @typedef {import("./wrapper-providers.js").Told} Told */

/**
 * What the newer pages of Coinbase post, as `{ eventName, data }`. That a payment is committed, or even that Coinbase has sent what was
 * bought, is its own word: our record has to find it on the chain. A payer who turns back is asked again by the page itself.
 *
 * @type {Record<string, Told["event"]>}
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
 * What the hosted checkout posts, inside of an event named `event`.
 *
 * @type {Record<string, Told["event"]>}
 */
const HOSTED = {
  open: "widget_ready",
  success: "order_processing",
  error: "order_failed",
  exit: "widget_close",
};

/**
 * What Coinbase's checkout says. It never names our order: only the frame that it comes from tells whose it is.
 *
 * @param {unknown} message
 * @returns {Told | null}
 */
export function translateCoinbase(message) {
  const said = typeof message === "string" ? parse(message) : message;
  const name = text(said, "eventName");
  const data = field(said, "data");
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
 * @param {Record<string, Told["event"]>} events
 * @param {string | undefined} name
 */
function find(events, name) {
  return name !== undefined && Object.hasOwn(events, name) ? events[name] : undefined;
}

/**
 * Some of its pages post text.
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
