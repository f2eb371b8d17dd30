use serde::{Deserialize, Serialize};

/// A filler and its health.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Filler {
    /// The name, as in routes.
    #[cfg_attr(feature = "openapi", schema(example = "house"))]
    pub name: String,
    /// `native-filler`, `rfq`, `oif`, …; the `type` of its routes.
    #[cfg_attr(feature = "openapi", schema(example = "native-filler"))]
    pub kind: String,
    /// `healthy`, `degraded` (recent failures) or `open` (paused by the circuit breaker after repeated failures).
    #[cfg_attr(feature = "openapi", schema(example = "healthy"))]
    pub health: String,
    /// Statistics of its quotes.
    pub quotes: FillerQuotes,
    /// Statistics of its orders.
    pub fills: FillerFills,
    /// Absent until one of its orders has ended, or its offers were compared with others'.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reputation: Option<FillerReputation>,
    /// Why the operator paused it, if paused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "filler house is paused: maintenance"))]
    pub paused: Option<String>,
}

/// Statistics of a filler's recent orders; they break ties between equal offers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FillerReputation {
    /// Its orders of the last 30 days that were deposited and have ended.
    #[cfg_attr(feature = "openapi", schema(example = 313))]
    pub orders: u32,
    /// The share of those that it filled, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = 0.99))]
    pub fill_rate: Option<f64>,
    /// Seconds between the blocks of deposit and fill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = 12))]
    pub median_fill_seconds: Option<u32>,
    /// By how many basis points its offers beat the median of all offers for the same requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = 2))]
    pub price_bps: Option<i32>,
    /// Consecutive recent orders that were refunded because it did not fill; from three on it is paused for a while.
    #[cfg_attr(feature = "openapi", schema(example = 0))]
    pub unfilled_in_a_row: u32,
}

/// Order counts of a filler, over all replicas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FillerFills {
    /// Neither filled nor refunded yet.
    #[cfg_attr(feature = "openapi", schema(example = 4))]
    pub open: u64,
    /// Orders that it delivered.
    #[cfg_attr(feature = "openapi", schema(example = 310))]
    pub filled: u64,
    /// Orders that were refunded.
    #[cfg_attr(feature = "openapi", schema(example = 3))]
    pub refunded: u64,
    /// No deposit arrived.
    #[cfg_attr(feature = "openapi", schema(example = 21))]
    pub failed: u64,
}

/// Request counts of a filler since the service started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FillerQuotes {
    /// The number of quote requests.
    #[cfg_attr(feature = "openapi", schema(example = 1_200))]
    pub asked: u64,
    /// The number of quotes with an offer.
    #[cfg_attr(feature = "openapi", schema(example = 1_100))]
    pub offered: u64,
    /// How often it said no.
    #[cfg_attr(feature = "openapi", schema(example = 96))]
    pub refused: u64,
    /// How often it failed.
    #[cfg_attr(feature = "openapi", schema(example = 1))]
    pub faulted: u64,
    /// How often it was too late.
    #[cfg_attr(feature = "openapi", schema(example = 2))]
    pub timed_out: u64,
    /// Skipped, because its queue was full or its circuit breaker was open.
    #[cfg_attr(feature = "openapi", schema(example = 1))]
    pub skipped: u64,
    /// Quotes in which its offer ranked first.
    #[cfg_attr(feature = "openapi", schema(example = 640))]
    pub won: u64,
    /// Milliseconds, over its latest responses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = 1.25))]
    pub median_ms: Option<f64>,
}
