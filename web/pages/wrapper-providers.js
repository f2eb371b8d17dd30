// @ts-check

import { translateCoinbase } from "./wrapper-coinbase.js";
import { translateMoonPay } from "./wrapper-moonpay.js";
import { translateSandbox } from "./wrapper-sandbox.js";
import { translateTransak } from "./wrapper-transak.js";

/**
 * An event of a provider's checkout, as one of our own events.
 *
 * @typedef {object} ProviderEvent
 * @property {"widget_ready" | "order_created" | "order_processing" | "order_completed" | "order_failed" | "widget_close"} event
 * @property {string} [providerOrderId]
 * @property {Record<string, unknown>} [data]
 */

/**
 * Translates one message of a provider's checkout; null for an undocumented message or one of another order.
 *
 * @callback Translate
 * @param {unknown} message
 * @param {string} orderId
 * @returns {ProviderEvent | null}
 */

/**
 * The translator of each provider.
 *
 * @type {Record<string, Translate>}
 */
const TRANSLATORS = {
  coinbase: translateCoinbase,
  moonpay: translateMoonPay,
  "sandbox-bank": translateSandbox,
  "sandbox-card": translateSandbox,
  transak: translateTransak,
};

/** Providers whose checkout opens in a window instead of a frame. */
const WINDOWED = new Set(["coinbase"]);

/** @param {string} provider */
export function opensWindow(provider) {
  return WINDOWED.has(provider);
}

/**
 * @param {string} provider
 * @returns {Translate}
 */
export function translator(provider) {
  return Object.hasOwn(TRANSLATORS, provider) ? (TRANSLATORS[provider] ?? nothing) : nothing;
}

/** A provider without documented events, such as Banxa: only the order's status shows the progress. */
function nothing() {
  return null;
}
