// @ts-check

/**
 * Builds an element; children that are strings become text, never markup.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number | boolean | null | undefined>} [attributes]
 * @param {...(Node | string | null | undefined)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/**
 * The element with this id, which must exist in the page.
 *
 * @template {Element} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
export function byId(id, type) {
  const node = document.getElementById(id);
  if (!(node instanceof type)) throw new Error(`the page has no ${type.name} with id "${id}"`);
  return node;
}

/**
 * Debounces: calls `run` when there was no call for `ms` milliseconds.
 *
 * @param {number} ms
 * @param {() => void} run
 */
export function debounce(ms, run) {
  let timer = 0;
  return () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(run, ms);
  };
}

/**
 * A button that copies the result of `text` when it is clicked.
 *
 * @param {() => string} text
 * @param {string} what the name of the copied text, for screen readers
 */
export function copyButton(text, what) {
  const button = el("button", { type: "button", class: "copy", "aria-label": `Copy ${what}` }, "Copy");
  button.addEventListener("click", async () => {
    button.textContent = (await copy(text())) ? "Copied" : "Press Ctrl+C";
    window.setTimeout(() => (button.textContent = "Copy"), 1600);
  });
  return button;
}

/**
 * @param {string} text
 * @returns {Promise<boolean>}
 */
async function copy(text) {
  // The clipboard API exists only over HTTPS and on loopback; a service on a plain LAN address has none.
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return false;
    }
  }
  const field = el("textarea", { class: "visually-hidden", readonly: true }, text);
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}
