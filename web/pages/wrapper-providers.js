// @ts-check

import { translateCoinbase } from "./wrapper-coinbase.js";
import { translateMoonPay } from "./wrapper-moonpay.js";
import { translateSandbox } from "./wrapper-sandbox.js";
import { translateTransak } from "./wrapper-transak.js";

/**
 * What a provider's checkout said, in the words of our own messages.
 *
 * @typedef {object} Told
 * @property {"widget_ready" | "order_created" | "order_processing" | "order_completed" | "order_failed" | "widget_close"} event
 * @property {string} [providerOrderId]
 * @property {Record<string, unknown>} [data]
 */

/**
 * Reads one message of a provider's checkout; null for what is none of its documented ones, or of another order.
 *
 * @callback Translate
 * @param {unknown} message
 * @param {string} orderId
 * @returns {Told | null}
 */

/**
 * A provider adds a file of its own and a line here.
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

/** Providers whose page is made to be gone to, not to be framed. */
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

/** A provider whose words nobody knows, or who documents none (Banxa): our own record alone tells how the purchase goes on. */
function nothing() {
  return null;
}
