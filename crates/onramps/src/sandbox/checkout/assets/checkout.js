// Updates the page without a reload, and posts events to the embedding window. It handles no incoming messages.

const POLL_MS = 1000;
const posted = new Set();

const main = () => document.querySelector("main");

/** @param {string} name */
function postEvent(name) {
  const { provider, order, session, reason } = main().dataset;
  if (!provider || !name || posted.has(name)) return;
  posted.add(name);
  const message = { source: provider, name, order, session };
  if (name === "failed" && reason) message.reason = reason;
  // The page's policy (frame-ancestors) restricts the parent, and the message has no secrets.
  if (window.parent !== window) window.parent.postMessage(message, "*");
  if (window.opener) window.opener.postMessage(message, "*");
}

/** @param {Response} answer */
async function show(answer) {
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const next = page.querySelector("main");
  if (!next) return;
  const same = next.dataset.state === main().dataset.state && !next.querySelector("[aria-invalid]");
  if (!same) {
    // The server never returns the entered values; they are kept here.
    for (const field of main().querySelectorAll("input")) {
      const again = next.querySelector(`input[name="${field.name}"]`);
      if (again) again.value = field.value;
    }
    main().replaceWith(document.adoptNode(next));
    // Select the invalid value, so that typing replaces it.
    const wrong = main().querySelector("input[aria-invalid]");
    wrong?.focus();
    wrong?.select();
  }
  postEvent(main().dataset.event ?? "");
}

const isOver = () => ["completed", "failed", "canceled", "expired"].includes(main().dataset.state ?? "");

document.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.target);
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form, event.submitter)) fields.append(name, String(value));
  const buttons = [...main().querySelectorAll("button")];
  for (const button of buttons) button.disabled = true;
  try {
    await show(await fetch(form.action, { method: "POST", body: fields }));
  } finally {
    for (const button of buttons) button.disabled = false;
  }
});

document.addEventListener("input", ({ target }) => {
  if (!(target instanceof HTMLInputElement)) return;
  const digits = target.value.replace(/\D/g, "");
  const atEnd = target.selectionStart === target.value.length;
  if (target.name === "number" && atEnd) {
    target.value = digits.slice(0, 19).replace(/(\d{4})(?=\d)/g, "$1 ");
  }
  if (target.name === "expiry" && atEnd && digits.length > 2) {
    target.value = `${digits.slice(0, 2)}/${digits.slice(2, 4)}`;
  }
});

document.addEventListener("click", ({ target }) => {
  if (!(target instanceof Element) || !target.closest("[data-close]")) return;
  postEvent("closed");
  window.close();
});

async function poll() {
  while (!isOver()) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    try {
      // While the payer fills in a form, only another state replaces it.
      await show(await fetch(location.href));
    } catch {
      // The provider is temporarily unavailable.
    }
  }
}

postEvent("ready");
postEvent(main().dataset.event ?? "");
poll();
