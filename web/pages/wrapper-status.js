// @ts-check

import { getJson } from "./api.js";

/** @typedef {import("../types/api.d.ts").FiatStatus} FiatStatus */

/** How long to wait after an answer that did not come. */
const RETRY_MS = 5_000;

/**
 * Asks for the order's status as often as the service suggests, until it is over.
 *
 * @param {string} url
 * @param {(status: FiatStatus) => void} show called with every answer
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
      // The purchase goes on without this page; it only knows less for a while.
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
