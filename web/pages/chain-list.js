// @ts-check

import { getJson, words } from "./api.js";
import { byId, el } from "./dom.js";

/** @typedef {import("../types/api.d.ts").Chain} Chain */

/**
 * Draws the chains and answers them by id, for those who only hold a chain's number.
 *
 * @returns {Promise<Map<number, Chain>>}
 */
export async function loadChains() {
  const place = byId("chain-list", HTMLElement);
  try {
    /** @type {Chain[]} */
    const chains = await getJson("/v1/chains");
    place.replaceChildren(...chains.map(tile));
    return new Map(chains.map((chain) => [chain.id, chain]));
  } catch (error) {
    place.replaceChildren(el("li", { class: "bad" }, `The chains could not be read: ${words(error)}.`));
    return new Map();
  }
}

/** @param {Chain} chain */
function tile(chain) {
  const text = el(
    "span",
    { class: "tile-text" },
    el("strong", {}, chain.name),
    el("span", {}, `${chain.nativeCurrency.symbol} · ${chain.id}`),
  );
  const off = chain.enabled ? null : el("span", { class: "tag-off" }, "off");
  return el("li", { title: chain.caip2 }, chainIcon(chain.id, 32), text, off);
}

/**
 * @param {number} id
 * @param {number} size
 */
export function chainIcon(id, size) {
  const image = el("img", { src: `/v1/chain/${id}/icon`, alt: "", width: size, height: size, class: "icon" });
  image.addEventListener("error", () => image.classList.add("missing"));
  return image;
}
