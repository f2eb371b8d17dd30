// @ts-check

import { getJson } from "./api.js";
import { byId } from "./dom.js";
import { span } from "./units.js";

/** @typedef {import("../types/api.d.ts").Status} Status */

const EVERY_MS = 15_000;

/** Shows what is running, and keeps showing it. */
export function startStatus() {
  let startedAt = Number.NaN;
  const tick = () => {
    if (!Number.isNaN(startedAt)) set("uptime", span(Date.now() - startedAt));
  };
  const load = async () => {
    if (document.hidden) return;
    try {
      /** @type {Status} */
      const status = await getJson("/status.json");
      startedAt = Date.parse(status.startedAt);
      show(status);
      tick();
    } catch {
      state("bad", "No answer");
    }
  };
  void load();
  window.setInterval(tick, 1000);
  window.setInterval(load, EVERY_MS);
  document.addEventListener("visibilitychange", load);
}

/** @param {Status} status */
function show(status) {
  set("mode", status.mode);
  set("version", status.version);
  set("chain-count", status.chains.toLocaleString("en"));
  set("token-count", status.tokens.toLocaleString("en"));
  set("store", status.store === "postgres" ? "PostgreSQL" : "SQLite");
  state(status.ready ? "good" : "wait", status.ready ? "Ready" : "Starting");
  byId("sandbox", HTMLElement).hidden = status.mode !== "sandbox";
}

/**
 * @param {string} id
 * @param {string} text
 */
function set(id, text) {
  byId(id, HTMLElement).textContent = text;
}

/**
 * @param {"good" | "wait" | "bad"} kind
 * @param {string} text
 */
function state(kind, text) {
  const node = byId("state", HTMLElement);
  if (node.textContent === text) return;
  node.className = `state ${kind}`;
  node.textContent = text;
}
