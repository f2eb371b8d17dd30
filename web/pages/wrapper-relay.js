// @ts-check

/** @typedef {import("./wrapper-providers.js").ProviderEvent} ProviderEvent */

/** Posts events to the embedding page and to the page that opened this one, each event once. */
export class Relay {
  /** @type {Set<string>} */
  #posted = new Set();
  /** @type {string | undefined} */
  #providerOrderId;

  /** @param {{ orderId: string, provider: string, targets: string[] }} order */
  constructor(order) {
    this.order = order;
  }

  /**
   * @param {ProviderEvent} event
   */
  post({ event, providerOrderId, data }) {
    const done = this.#posted.has("order_completed");
    const failed = this.#posted.has("order_failed");
    // After the end only closing the window is posted, and after a failure also a later success.
    const isNew = event === "widget_close" || (event === "order_completed" ? !done : !done && !failed);
    if (this.#posted.has(event) || !isNew) return;
    this.#posted.add(event);
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

  /** Posts `widget_ready`, which must precede the end of a purchase; the end may come before the checkout has loaded. */
  ready() {
    this.post({ event: "widget_ready" });
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
