use serde::{Deserialize, Serialize};

/// A source of routes, and how it does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Filler {
    #[cfg_attr(feature = "openapi", schema(example = "house"))]
    pub name: String,
    /// `native-filler`, `rfq`, `oif`, …; the `type` of its routes.
    #[cfg_attr(feature = "openapi", schema(example = "native-filler"))]
    pub kind: String,
    /// `healthy`, `degraded` (asked, and failed lately) or `open` (not asked for now, after repeated failures).
    #[cfg_attr(feature = "openapi", schema(example = "healthy"))]
    pub health: String,
    pub quotes: FillerQuotes,
    pub fills: FillerFills,
    /// Absent until one of its orders has ended, or its offers were compared with others'.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reputation: Option<FillerReputation>,
    /// Why it is not asked for now, where the operator has paused it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "filler house is paused: maintenance"))]
    pub paused: Option<String>,
}

/// What became of a filler's last orders; it decides between offers that are equally good.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FillerReputation {
    /// Its orders of the last 30 days that were deposited and have ended.
    #[cfg_attr(feature = "openapi", schema(example = 313))]
    pub orders: u32,
    /// Of those, the part that it delivered, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = 0.99))]
    pub fill_rate: Option<f64>,
    /// Seconds between the blocks of deposit and delivery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = 12))]
    pub median_fill_seconds: Option<u32>,
    /// By how many hundredths of a percent its offers beat the median of all offers for the same asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = 2))]
    pub price_bps: Option<i32>,
    /// How many of its last orders in a row went back because it never delivered; from three on it is not asked for a while.
    #[cfg_attr(feature = "openapi", schema(example = 0))]
    pub unfilled_in_a_row: u32,
}

/// What became of a filler's orders, over all replicas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FillerFills {
    /// Neither delivered nor given back yet.
    #[cfg_attr(feature = "openapi", schema(example = 4))]
    pub open: u64,
    #[cfg_attr(feature = "openapi", schema(example = 310))]
    pub filled: u64,
    #[cfg_attr(feature = "openapi", schema(example = 3))]
    pub refunded: u64,
    /// No deposit came.
    #[cfg_attr(feature = "openapi", schema(example = 21))]
    pub failed: u64,
}

/// What a filler was asked since the service started, and how it answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FillerQuotes {
    #[cfg_attr(feature = "openapi", schema(example = 1_200))]
    pub asked: u64,
    #[cfg_attr(feature = "openapi", schema(example = 1_100))]
    pub offered: u64,
    #[cfg_attr(feature = "openapi", schema(example = 96))]
    pub refused: u64,
    #[cfg_attr(feature = "openapi", schema(example = 1))]
    pub faulted: u64,
    #[cfg_attr(feature = "openapi", schema(example = 2))]
    pub timed_out: u64,
    /// Not asked, because too many asks waited or it had failed too often.
    #[cfg_attr(feature = "openapi", schema(example = 1))]
    pub skipped: u64,
    /// Quotes in which its offer stood first.
    #[cfg_attr(feature = "openapi", schema(example = 640))]
    pub won: u64,
    /// Milliseconds, over its latest answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = 1.25))]
    pub median_ms: Option<f64>,
}
