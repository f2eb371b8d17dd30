// @ts-check

import { getJson } from "./api.js";

/** @typedef {import("../types/api.d.ts").FiatStatus} FiatStatus */

/** How long to wait after a failed request. */
const RETRY_MS = 5_000;

/**
 * Polls the order's status at the interval that the service suggests, until the order has ended.
 *
 * @param {string} url
 * @param {(status: FiatStatus) => void} show called with every response
 */
export function follow(url, show) {
  let timer = 0;
  let isOver = false;
  let asking = false;
  let again = false;
  /** @param {boolean} force */
  const ask = async (force) => {
    if (isOver) return;
    if (asking) {
      again = true;
      return;
    }
    asking = true;
    window.clearTimeout(timer);
    const wait = await once(force);
    asking = false;
    if (isOver) return;
    timer = window.setTimeout(() => void ask(false), again ? 0 : wait);
    again = false;
  };
  /** @param {boolean} force */
  const once = async (force) => {
    try {
      /** @type {FiatStatus} */
      const status = await getJson(force ? `${url}?force=true` : url);
      isOver = status.polling.isTerminal;
      show(status);
      return status.polling.suggestedIntervalMs;
    } catch {
      // The purchase continues without this page, which retries.
      return RETRY_MS;
    }
  };
  void ask(false);
  return {
    /** Asks now; with `force` the service asks the provider first. */
    ask: (force = false) => void ask(force),
    isOver: () => isOver,
  };
}
