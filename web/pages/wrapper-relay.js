// @ts-check

/** @typedef {import("./wrapper-providers.js").Told} Told */

/** Tells the page that embeds this one, and the page that opened it, what happens; each thing once. */
export class Relay {
  /** @type {Set<string>} */
  #told = new Set();
  /** @type {string | undefined} */
  #providerOrderId;

  /** @param {{ orderId: string, provider: string, targets: string[] }} order */
  constructor(order) {
    this.order = order;
  }

  /**
   * @param {Told} told
   */
  tell({ event, providerOrderId, data }) {
    const done = this.#told.has("order_completed");
    const failed = this.#told.has("order_failed");
    // After the end only the closing of the window is news, and after a failure that all went well in the end.
    const news = event === "widget_close" || (event === "order_completed" ? !done : !done && !failed);
    if (this.#told.has(event) || !news) return;
    this.#told.add(event);
    this.#providerOrderId ??= providerOrderId;
    const message = {
      type: "FIAT_WIDGET_EVENT",
      event,
      provider: this.order.provider,
      orderId: this.order.orderId,
      ...(this.#providerOrderId === undefined ? {} : { providerOrderId: this.#providerOrderId }),
      ...(data === undefined ? {} : { data: JSON.parse(JSON.stringify(data)) }),
    };
    for (const listener of listeners()) {
      for (const target of this.order.targets) listener.postMessage(message, target);
    }
  }

  /** The end of a purchase counts only after this, and it may end before the checkout has shown itself. */
  ready() {
    this.tell({ event: "widget_ready" });
  }
}

/** @returns {Window[]} */
function listeners() {
  /** @type {Window[]} */
  const found = [];
  if (window.parent !== window) found.push(window.parent);
  if (window.opener && !window.opener.closed && window.opener !== window) found.push(window.opener);
  return found;
}
