// @ts-check

import { byId, el } from "./dom.js";
import { errorRows } from "./errors.js";
import { render, renderInline } from "./markdown.js";
import { fillNav, followReading, wireFilter, wireMenu } from "./nav.js";
import { groups, operations, slug, title } from "./openapi.js";
import { operationView } from "./operation-view.js";
import { walk } from "./walk.js";

/** @typedef {import("../types/openapi.d.ts").OpenApi} OpenApi */
/** @typedef {import("../types/openapi.d.ts").Operation} Operation */

const place = byId("operations", HTMLElement);

try {
  const response = await fetch("/openapi.json");
  if (!response.ok) throw new Error(`the service answered ${response.status}`);
  const [doc, hasFaucet] = await Promise.all([response.json(), isSandbox()]);
  await show(doc, hasFaucet);
} catch (error) {
  const why = error instanceof Error ? error.message : String(error);
  const text = `The API document could not be read: ${why}. Reload the page, or open `;
  place.replaceChildren(el("p", { class: "bad" }, text, el("a", { href: "/openapi.json" }, "/openapi.json"), "."));
  place.removeAttribute("aria-busy");
}

/** Lets the browser draw and answer what was pressed. */
function breath() {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Whether there is a faucet. */
async function isSandbox() {
  const status = await fetch("/status.json").then((response) => response.json(), () => null);
  return status?.mode === "sandbox";
}

/**
 * @param {OpenApi} doc
 * @param {boolean} hasFaucet
 */
async function show(doc, hasFaucet) {
  const list = operations(doc);
  byId("version", HTMLElement).textContent = doc.info.version;
  byId("base", HTMLElement).textContent = location.origin;
  byId("about", HTMLElement).replaceChildren(...render(doc.info.description ?? ""));
  byId("walk-place", HTMLElement).replaceChildren(...[walk(doc, list, location.origin, hasFaucet)].filter((part) => part !== null));
  fillNav(doc, list);
  wireMenu();
  const filter = wireFilter(list);
  place.replaceChildren();
  for (const group of groups(doc, list)) {
    const part = section(group);
    place.append(part);
    for (const op of group.operations) {
      await breath();
      part.append(operationView(doc, op, location.origin));
    }
  }
  showErrors(doc, list);
  // It may have been typed into before everything was there.
  filter.apply();
  place.removeAttribute("aria-busy");
  followReading();
  const go = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.closest("[hidden]")) filter.clear();
    target.scrollIntoView();
    target.focus({ preventScroll: true });
  };
  // The browser resolved the hash before the content was rendered.
  go();
  window.addEventListener("hashchange", go);
}

/**
 * A group without its operations.
 *
 * @param {ReturnType<typeof groups>[number]} group
 */
function section(group) {
  const id = `tag-${slug(group.name)}`;
  return el("section", { class: "tag", "aria-labelledby": id }, el("h2", { id }, title(group.name)), ...render(group.description));
}

/**
 * @param {OpenApi} doc
 * @param {Operation[]} list
 */
function showErrors(doc, list) {
  const rows = errorRows(doc, list).map((row) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, el("code", {}, row.name)),
      el("td", {}, row.status),
      el("td", {}, ...renderInline(row.when)),
    ),
  );
  byId("error-rows", HTMLElement).replaceChildren(...rows);
  byId("error-table", HTMLElement).toggleAttribute("hidden", rows.length === 0);
}
