// @ts-check

import { getJson, words } from "./api.js";
import { chainIcon } from "./chain-list.js";
import { byId, debounce, el } from "./dom.js";
import { showPayment } from "./qr-example.js";
import { fromRaw, shorten } from "./units.js";

/** @typedef {import("../types/api.d.ts").Autocomplete} Autocomplete */
/** @typedef {import("../types/api.d.ts").Chain} Chain */
/** @typedef {import("../types/api.d.ts").Suggestion} Suggestion */
/** @typedef {import("../types/api.d.ts").Token} Token */

const ROWS = 5;
const TOP_ROWS = 4;

/** @type {Record<string, string>} */
const SLOTS = { amount: "how much", token: "which token", chain: "which chain", toToken: "into what" };

/**
 * Wires the search box: sentences go to autocomplete, words to the catalog's search.
 *
 * @param {Promise<Map<number, Chain>>} chains
 */
export function startSearch(chains) {
  const field = byId("search", HTMLInputElement);
  const top = getJson("/v1/tokens/top").catch(() => []);
  let pending = new AbortController();
  const run = async () => {
    pending.abort();
    pending = new AbortController();
    const text = field.value.trim();
    if (text === "") await showTop(top, chains, pending.signal);
    else await search(text, chains, pending.signal);
  };
  void run();
  field.addEventListener("input", debounce(150, run));
  void suggest((text) => {
    field.value = text;
    field.focus();
    void run();
  });
}

/**
 * Before anything is typed, the tokens that most people look for.
 *
 * @param {Promise<Token[]>} top
 * @param {Promise<Map<number, Chain>>} chains
 * @param {AbortSignal} signal
 */
async function showTop(top, chains, signal) {
  const [tokens, known] = await Promise.all([top, chains]);
  if (signal.aborted) return;
  clear();
  showTokens("Often looked for", tokens.slice(0, TOP_ROWS), known);
}

/** @param {(text: string) => void} choose */
async function suggest(choose) {
  const place = byId("suggestions", HTMLElement);
  /** @type {{ data: Suggestion[] }} */
  const { data } = await getJson("/v1/tokens/autocomplete/suggestions").catch(() => ({ data: [] }));
  for (const { text, description } of data.slice(0, 4)) {
    const button = el("button", { type: "button", title: description }, text);
    button.addEventListener("click", () => choose(text));
    place.append(el("li", {}, button));
  }
}

/**
 * @param {string} text
 * @param {Promise<Map<number, Chain>>} chains
 * @param {AbortSignal} signal
 */
async function search(text, chains, signal) {
  const sentence = `/v1/tokens/autocomplete/${encodeURIComponent(text)}?limit=${ROWS}`;
  const query = `/v1/tokens/search?q=${encodeURIComponent(text)}`;
  try {
    /** @type {[Autocomplete, { data: Token[] }, Map<number, Chain>]} */
    const [understood, found, known] = await Promise.all([getJson(sentence, signal), getJson(query, signal), chains]);
    if (signal.aborted) return;
    byId("understood", HTMLElement).replaceChildren(...understood.data.slice(0, ROWS).map(suggestionRow));
    show("understood-part", understood.data.length > 0);
    showTokens("In the catalog", found.data.slice(0, ROWS), known);
    say(summary(understood, found.data.length));
  } catch (error) {
    if (signal.aborted) return;
    clear();
    say(words(error));
  }
}

/**
 * @param {string} heading
 * @param {Token[]} tokens
 * @param {Map<number, Chain>} known
 */
function showTokens(heading, tokens, known) {
  byId("found-heading", HTMLElement).textContent = heading;
  byId("found", HTMLElement).replaceChildren(...tokens.map((token) => tokenRow(token, known.get(token.chainId))));
  show("found-part", tokens.length > 0);
}

/**
 * @param {Autocomplete} understood
 * @param {number} found
 */
function summary(understood, found) {
  if (understood.data.length === 0 && found === 0) return "Nothing in the catalog matches that.";
  const missing = understood.nextSlots.map((slot) => SLOTS[slot] ?? slot).join(", ");
  const parsed = understood.parsed ? `Understood: ${understood.parsed}.` : "";
  return [parsed, missing ? `Still to say: ${missing}.` : ""].filter(Boolean).join(" ");
}

/** @param {Autocomplete["data"][number]} item */
function suggestionRow(item) {
  const amount = item.amount === undefined ? null : fromRaw(item.amount, item.token.decimals);
  const right = item.usdAmount === undefined ? "" : `$${item.usdAmount}`;
  return row(item.token, item.chain, item.description, `${item.token.name} · ${shorten(item.token.address)}`, right, amount);
}

/**
 * @param {Token} token
 * @param {Chain | undefined} chain
 */
function tokenRow(token, chain) {
  const where = chain?.name ?? `chain ${token.chainId}`;
  return row(token, chain, `${token.symbol} on ${where}`, `${token.name} · ${shorten(token.address)}`, "", null);
}

/**
 * A result is a button: pressed, it becomes the payment of the QR example.
 *
 * @param {Token} token
 * @param {Chain | undefined} chain
 * @param {string} title
 * @param {string} under
 * @param {string} right
 * @param {string | null} amount
 */
function row(token, chain, title, under, right, amount) {
  const risk = token.extensions?.isRiskToken ? el("span", { class: "risk" }, "look-alike") : null;
  const button = el(
    "button",
    { type: "button", title: "Show as a QR code" },
    chainIcon(token.chainId, 28),
    el("span", { class: "row-text" }, el("strong", {}, title, risk), el("span", {}, under)),
    right ? el("span", { class: "row-right" }, right) : null,
  );
  button.addEventListener("click", () => {
    if (!chain) return;
    const { symbol, decimals, address } = token;
    showPayment({ symbol, decimals, token: address, chain: chain.name, caip2: chain.caip2, amount: amount ?? "1" });
  });
  return el("li", {}, button);
}

function clear() {
  show("understood-part", false);
  show("found-part", false);
  say("");
}

/**
 * @param {string} id
 * @param {boolean} visible
 */
function show(id, visible) {
  byId(id, HTMLElement).hidden = !visible;
}

/** @param {string} text */
function say(text) {
  byId("search-says", HTMLElement).textContent = text;
}
