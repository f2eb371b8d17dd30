// @ts-check

import { byId } from "./dom.js";
import { opensWindow, translator } from "./wrapper-providers.js";
import { Relay } from "./wrapper-relay.js";
import { follow } from "./wrapper-status.js";

/** @typedef {import("../types/api.d.ts").FiatStatus} FiatStatus */
/** @typedef {import("./wrapper-providers.js").Told} Told */

/**
 * What the service wrote into the page.
 *
 * @typedef {object} Order
 * @property {string} orderId
 * @property {string} provider
 * @property {boolean} jump whether a swap follows the provider's delivery
 * @property {string[]} origins from where the provider's checkout speaks
 * @property {string[]} targets whom to tell
 * @property {string} statusUrl
 */

/** How long the address of a checkout that opens a window is used: shorter than any provider lets one live. */
const ADDRESS_MS = 240_000;

/** @type {Order} */
const order = JSON.parse(byId("order", HTMLScriptElement).textContent ?? "");
const frame = document.querySelector("iframe");
const translate = translator(order.provider);
const relay = new Relay(order);
let paying = false;
/** Whether the last that the checkout said is that a payment came to nothing. */
let declined = false;
/** @type {Window | null} the checkout, where it is no frame */
let opened = null;
const record = follow(order.statusUrl, (status) => show(status));

window.addEventListener("message", (message) => {
  // Only the checkout that we show is listened to, and only while it is still the provider's own page.
  const checkout = opened ?? frame?.contentWindow;
  if (!checkout || message.source !== checkout || !order.origins.includes(message.origin)) return;
  const told = translate(message.data, order.orderId);
  if (told) hear(told);
});

byId("close", HTMLButtonElement).addEventListener("click", () => close({ event: "widget_close" }));
if (frame && opensWindow(order.provider)) {
  offerWindow(frame);
} else if (frame) {
  // Not every provider says that it is there.
  frame.addEventListener("load", () => relay.ready(), { once: true });
  frame.src = frame.dataset.src ?? "";
}

/**
 * Offers the checkout as a window of its own, which browsers open only in a click.
 *
 * @param {HTMLIFrameElement} place
 */
function offerWindow(place) {
  place.hidden = true;
  const button = byId("open", HTMLButtonElement);
  button.hidden = false;
  button.addEventListener("click", () => {
    if (opened && !opened.closed) return opened.focus();
    // An address is good for one visit, and for minutes only: loading this page anew brings another.
    if (opened || performance.now() > ADDRESS_MS) return window.location.reload();
    opened = window.open(place.dataset.src, "_blank", "popup,width=500,height=700");
    if (opened) relay.ready();
  });
}

/**
 * What the checkout says. It is never taken for the end of a purchase: that is what our own record says.
 *
 * @param {Told} told
 */
function hear(told) {
  if (told.event !== "widget_close") declined = told.event === "order_failed";
  switch (told.event) {
    case "order_completed":
      relay.tell({ ...told, event: "order_processing" });
      // What the provider calls delivered has only begun its way.
      if (order.jump) standAlone();
      record.ask();
      break;
    case "order_failed":
      // A provider may let the payer try again: whether it is over, our record says.
      paying = false;
      record.ask(true);
      break;
    case "widget_close":
      close(told);
      break;
    case "order_processing":
      paying = true;
      relay.tell(told);
      record.ask();
      break;
    default:
      relay.tell(told);
      if (told.event !== "widget_ready") record.ask();
  }
}

/**
 * What our record says: shown in words, and told to whoever waits.
 *
 * @param {FiatStatus} status
 */
function show(status) {
  // The payer knows before the record does that the payment has begun.
  const unpaid = status.status === "created" || status.status === "pending";
  const begun = paying && status.status === "created";
  if (declined && unpaid) say("declined");
  else say(begun ? "pending" : status.status, status.failedReason);
  if (status.fillTxHash) prove("Transaction", status.fillTxHash);
  const data = { status: status.status, progress: status.progress };
  if (status.status === "processing") {
    relay.ready();
    relay.tell({ event: "order_processing", data });
  }
  if (!status.polling.isTerminal) return;
  standAlone();
  byId("close", HTMLButtonElement).hidden = false;
  relay.ready();
  if (status.status === "completed") {
    relay.tell({ event: "order_completed", data: { ...data, fillTxHash: status.fillTxHash } });
  } else {
    const why = { errorReason: status.errorReason, failedReason: status.failedReason };
    relay.tell({ event: "order_failed", data: { ...data, ...why } });
  }
}

/** Shows our own words in place of the checkout. */
function standAlone() {
  byId("said", HTMLElement).classList.add("alone");
  byId("open", HTMLButtonElement).hidden = true;
  if (frame) frame.hidden = true;
}

/**
 * The payer is done with the page.
 *
 * @param {Told} told
 */
function close(told) {
  relay.tell(told);
  if (window.opener) window.close();
}

/**
 * @param {string} state
 * @param {string} [reason] in place of the usual words
 */
function say(state, reason) {
  const said = byId("said", HTMLElement);
  if (said.dataset.state === state) return;
  said.dataset.state = state;
  const [headline, words] = WORDS[state] ?? ["", ""];
  const swapping = order.jump && state === "processing";
  byId("headline", HTMLElement).textContent = headline;
  byId("words", HTMLElement).textContent = reason ?? (swapping ? SWAPPING : words);
}

const SWAPPING = "What you bought is being swapped and sent to your wallet.";

/** @type {Record<string, [string, string]>} */
const WORDS = {
  created: ["Waiting for your payment", "Pay below to go on."],
  pending: ["Your payment is being checked", "This takes a moment."],
  declined: ["That payment did not go through", "Nothing was taken. You can try again, with another card or way of paying."],
  processing: ["Paid", "What you bought is on its way to your wallet."],
  completed: ["Done", "It has arrived in your wallet."],
  failed: ["This did not work", "The purchase came to nothing."],
  canceled: ["Canceled", "Nothing was paid. You can start again at any time."],
  expired: ["Expired", "No payment came in time. You can start again at any time."],
};

/**
 * @param {string} label
 * @param {string} hash
 */
function prove(label, hash) {
  byId("proof-label", HTMLElement).textContent = label;
  byId("proof-hash", HTMLElement).textContent = hash;
  byId("proof", HTMLElement).hidden = false;
}
