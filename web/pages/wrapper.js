// @ts-check

import { byId } from "./dom.js";
import { opensWindow, translator } from "./wrapper-providers.js";
import { Relay } from "./wrapper-relay.js";
import { follow } from "./wrapper-status.js";

/** @typedef {import("../types/api.d.ts").FiatStatus} FiatStatus */
/** @typedef {import("./wrapper-providers.js").ProviderEvent} ProviderEvent */

/**
 * The order that the service embeds in the page.
 *
 * @typedef {object} Order
 * @property {string} orderId
 * @property {string} provider
 * @property {boolean} jump whether a swap follows the provider's delivery
 * @property {string[]} origins of the provider's checkout
 * @property {string[]} targets origins that receive events
 * @property {string} statusUrl
 */

/** How long the URL of a checkout window is used; every provider keeps it valid for longer. */
const CHECKOUT_URL_MS = 240_000;

/** @type {Order} */
const order = JSON.parse(byId("order", HTMLScriptElement).textContent ?? "");
const frame = document.querySelector("iframe");
const translate = translator(order.provider);
const relay = new Relay(order);
let paying = false;
/** Whether the last event of the checkout was a failed payment. */
let declined = false;
/** @type {Window | null} the checkout window, where it is not framed */
let opened = null;
const status = follow(order.statusUrl, (current) => show(current));

window.addEventListener("message", (message) => {
  // Accepts messages of this checkout only, and only from the provider's origins.
  const checkout = opened ?? frame?.contentWindow;
  if (!checkout || message.source !== checkout || !order.origins.includes(message.origin)) return;
  const event = translate(message.data, order.orderId);
  if (event) handle(event);
});

byId("close", HTMLButtonElement).addEventListener("click", () => close({ event: "widget_close" }));
if (frame && opensWindow(order.provider)) {
  offerWindow(frame);
} else if (frame) {
  // Not every provider posts an event when it has loaded.
  frame.addEventListener("load", () => relay.ready(), { once: true });
  frame.src = frame.dataset.src ?? "";
}

/**
 * Offers the checkout in its own window, which browsers open only on a click.
 *
 * @param {HTMLIFrameElement} place
 */
function offerWindow(place) {
  place.hidden = true;
  const button = byId("open", HTMLButtonElement);
  button.hidden = false;
  button.addEventListener("click", () => {
    if (opened && !opened.closed) return opened.focus();
    // A checkout URL is valid once and for a few minutes; reloading this page creates another.
    if (opened || performance.now() > CHECKOUT_URL_MS) return window.location.reload();
    opened = window.open(place.dataset.src, "_blank", "popup,width=500,height=700");
    if (opened) relay.ready();
  });
}

/**
 * Handles an event of the checkout. Only the order's status from the service ends a purchase.
 *
 * @param {ProviderEvent} event
 */
function handle(event) {
  if (event.event !== "widget_close") declined = event.event === "order_failed";
  switch (event.event) {
    case "order_completed":
      // The provider's delivery is not verified yet, and a swap may follow it.
      relay.post({ ...event, event: "order_processing" });
      if (order.jump) hideCheckout();
      status.ask();
      break;
    case "order_failed":
      // The provider may allow another attempt, so the order's status decides whether it has failed.
      paying = false;
      status.ask(true);
      break;
    case "widget_close":
      close(event);
      break;
    case "order_processing":
      paying = true;
      relay.post(event);
      status.ask();
      break;
    default:
      relay.post(event);
      if (event.event !== "widget_ready") status.ask();
  }
}

/**
 * Shows the order's status and posts its events.
 *
 * @param {FiatStatus} current
 */
function show(current) {
  // The checkout reports a started payment before the service knows it.
  const unpaid = current.status === "created" || current.status === "pending";
  const begun = paying && current.status === "created";
  if (declined && unpaid) showText("declined");
  else showText(begun ? "pending" : current.status, current.failedReason);
  if (current.fillTxHash) showTransaction("Transaction", current.fillTxHash);
  const data = { status: current.status, progress: current.progress };
  if (current.status === "processing") {
    relay.ready();
    relay.post({ event: "order_processing", data });
  }
  if (!current.polling.isTerminal) return;
  hideCheckout();
  byId("close", HTMLButtonElement).hidden = false;
  relay.ready();
  if (current.status === "completed") {
    relay.post({ event: "order_completed", data: { ...data, fillTxHash: current.fillTxHash } });
  } else {
    const reasons = { errorReason: current.errorReason, failedReason: current.failedReason };
    relay.post({ event: "order_failed", data: { ...data, ...reasons } });
  }
}

/** Shows the status text in place of the checkout. */
function hideCheckout() {
  byId("said", HTMLElement).classList.add("alone");
  byId("open", HTMLButtonElement).hidden = true;
  if (frame) frame.hidden = true;
}

/**
 * Posts the event and closes the window.
 *
 * @param {ProviderEvent} event
 */
function close(event) {
  relay.post(event);
  if (window.opener) window.close();
}

/**
 * @param {string} state
 * @param {string} [reason] in place of the default text
 */
function showText(state, reason) {
  const said = byId("said", HTMLElement);
  if (said.dataset.state === state) return;
  said.dataset.state = state;
  const [headline, text] = TEXTS[state] ?? ["", ""];
  const swapping = order.jump && state === "processing";
  byId("headline", HTMLElement).textContent = headline;
  byId("words", HTMLElement).textContent = reason ?? (swapping ? SWAPPING : text);
}

const SWAPPING = "Your purchase is being swapped and sent to your wallet.";

/** @type {Record<string, [string, string]>} */
const TEXTS = {
  created: ["Waiting for your payment", "Complete the payment below."],
  pending: ["Your payment is being checked", "This takes a moment."],
  declined: ["The payment was declined", "You were not charged. You can try again or use another payment method."],
  processing: ["Paid", "Your purchase is on its way to your wallet."],
  completed: ["Done", "It has arrived in your wallet."],
  failed: ["The purchase failed", "The purchase was not completed."],
  canceled: ["Canceled", "Nothing was paid. You can start again at any time."],
  expired: ["Expired", "No payment arrived in time. You can start again at any time."],
};

/**
 * @param {string} label
 * @param {string} hash
 */
function showTransaction(label, hash) {
  byId("proof-label", HTMLElement).textContent = label;
  byId("proof-hash", HTMLElement).textContent = hash;
  byId("proof", HTMLElement).hidden = false;
}
