// @ts-check

import { text } from "./wrapper-read.js";

/** @typedef {import("./wrapper-providers.js").ProviderEvent} ProviderEvent */

/** @type {Record<string, ProviderEvent["event"]>} */
const EVENTS = {
  ready: "widget_ready",
  created: "order_created",
  processing: "order_processing",
  completed: "order_completed",
  failed: "order_failed",
  closed: "widget_close",
};

/**
 * Translates a message of the sandbox providers' checkout pages.
 *
 * @param {unknown} message
 * @param {string} orderId
 * @returns {ProviderEvent | null}
 */
export function translateSandbox(message, orderId) {
  const name = text(message, "name");
  if (text(message, "order") !== orderId || name === undefined || !Object.hasOwn(EVENTS, name)) return null;
  const event = EVENTS[name];
  if (!event) return null;
  const [session, reason] = [text(message, "session"), text(message, "reason")];
  return {
    event,
    ...(session === undefined ? {} : { providerOrderId: session }),
    ...(reason === undefined ? {} : { data: { reason } }),
  };
}
