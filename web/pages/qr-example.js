// @ts-check

import { byId, debounce } from "./dom.js";
import { qrUrl, shorten } from "./units.js";

/** @typedef {import("../types/api.d.ts").Payment} Payment */

/** Addresses that burn what they receive: a code that is scanned by mistake enriches nobody. */
const NOBODY = {
  eip155: "0x000000000000000000000000000000000000dEaD",
  solana: "1nc1nerator11111111111111111111111111111111",
};

/** @type {Payment} */
let payment = {
  symbol: "USDC",
  chain: "Base",
  caip2: "eip155:8453",
  token: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  decimals: 6,
  amount: "1.5",
};

/** Redraws the code as its amount and recipient are typed. */
export function startQr() {
  const image = byId("qr-image", HTMLImageElement);
  image.addEventListener("error", () => {
    image.classList.add("missing");
    void explain();
  });
  image.addEventListener("load", () => {
    image.classList.remove("missing");
    say("");
  });
  const redraw = debounce(200, draw);
  byId("qr-amount", HTMLInputElement).addEventListener("input", redraw);
  byId("qr-recipient", HTMLInputElement).addEventListener("input", redraw);
}

/**
 * Shows another payment; an example recipient follows to the other family of addresses.
 *
 * @param {Payment} next
 */
export function showPayment(next) {
  payment = next;
  byId("qr-amount", HTMLInputElement).value = next.amount;
  const recipient = byId("qr-recipient", HTMLInputElement);
  if (Object.values(NOBODY).includes(recipient.value)) {
    recipient.value = next.caip2.startsWith("solana:") ? NOBODY.solana : NOBODY.eip155;
  }
  draw();
}

function draw() {
  payment = { ...payment, amount: byId("qr-amount", HTMLInputElement).value.trim() };
  const recipient = byId("qr-recipient", HTMLInputElement).value.trim();
  const url = qrUrl(payment, recipient);
  const image = byId("qr-image", HTMLImageElement);
  image.src = url;
  image.alt = `QR code: ${payment.amount} ${payment.symbol} on ${payment.chain} to ${shorten(recipient)}`;
  byId("qr-what", HTMLElement).textContent = `${payment.symbol} on ${payment.chain}`;
  byId("qr-link", HTMLAnchorElement).href = url;
}

/** An image element cannot read why it failed, so the same address is asked once more for its words. */
async function explain() {
  const response = await fetch(byId("qr-image", HTMLImageElement).src).catch(() => null);
  say(response ? await response.text() : "No answer came. Is the service still running?");
}

/** @param {string} text */
function say(text) {
  byId("qr-problem", HTMLElement).textContent = text;
}
