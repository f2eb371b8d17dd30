//! The JSON between the sandbox providers and their partner.

use serde::{Deserialize, Serialize};

use super::session::{Reason, Session};

/// `POST api/quotes`: exactly one of `pay` and `receive` is set.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct QuoteRequest {
    pub(super) currency: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) pay: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) receive: Option<String>,
    pub(super) asset: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) method: Option<String>,
}

/// A fee, as part of the payment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FeeJson {
    pub(super) kind: String,
    pub(super) amount: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct QuoteAnswer {
    pub(super) currency: String,
    pub(super) pays: String,
    pub(super) fees: Vec<FeeJson>,
    pub(super) delivers: String,
    pub(super) least: String,
    pub(super) most: String,
    /// Milliseconds since 1970.
    pub(super) expires_at: i64,
}

/// `POST api/purchases`: opens a checkout; the same order twice is one purchase.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PurchaseRequest {
    pub(super) order: String,
    pub(super) currency: String,
    pub(super) pays: String,
    pub(super) asset: String,
    pub(super) amount: String,
    pub(super) wallet: String,
    pub(super) pay_by: i64,
}

/// The opened checkout.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct OpenedAnswer {
    pub(super) session: String,
    pub(super) url: String,
}

/// A purchase: the response to `GET api/purchases/{order}`, and the `data` of webhooks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PurchaseJson {
    pub(super) session: String,
    pub(super) order: String,
    pub(super) state: String,
    pub(super) currency: String,
    pub(super) pays: String,
    pub(super) asset: String,
    /// The promised amount; the delivered one is on the chain.
    pub(super) amount: String,
    pub(super) wallet: String,
    /// The delivery's transactions.
    pub(super) payouts: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<Reason>,
}

impl From<&Session> for PurchaseJson {
    fn from(session: &Session) -> Self {
        let terms = &session.terms;
        Self {
            session: terms.session.clone(),
            order: terms.order.clone(),
            state: session.state.as_str().to_owned(),
            currency: terms.currency.clone(),
            pays: terms.pays.clone(),
            asset: terms.asset.clone(),
            amount: terms.amount.clone(),
            wallet: terms.wallet.clone(),
            payouts: session.deliveries.iter().filter_map(|delivery| delivery.tx.clone()).collect(),
            reason: session.reason.clone(),
        }
    }
}

/// The body of a webhook.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EventJson {
    pub(super) id: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    /// Milliseconds since 1970.
    pub(super) created_at: i64,
    pub(super) data: PurchaseJson,
}

/// An error response.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct RefusalJson {
    /// `asset`, `currency`, `range`, `method`, `price`, `conflict`, `unknown`, `key`, `form` or `down`.
    pub(super) code: String,
    pub(super) message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) least: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) most: Option<String>,
}

impl RefusalJson {
    pub(super) fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), least: None, most: None }
    }
}
