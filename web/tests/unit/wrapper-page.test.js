// @ts-check

import assert from "node:assert/strict";
import { test } from "node:test";
import { Relay } from "../../pages/wrapper-relay.js";

const ORDER = "0f8fad5bd9cb469fa16570867728950e";
const PROVIDER = "https://global-stg.transak.com";

/** The events posted to the embedding page. @type {string[]} */
let posted = [];
/** Pending timers. @type {(() => void)[]} */
let timers = [];
/** The order status of the service. */
let status = "created";
/** @type {(message: object) => void} */
let listener = () => {};

class Stub {
  textContent = "";
  hidden = false;
  /** @type {Record<string, string>} */
  dataset = {};
  classList = { add() {} };
  addEventListener() {}
}
class Script extends Stub {}
class Button extends Stub {}
class Frame extends Stub {
  contentWindow = {};
}
const frame = new Frame();
const written = { orderId: ORDER, provider: "transak", jump: false, origins: [PROVIDER], targets: ["*"], statusUrl: "/status" };
const script = Object.assign(new Script(), { textContent: JSON.stringify(written) });
/** @type {Record<string, Stub>} */
const elements = { order: script, open: new Button(), close: new Button() };

/** A minimal browser for the page. */
const browser = {
  HTMLElement: Stub,
  HTMLScriptElement: Script,
  HTMLButtonElement: Button,
  document: { getElementById: (/** @type {string} */ id) => (elements[id] ??= new Stub()), querySelector: () => frame },
  window: {
    parent: { postMessage: (/** @type {{ event: string }} */ { event }) => posted.push(event) },
    opener: null,
    addEventListener: (/** @type {string} */ _, /** @type {(message: object) => void} */ hear) => (listener = hear),
    setTimeout: (/** @type {() => void} */ run) => timers.push(run),
    clearTimeout() {},
  },
  fetch: async () => {
    const isTerminal = !["created", "pending", "processing"].includes(status);
    return Response.json({ status, progress: status, polling: { isTerminal, suggestedIntervalMs: isTerminal ? 0 : 1 } });
  },
};
Object.assign(globalThis, browser);

/** Runs pending promises and timers. */
async function pass() {
  for (let turn = 0; turn < 5; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    for (const run of timers.splice(0)) run();
  }
}

/** @param {string} event */
async function says(event) {
  listener({ source: frame.contentWindow, origin: PROVIDER, data: { event_id: event, data: { id: "t-1", partnerOrderId: ORDER } } });
  await pass();
}

test("a declined payment does not end the order: after a successful retry only order_completed is posted", async () => {
  await import("../../pages/wrapper.js");
  await says("TRANSAK_WIDGET_INITIALISED");
  await says("TRANSAK_ORDER_FAILED");
  status = "pending";
  await pass();
  assert.ok(!posted.includes("order_failed"), posted.join());
  assert.equal(elements.said?.dataset.state, "declined", "the payer can try again");
  await says("TRANSAK_ORDER_SUCCESSFUL");
  assert.equal(elements.said?.dataset.state, "pending");
  status = "completed";
  await pass();
  assert.deepEqual(posted, ["widget_ready", "order_processing", "order_completed"]);
});

test("a success after a failure is posted, and a failure after a success is not", () => {
  const relay = (/** @type {("order_failed" | "order_completed" | "order_processing")[]} */ ...events) => {
    posted = [];
    const relay = new Relay({ orderId: ORDER, provider: "transak", targets: ["*"] });
    for (const event of events) relay.post({ event });
    return posted;
  };
  assert.deepEqual(relay("order_failed", "order_processing", "order_completed"), ["order_failed", "order_completed"]);
  assert.deepEqual(relay("order_completed", "order_failed", "order_processing"), ["order_completed"]);
});
