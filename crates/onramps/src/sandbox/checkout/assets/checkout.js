// Shows each stage without a reload, and tells the window around what happens. Listens to nobody.

const POLL_MS = 1000;
const told = new Set();

const main = () => document.querySelector("main");

/** @param {string} name */
function tell(name) {
  const { provider, order, session, reason } = main().dataset;
  if (!provider || !name || told.has(name)) return;
  told.add(name);
  const message = { source: provider, name, order, session };
  if (name === "failed" && reason) message.reason = reason;
  // Who may be the parent is in the page's policy (frame-ancestors), and nothing in here is a secret.
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
    // What was filled in is never sent back; it stays here.
    for (const field of main().querySelectorAll("input")) {
      const again = next.querySelector(`input[name="${field.name}"]`);
      if (again) again.value = field.value;
    }
    main().replaceWith(document.adoptNode(next));
    // Typing replaces what was wrong.
    const wrong = main().querySelector("input[aria-invalid]");
    wrong?.focus();
    wrong?.select();
  }
  tell(main().dataset.event ?? "");
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
  tell("closed");
  window.close();
});

async function follow() {
  while (!isOver()) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    try {
      // While the payer fills a form in, only another stage replaces it.
      await show(await fetch(location.href));
    } catch {
      // The provider is away for a moment.
    }
  }
}

tell("ready");
tell(main().dataset.event ?? "");
follow();
