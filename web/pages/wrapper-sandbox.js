// @ts-check

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
  if (typeof message !== "object" || message === null) return null;
  const { name, order, session, reason } = /** @type {Record<string, unknown>} */ (message);
  if (order !== orderId || typeof name !== "string" || !Object.hasOwn(EVENTS, name)) return null;
  const event = EVENTS[name];
  if (!event) return null;
  return {
    event,
    ...(typeof session === "string" ? { providerOrderId: session } : {}),
    ...(typeof reason === "string" ? { data: { reason } } : {}),
  };
}
