// @ts-check

import { byId, el } from "./dom.js";
import { groups, matches, slug, title } from "./openapi.js";
import { badge } from "./operation-view.js";

/** @typedef {import("../types/openapi.d.ts").OpenApi} OpenApi */
/** @typedef {import("../types/openapi.d.ts").Operation} Operation */

/**
 * Renders the navigation: one group per tag, one link per operation.
 *
 * @param {OpenApi} doc
 * @param {Operation[]} list
 */
export function fillNav(doc, list) {
  const place = byId("nav-list", HTMLElement);
  for (const group of groups(doc, list)) {
    const items = group.operations.map((op) =>
      el(
        "li",
        { "data-op": op.id },
        el("a", { href: `#${op.id}`, title: op.path }, badge(op.method), el("span", {}, op.summary || op.path)),
      ),
    );
    const heading = el("a", { class: "nav-tag", href: `#tag-${slug(group.name)}` }, title(group.name));
    place.append(el("div", { class: "nav-group" }, heading, el("ul", {}, ...items)));
  }
  place.append(el("div", { class: "nav-group" }, el("a", { class: "nav-tag", href: "#errors" }, "Errors")));
}

/**
 * The filter hides operations that do not match, in the navigation and on the page.
 *
 * @param {Operation[]} list
 */
export function wireFilter(list) {
  const field = byId("filter", HTMLInputElement);
  const count = byId("filter-count", HTMLElement);
  const apply = () => {
    const query = field.value.trim();
    const shown = new Set(list.filter((op) => matches(op, query)).map((op) => op.id));
    for (const op of list) {
      const hidden = !shown.has(op.id);
      document.getElementById(op.id)?.toggleAttribute("hidden", hidden);
      document.querySelector(`[data-op="${CSS.escape(op.id)}"]`)?.toggleAttribute("hidden", hidden);
    }
    for (const group of document.querySelectorAll(".nav-group, .tag")) {
      const rows = group.querySelectorAll("[data-op], .op");
      const isEmpty = query !== "" && [...rows].every((row) => row.hasAttribute("hidden"));
      group.toggleAttribute("hidden", isEmpty);
    }
    count.textContent = query === "" ? `${list.length} operations` : `${shown.size} of ${list.length} operations`;
  };
  const clear = () => {
    field.value = "";
    apply();
  };
  field.addEventListener("input", apply);
  field.addEventListener("keydown", (event) => event.key === "Escape" && clear());
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLElement && event.target.closest("input, textarea, select");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    openMenu(true);
    field.focus();
  });
  apply();
  return { apply, clear };
}

/** On a phone the navigation is collapsed behind a button; following a link collapses it again. */
export function wireMenu() {
  byId("menu", HTMLButtonElement).addEventListener("click", () => openMenu(!isOpen()));
  byId("nav-list", HTMLElement).addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("a")) openMenu(false);
  });
}

function isOpen() {
  return byId("menu", HTMLButtonElement).getAttribute("aria-expanded") === "true";
}

/** @param {boolean} open */
function openMenu(open) {
  byId("menu", HTMLButtonElement).setAttribute("aria-expanded", String(open));
  byId("nav", HTMLElement).classList.toggle("open", open);
}

/** Highlights the operation in view in the navigation. */
export function followReading() {
  const seen = new Set();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (entry.isIntersecting) seen.add(entry.target);
        else seen.delete(entry.target);
      }
      const first = [...document.querySelectorAll(".op")].find((op) => seen.has(op));
      if (first) mark(first.id);
    },
    { rootMargin: "-10% 0px -70% 0px" },
  );
  for (const op of document.querySelectorAll(".op")) observer.observe(op);
}

/** @param {string} id */
function mark(id) {
  for (const link of document.querySelectorAll("#nav-list [aria-current]")) link.removeAttribute("aria-current");
  const link = document.querySelector(`[data-op="${CSS.escape(id)}"] a`);
  link?.setAttribute("aria-current", "location");
  const list = byId("nav", HTMLElement);
  if (!(link instanceof HTMLElement) || list.scrollHeight <= list.clientHeight) return;
  const [top, bottom] = [link.offsetTop, link.offsetTop + link.offsetHeight];
  if (top < list.scrollTop || bottom > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 3;
}
