use std::time::Duration;

use causeway_wire::{FiatAction, FiatAsset, FiatFee, FiatProviderError, PaymentMethod, Token};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{RouteQuote, answer};

answer! {
    /// The providers' offers, and why others have none.
    pub struct FiatQuoteAnswer {
        required { quotes: Vec<FiatQuote>, }
        optional { errors: Vec<FiatProviderError>, }
    }
}

/// A line of a streamed answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FiatQuoteLine {
    Quote(Box<FiatQuote>),
    Error(FiatProviderError),
}

answer! {
    /// One provider's offer.
    pub struct FiatQuote {
        required {
            quote_id: String,
            /// `direct` where the provider delivers the target itself, `jump` where a swap follows.
            swap_strategy: String,
        }
        optional {
            /// Swap routes from the stablecoin to the target; present only for a jump.
            routes: Option<Vec<FiatRoute>>,
            provider: Option<String>,
            provider_name: Option<String>,
            provider_logo_url: Option<String>,
            /// `estimate` or `firm`.
            kind: Option<String>,
            fiat_currency: Option<String>,
            /// What is paid, fees included.
            fiat_amount: Option<String>,
            total_fee: Option<String>,
            fees: Vec<FiatFee>,
            /// What is received, in raw units of the target.
            crypto_amount: Option<String>,
            output_asset: Option<FiatAsset>,
            /// Catalog data of the target; it may come later.
            token: Option<Token>,
            /// Raw units of the target.
            expected_output_amount: Option<String>,
            /// Raw units of the target.
            min_output_amount: Option<String>,
            slippage_bps: Option<u16>,
            payment_methods: Option<Vec<PaymentMethod>>,
            min_fiat_amount: Option<String>,
            max_fiat_amount: Option<String>,
            /// Unix seconds; an order is not created after it.
            expires_at: Option<i64>,
        }
    }
}

answer! {
    /// A swap route from the stablecoin to the target.
    pub struct FiatRoute {
        required { route_id: String, }
        optional {
            r#type: Option<String>,
            quote: Option<RouteQuote>,
        }
    }
}

answer! {
    /// An order and the next step of its payer.
    pub struct FiatOrderAnswer {
        required {
            order_id: String,
            /// The provider's checkout page.
            widget_url: String,
            /// The wrapper page around it, which posts events to its opener and parent.
            wrapper_url: String,
        }
        optional {
            status: Option<String>,
            provider: Option<String>,
            action: Option<FiatAction>,
        }
    }
}

answer! {
    /// The status of a purchase.
    pub struct FiatStatus {
        required {
            status: String,
            polling: FiatPolling,
        }
        optional {
            order_id: Option<String>,
            /// Of any kind.
            progress: Value,
            fill_tx_hash: Option<String>,
            /// For people.
            failed_reason: Option<String>,
            /// Stable, for programs.
            error_reason: Option<String>,
            provider: Option<String>,
            swap_strategy: Option<String>,
            swap_order_id: Option<String>,
        }
    }
}

/// When to poll again.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FiatPolling {
    pub suggested_interval_ms: f64,
    pub is_terminal: bool,
}

impl FiatPolling {
    /// The suggested wait; what is no duration suggests none.
    pub(crate) fn interval(self) -> Duration {
        Duration::try_from_secs_f64(self.suggested_interval_ms).map_or(Duration::ZERO, |wait| wait / 1_000)
    }
}
