// @ts-check

import { getJson, words } from "./api.js";
import { byId, el } from "./dom.js";
import { fromRaw } from "./units.js";
import { follow } from "./wrapper-status.js";

/** @typedef {import("../types/api.d.ts").Chain} Chain */
/** @typedef {import("../types/api.d.ts").FiatQuote} FiatQuote */
/** @typedef {import("../types/api.d.ts").FiatStatus} FiatStatus */
/** @typedef {import("../types/api.d.ts").Token} Token */

/** @type {Token[]} */
let tokens = [];

/** @type {Record<string, string>} */
const PROGRESS = {
  awaiting_payment: "Waiting for your payment.",
  payment_processing: "Your payment is being checked.",
  settling: "Paid. Your purchase is on its way; you can close this page.",
  completed: "It has arrived in your wallet.",
  failed: "The purchase failed.",
  canceled: "You canceled. Nothing was paid.",
  expired: "No payment arrived in time.",
};

byId("wish", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault();
  void attempt(compare);
});
void attempt(prepare);

/** @param {() => Promise<void>} run */
async function attempt(run) {
  const problem = byId("problem", HTMLElement);
  problem.textContent = "";
  try {
    await run();
  } catch (error) {
    problem.textContent = words(error);
  }
}

/**
 * @template T
 * @param {string} path
 * @param {object} body
 * @returns {Promise<T>}
 */
async function post(path, body) {
  const response = await fetch(path, { method: "POST", body: JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message ?? `the service answered ${response.status}`);
  return answer;
}

/** The second account of the sandbox's test phrase. */
const SANDBOX_WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

/** Fills the lists with what can be bought, and with what. */
async function prepare() {
  const [{ mode }, { providers }, top, chains] = await Promise.all([
    /** @type {Promise<{ mode: string }>} */ (getJson("/status.json")),
    /** @type {Promise<{ providers: { fiatCurrencies: string[] }[] }>} */ (getJson("/v1/fiat/providers")),
    /** @type {Promise<Token[]>} */ (getJson("/v1/tokens/top")),
    /** @type {Promise<Chain[]>} */ (getJson("/v1/chains")),
  ]);
  // Everybody knows the key of this wallet, so that real money must never go there.
  if (mode === "sandbox") byId("wallet", HTMLInputElement).value = SANDBOX_WALLET;
  if (providers.length === 0) throw new Error("No provider sells here.");
  const currencies = [...new Set(providers.flatMap((provider) => provider.fiatCurrencies))];
  byId("currency", HTMLSelectElement).append(...currencies.map((code) => el("option", { value: code }, code)));
  const names = new Map(chains.map((chain) => [chain.id, chain.name]));
  tokens = top.filter((token) => names.has(token.chainId));
  const option = /** @param {Token} token @param {number} place */ (token, place) =>
    el("option", { value: place }, `${token.symbol} on ${names.get(token.chainId)}`);
  byId("token", HTMLSelectElement).append(...tokens.map(option));
}

async function compare() {
  const token = tokens[Number(byId("token", HTMLSelectElement).value)];
  if (!token) return;
  const recipient = byId("wallet", HTMLInputElement).value.trim();
  /** @type {{ quotes: FiatQuote[], errors?: { provider: string, message: string }[] }} */
  const answer = await post("/v1/fiat/quote", {
    fiatCurrency: byId("currency", HTMLSelectElement).value,
    fiatAmount: byId("amount", HTMLInputElement).value.trim(),
    toChainId: token.chainId,
    toToken: token.address,
    recipient,
  });
  const offers = answer.quotes.map((quote) => offer(quote, token, recipient));
  const silent = (answer.errors ?? []).map(({ provider, message }) => el("li", { class: "muted" }, `${provider}: ${message}`));
  byId("offers", HTMLElement).replaceChildren(...offers, ...silent);
  byId("offers-part", HTMLElement).hidden = false;
}

/**
 * @param {FiatQuote} quote
 * @param {Token} token
 * @param {string} author
 */
function offer(quote, token, author) {
  const buy = el("button", { type: "button", class: "button primary" }, "Buy");
  buy.setAttribute("aria-label", `Buy from ${quote.providerName}`);
  buy.addEventListener("click", () => {
    // Opened in the click itself: a browser blocks a window that comes later.
    const popup = window.open("", "checkout", "width=500,height=700");
    void attempt(() => take(quote, author, popup));
  });
  const way = quote.swapStrategy === "jump" ? "with a swap on the way" : "delivered by the provider itself";
  return el(
    "li",
    { class: "offer" },
    el(
      "div",
      {},
      el("p", { class: "gets" }, `${fromRaw(quote.expectedOutputAmount, token.decimals)} ${token.symbol}`),
      el("p", { class: "muted" }, `${quote.providerName} · fees ${quote.totalFee} ${quote.fiatCurrency} · ${way}`),
    ),
    buy,
  );
}

/**
 * @param {FiatQuote} quote
 * @param {string} author
 * @param {Window | null} popup
 */
async function take(quote, author, popup) {
  try {
    /** @type {{ orderId: string, wrapperUrl: string }} */
    const order = await post("/v1/fiat/order", { quoteId: quote.quoteId, author });
    byId("order-part", HTMLElement).hidden = false;
    byId("order-id", HTMLElement).textContent = order.orderId;
    byId("again", HTMLAnchorElement).href = order.wrapperUrl;
    if (popup) popup.location.href = order.wrapperUrl;
    follow(`/v1/fiat/orders/${order.orderId}/status`, show);
  } catch (error) {
    popup?.close();
    throw error;
  }
}

/** @param {FiatStatus} status */
function show(status) {
  byId("progress", HTMLElement).textContent = status.failedReason ?? PROGRESS[status.progress] ?? status.progress;
}
