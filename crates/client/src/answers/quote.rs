use causeway_wire::{Fee, Warning};
use serde::{Deserialize, Serialize};

use super::answer;

/// A quote and its routes, best first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QuoteAnswer {
    pub quote_id: String,
    pub routes: Vec<Route>,
}

answer! {
    /// One filler's offer.
    pub struct Route {
        required {
            /// Opaque and up to 1,024 characters long; it is passed back as it came.
            route_id: String,
            quote: RouteQuote,
        }
        optional {
            /// The filler's name.
            filler: Option<String>,
            /// The kind of filler: `native-filler`, `rfq`, `oif`, …
            r#type: Option<String>,
            icon: Option<String>,
            exact_out_method: Option<String>,
            /// Of `CONTRACT_CALL`, `PERMIT2`, `TRANSFER`.
            deposit_methods: Option<Vec<String>>,
            /// `provider` where a liquidity provider settles the swap, and not the escrow.
            settlement: Option<String>,
            /// Who holds the money meanwhile, where a provider settles the swap.
            held_by: Option<String>,
            /// What a refund looks like, where a provider settles the swap.
            refunds: Option<String>,
            /// What the payer should know; `execute` refuses severe ones unless they are accepted.
            warnings: Vec<Warning>,
        }
    }
}

impl Route {
    /// Whether the route can be deposited for this way. A service that lists no deposit methods takes contract calls.
    pub fn offers(&self, method: &str) -> bool {
        match &self.deposit_methods {
            Some(methods) => methods.iter().any(|offered| offered == method),
            None => method == "CONTRACT_CALL",
        }
    }

    /// Whether a liquidity provider settles the swap through contracts of its own.
    pub fn is_settled_by_provider(&self) -> bool {
        self.settlement.as_deref() == Some("provider")
    }

    /// The name to show: the filler's, else the beginning of the route id.
    pub fn label(&self) -> String {
        match &self.filler {
            Some(filler) => filler.clone(),
            None if self.route_id.chars().count() > 24 => {
                format!("{}…", self.route_id.chars().take(23).collect::<String>())
            }
            None => self.route_id.clone(),
        }
    }
}

/// A line of a streamed answer: a route with the id of its quote.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StreamedRoute {
    pub quote_id: String,
    #[serde(flatten)]
    pub route: Route,
}

answer! {
    /// Amounts, fees and validity of a route.
    pub struct RouteQuote {
        required {
            /// Raw units of the input token.
            amount_in: String,
            /// Raw units of the output token.
            amount_out: String,
            expected_duration_seconds: f64,
        }
        optional {
            /// After slippage; `execute` demands it.
            min_amount_out: Option<String>,
            /// Output tokens for one input token at the market's prices, without any fee.
            price: Option<String>,
            amount_in_usd: Option<String>,
            amount_out_usd: Option<String>,
            /// By how many percent the output is worth less than the input.
            total_fee_percent: Option<String>,
            slippage_tolerance: Option<f64>,
            /// Unix seconds; a deposit is not built after it.
            valid_before: Option<i64>,
            /// Unix seconds; until when the price is guaranteed.
            quote_expires_at: Option<i64>,
            /// Unix seconds; the last moment for the deposit, where the request named `deposit_within`.
            open_until: Option<i64>,
            /// Raw units of the source chain's native coin.
            estimated_gas: Option<String>,
            tags: Vec<String>,
            fees: Vec<Fee>,
        }
    }
}
