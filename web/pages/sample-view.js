// @ts-check

import { copyButton, el } from "./dom.js";
import { LANGUAGES, sample } from "./samples.js";

/** @typedef {import("./samples.js").Language} Language */

const MEMORY = "causeway-docs-language";

/** @type {Language} */
let chosen = LANGUAGES.find((language) => language === remembered()) ?? "curl";
/** Redraws every sample of the page. @type {Set<() => void>} */
const views = new Set();

/** The storage can be forbidden. */
function remembered() {
  try {
    return localStorage.getItem(MEMORY);
  } catch {
    return null;
  }
}

/** @param {Language} language */
function choose(language) {
  chosen = language;
  try {
    localStorage.setItem(MEMORY, language);
  } catch {
    // Then it is chosen for this page only.
  }
  for (const redraw of views) redraw();
}

/**
 * A request in the language that the reader chose, for the whole page at once.
 *
 * @param {() => import("./request.js").Request} request
 * @param {import("./samples.js").About} about
 * @param {string} what the call in words
 */
export function sampleView(request, about, what) {
  const buttons = LANGUAGES.map((language) => {
    const button = el("button", { type: "button", class: "language" }, language);
    button.addEventListener("click", () => choose(language));
    return button;
  });
  const code = el("code");
  const pre = el("pre", { tabindex: 0, role: "group" }, code);
  const copy = copyButton(() => code.textContent ?? "", `the example for ${what}`);
  const block = el(
    "div",
    { class: "code" },
    el("div", { class: "code-head" }, el("div", { class: "languages", role: "group", "aria-label": `Language of the example for ${what}` }, ...buttons), copy),
    pre,
  );
  const redraw = () => {
    buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(LANGUAGES[at] === chosen)));
    pre.setAttribute("aria-label", `${chosen} for ${what}`);
    code.className = chosen === "curl" ? "shell" : "";
    code.textContent = sample(chosen, request(), about);
  };
  views.add(redraw);
  redraw();
  return { block, redraw };
}
