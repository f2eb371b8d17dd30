// @ts-check

import { el } from "./dom.js";
import { trial } from "./try-view.js";

/** @typedef {import("../types/openapi.d.ts").OpenApi} OpenApi */
/** @typedef {import("../types/openapi.d.ts").Operation} Operation */
/** @typedef {{ request(ask: unknown): Promise<unknown> }} Provider a wallet as EIP-1193 says */

const [BASE, ARBITRUM] = [8453, 42161];
/** An account of the phrase that every developer knows, until a wallet is connected. */
const SOMEBODY = "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65";
const TERMINAL = ["filled", "refunded", "failed"];
const EVERY = 1000;

/** 0.01 ether on Base for USDC on Arbitrum. @param {string} fromAddress */
const ask = (fromAddress) => ({
  tradeType: "EXACT_INPUT",
  fromChainId: BASE,
  fromToken: "0x0000000000000000000000000000000000000000",
  toChainId: ARBITRUM,
  toToken: "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
  amount: "10000000000000000",
  fromAddress,
  depositMethods: ["CONTRACT_CALL"],
});

/**
 * What is at a path in a JSON value.
 *
 * @param {unknown} value
 * @param {...(string | number)} path
 * @returns {any}
 */
const at = (value, ...path) => path.reduce((found, name) => (found && typeof found === "object" ? Reflect.get(found, name) : undefined), value);

/**
 * A swap in four calls, each filled with what the one before it answered.
 *
 * @param {OpenApi} doc
 * @param {Operation[]} list
 * @param {string} base
 * @param {boolean} isSandbox whether there is a wallet that everybody may use
 */
export function walk(doc, list, base, isSandbox) {
  const find = (/** @type {string} */ id) => list.find((op) => op.id === id);
  const [quoting, building, submitting, tracking] = [find("post_quote"), find("build_deposit"), find("submit_deposit"), find("get_order")];
  if (!quoting || !building || !submitting || !tracking) return null;

  const said = el("p", { class: "walk-said", role: "status" });
  const say = (/** @type {string} */ words) => said.replaceChildren(words);
  const known = { account: SOMEBODY, quoteId: "", routeId: "", /** @type {unknown[]} */ requests: [] };
  const open = (/** @type {{ panel: HTMLDetailsElement }} */ { panel }) => {
    panel.open = true;
  };

  const track = trial(doc, tracking, base, { prefix: "walk", onAnswer: (answer) => say(`The order is ${at(answer, "status")}.`) });
  const submit = trial(doc, submitting, base, {
    prefix: "walk",
    onAnswer: (answer) => {
      const orderId = String(at(answer, "orderId"));
      track.fill({ "path.orderId": orderId });
      open(track);
      void follow(orderId, said);
    },
  });
  const deposit = depositStep(isSandbox, () => known.requests, (txHash) => {
    submit.fill({}, { quoteId: known.quoteId, routeId: known.routeId, txHash });
    open(submit);
    say("The deposit was sent. Its hash is in the third call.");
  });
  const build = trial(doc, building, base, {
    prefix: "walk",
    onAnswer: (answer) => {
      known.requests = (at(answer, "approvals") ?? []).map((/** @type {unknown} */ one) => at(one, "request"));
      deposit.hidden = false;
      say("The answer says what the wallet signs.");
    },
  });
  const quote = trial(doc, quoting, base, {
    prefix: "walk",
    onAnswer: (answer) => {
      [known.quoteId, known.routeId] = [String(at(answer, "quoteId")), at(answer, "routes", 0, "routeId") ?? ""];
      if (!known.routeId) return say("Nobody offers that now: change the amount or the tokens.");
      build.fill({}, { quoteId: known.quoteId, routeId: known.routeId, from: known.account, depositMethod: "CONTRACT_CALL" });
      open(build);
      return say("The best offer is in the second call.");
    },
  });
  quote.fill({}, ask(known.account));
  open(quote);
  if (isSandbox) {
    void sandboxWallet().then(({ address }) => {
      known.account = address;
      quote.fill({}, ask(address));
    });
  }

  const titles = ["Ask for a quote", "Build the deposit", "Submit its transaction", "Track the order"];
  const steps = [quote, build, submit, track].map(({ sample, panel }, number) =>
    el("li", { class: "walk-step" }, el("h3", {}, titles[number]), sample, panel, number === 1 ? deposit : null));
  return el(
    "section",
    { class: "tag walk", "aria-labelledby": "walk" },
    el("h2", { id: "walk" }, "A swap in four calls"),
    el("p", {}, "Send the calls one after the other: each is filled with what the one before it answered. 0.01 ETH on Base become USDC on Arbitrum."),
    el("ol", { class: "walk-steps" }, ...steps),
    said,
  );
}

/** @type {Promise<{ address: string, provider: Provider }> | undefined} */
let wallet;

/** The module is loaded in the sandbox only. */
function sandboxWallet() {
  const path = "/assets/test-wallet.js";
  wallet ??= import(path).then(({ connectTestWallet }) => connectTestWallet("eip155", (/** @type {number} */ id) => `/sandbox/rpc/${id}`, BASE));
  return wallet;
}

/** @returns {Provider | undefined} */
const injected = () => Reflect.get(window, "ethereum");

/**
 * The deposit between the second and the third call: by a wallet, or by whatever else gives a hash.
 *
 * @param {boolean} isSandbox
 * @param {() => unknown[]} requests what the wallet is asked for, the deposit last
 * @param {(txHash: string) => void} onSent
 */
function depositStep(isSandbox, requests, onSent) {
  const problem = el("p", { class: "bad", role: "alert" });
  const button = el("button", { type: "button", class: "primary" }, isSandbox ? "Sign and send with the sandbox wallet" : "Sign and send with your wallet");
  button.addEventListener("click", async () => {
    problem.textContent = "";
    try {
      const provider = isSandbox ? (await sandboxWallet()).provider : injected();
      if (!provider) throw new Error("There is no wallet in this browser. Send the transaction elsewhere, and enter its hash in the third call.");
      let answer;
      for (const request of requests()) answer = await provider.request(request);
      onSent(String(answer));
    } catch (error) {
      problem.textContent = error instanceof Error ? error.message : String(at(error, "message") ?? error);
    }
  });
  return el("div", { class: "walk-pay", hidden: true }, button, problem);
}

/**
 * Says how the order stands until it ends.
 *
 * @param {string} orderId
 * @param {HTMLElement} said
 */
async function follow(orderId, said) {
  const began = performance.now();
  for (;;) {
    const response = await fetch(`/v1/orders/by-id/${encodeURIComponent(orderId)}`).catch(() => undefined);
    const order = response?.ok ? await response.json() : undefined;
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    if (order) said.replaceChildren(`The order is ${order.status}, after ${seconds} s. `, el("a", { href: `/order/${orderId}` }, "See its page"), ".");
    if (TERMINAL.includes(order?.status)) return;
    await new Promise((resolve) => setTimeout(resolve, EVERY));
  }
}
