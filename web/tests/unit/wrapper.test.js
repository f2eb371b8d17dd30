// @ts-check

import assert from "node:assert/strict";
import { test } from "node:test";
import { translator } from "../../pages/wrapper-providers.js";

const ORDER = "0f8fad5bd9cb469fa16570867728950e";
const OTHER = "ffffffffffffffffffffffffffffffff";

/** The messages of each provider's page, and the events that they are translated to. */
const CASES = {
  coinbase: [
    [{ eventName: "onramp_api.load_pending", data: {} }, null],
    [{ eventName: "onramp_api.load_success", data: {} }, { event: "widget_ready" }],
    ['{"eventName":"onramp_api.load_success"}', { event: "widget_ready" }],
    [{ eventName: "onramp_api.commit_success", data: { orderId: "c-1" } }, { event: "order_processing", providerOrderId: "c-1" }],
    // Coinbase reports success when the payout is sent, not when it is delivered.
    [{ eventName: "onramp_api.polling_success", data: {} }, { event: "order_processing" }],
    [
      { eventName: "onramp_api.commit_error", data: { errorCode: "ERROR_CODE_GUEST_CARD_SOFT_DECLINED", errorMessage: "no" } },
      { event: "order_failed", data: { reason: "ERROR_CODE_GUEST_CARD_SOFT_DECLINED" } },
    ],
    [{ eventName: "onramp_api.polling_error", data: {} }, { event: "order_failed" }],
    [{ eventName: "onramp_api.load_error", data: {} }, { event: "order_failed" }],
    [{ eventName: "onramp_api.session_error", data: {} }, { event: "order_failed" }],
    // The payment sheet was closed, and the page shows its button again.
    [{ eventName: "onramp_api.cancel", data: {} }, { event: "order_created" }],
    [{ eventName: "event", data: { eventName: "open", widgetName: "buy" } }, { event: "widget_ready" }],
    [{ eventName: "event", data: { eventName: "success" } }, { event: "order_processing" }],
    [{ eventName: "event", data: { eventName: "exit" } }, { event: "widget_close" }],
    [{ eventName: "event", data: { eventName: "error", error: { errorType: "handled_error", code: "x" } } }, { event: "order_failed", data: { reason: "x" } }],
    [{ eventName: "event", data: { eventName: "transition_view", pageRoute: "/buy" } }, null],
    ["{not json", null],
  ],
  // Banxa documents no messages of its page.
  banxa: [[{ event: "order_completed", status: "complete" }, null]],
  transak: [
    [{ event_id: "TRANSAK_WIDGET_INITIALISED", data: true }, { event: "widget_ready" }],
    [{ event_id: "TRANSAK_ORDER_CREATED", data: { id: "t-1", partnerOrderId: ORDER } }, { event: "order_created", providerOrderId: "t-1" }],
    // In the format of its package, the order is in `status`.
    [
      { event_id: "TRANSAK_ORDER_CREATED", data: { eventName: "TRANSAK_ORDER_CREATED", status: { id: "t-1", partnerOrderId: ORDER } } },
      { event: "order_created", providerOrderId: "t-1" },
    ],
    // The payer claims to have paid.
    [{ event_id: "TRANSAK_ORDER_SUCCESSFUL", data: { id: "t-1", partnerOrderId: ORDER } }, { event: "order_processing", providerOrderId: "t-1" }],
    [{ event_id: "TRANSAK_ORDER_FAILED", data: { statusReason: "declined" } }, { event: "order_failed", data: { reason: "declined" } }],
    [{ event_id: "TRANSAK_ORDER_CANCELLED", data: {} }, { event: "order_failed", data: { reason: "canceled" } }],
    [{ event_id: "TRANSAK_WIDGET_CLOSE", data: true }, { event: "widget_close" }],
    [{ event_id: "TRANSAK_WIDGET_CLOSE_REQUEST", data: true }, null],
    [{ event_id: "TRANSAK_ORDER_CREATED", data: { id: "t-2", partnerOrderId: OTHER } }, null],
  ],
  moonpay: [
    [{ type: "onReady" }, { event: "widget_ready" }],
    [{ type: "onTransactionCreated", payload: { id: "m-1", externalTransactionId: ORDER } }, { event: "order_created", providerOrderId: "m-1" }],
    [{ event: "onTransactionCompleted", data: { id: "m-1", status: "completed" } }, { event: "order_processing", providerOrderId: "m-1" }],
    [
      { eventName: "onTransactionCompleted", props: { id: "m-1", status: "failed", failureReason: "rejected_card" } },
      { event: "order_failed", providerOrderId: "m-1", data: { reason: "rejected_card" } },
    ],
    [{ type: "onClose" }, { event: "widget_close" }],
    [{ type: "onCloseOverlay" }, { event: "widget_close" }],
    [{ type: "onLogin", payload: {} }, null],
    [{ type: "onTransactionCreated", payload: { id: "m-2", externalTransactionId: OTHER } }, null],
  ],
};

for (const [provider, cases] of Object.entries(CASES)) {
  test(`messages of ${provider}'s page are translated to our events`, () => {
    for (const [message, event] of cases) assert.deepEqual(translator(provider)(message, ORDER), event, JSON.stringify(message));
  });
}

test("no message of a provider completes a purchase", () => {
  for (const [provider, cases] of Object.entries(CASES)) {
    for (const [message] of cases) assert.notEqual(translator(provider)(message, ORDER)?.event, "order_completed");
  }
});

test("values that are not messages are ignored", () => {
  const strange = [null, undefined, 1, "TRANSAK_ORDER_SUCCESSFUL", [], {}, { event_id: 7 }, { event_id: "__proto__" }, { type: "constructor" }, { type: { toString: 1 } }];
  for (const provider of [...Object.keys(CASES), "sandbox-card", "nobody", "__proto__"]) {
    for (const message of strange) assert.equal(translator(provider)(message, ORDER), null, provider);
  }
});
