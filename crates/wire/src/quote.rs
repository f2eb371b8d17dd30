use serde::{Deserialize, Serialize};

use crate::Warning;

/// A swap quote request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct QuoteAsk {
    /// `EXACT_INPUT` or `EXACT_OUTPUT`.
    #[cfg_attr(feature = "openapi", schema(example = "EXACT_INPUT"))]
    pub trade_type: String,
    /// The chain that is paid on.
    pub from_chain_id: u64,
    /// The address of the token that is paid.
    pub from_token: String,
    /// The chain that is delivered on.
    pub to_chain_id: u64,
    /// The address of the token that is delivered.
    pub to_token: String,
    /// Raw units of `fromToken` on exact input, of `toToken` on exact output.
    pub amount: String,
    /// The wallet that signs the deposit.
    pub from_address: String,
    /// Defaults to `fromAddress`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipient: Option<String>,
    /// Defaults to `fromAddress`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refund_to: Option<String>,
    /// A fraction in [0, 0.5]; 0.005 means half a percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slippage_tolerance: Option<f64>,
    /// Keep only routes that offer one of these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deposit_methods: Option<Vec<String>>,
    /// An address of the source chain's family, paid when the filler claims.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub referrer: Option<String>,
    /// Hundredths of a percent of the input, 0 to 1000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub referrer_fee_bps: Option<u16>,
    /// Seconds after the price expires in which the deposit may still be opened, 600 to 86400, for wallets that execute later
    /// what was proposed to them. Without it, ten minutes. Not possible with `TRANSFER`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deposit_within: Option<u32>,
}

/// A quote and the routes that answered, best first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct QuoteAnswer {
    /// The id to build with.
    #[cfg_attr(feature = "openapi", schema(example = "0f8fad5bd9cb469fa16570867728950e"))]
    pub quote_id: String,
    /// The routes, best first; may be empty.
    pub routes: Vec<Route>,
}

/// One filler's offer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Route {
    /// The offer itself, sealed: at most 1,024 characters of the URL-safe alphabet, passed on as it came.
    #[cfg_attr(feature = "openapi", schema(example = "pAEWAZqMP1sgD4-tW9nLRp-hZXCGdyiVDg…"))]
    pub route_id: String,
    /// The filler's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "house"))]
    pub filler: Option<String>,
    /// The kind of filler: `native-filler`, `rfq`, `oif`, …
    #[cfg_attr(feature = "openapi", schema(example = "native-filler"))]
    pub r#type: String,
    /// Absolute URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "https://swap.example/v1/fillers/house/icon"))]
    pub icon: Option<String>,
    /// On exact output: `native` if the filler guarantees the output, `adaptive` if the input has a buffer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "native"))]
    pub exact_out_method: Option<String>,
    /// Of `CONTRACT_CALL`, `PERMIT2`, `AUTHORIZATION`, `PERMIT`, `TRANSFER`: exactly those that the price pays for.
    #[cfg_attr(feature = "openapi", schema(example = json!(["CONTRACT_CALL", "PERMIT2"])))]
    pub deposit_methods: Vec<String>,
    /// `provider` where a liquidity provider settles the swap through contracts of its own; absent where the escrow of this
    /// service does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "provider"))]
    pub settlement: Option<String>,
    /// Who holds the money until it is delivered, where a provider settles the swap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(example = "LI.FI's contracts and the bridge that it goes through")
    )]
    pub held_by: Option<String>,
    /// What a refund looks like, where a provider settles the swap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(example = "If the bridge fails, it returns the input to the paying address.")
    )]
    pub refunds: Option<String>,
    /// What the payer should know before paying; absent where there is nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// The route's amounts and fees.
    pub quote: RouteQuote,
}

/// A line of a streamed response: a route with the id of its quote.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct StreamedRoute {
    /// The quote that it belongs to.
    #[cfg_attr(feature = "openapi", schema(example = "0f8fad5bd9cb469fa16570867728950e"))]
    pub quote_id: String,
    #[serde(flatten)]
    pub route: Route,
}

/// Amounts, fees and validity of a route.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RouteQuote {
    /// Raw units of the input token.
    #[cfg_attr(feature = "openapi", schema(example = "1000000000000000000"))]
    pub amount_in: String,
    /// Raw units of the output token.
    #[cfg_attr(feature = "openapi", schema(example = "3495000000"))]
    pub amount_out: String,
    /// After slippage; equals `amountOut` where the filler guarantees it.
    #[cfg_attr(feature = "openapi", schema(example = "3495000000"))]
    pub min_amount_out: String,
    /// Output tokens for one input token at the market's prices, without any fee.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "3500"))]
    pub price: Option<String>,
    /// What `amountIn` is worth in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "3500.00"))]
    pub amount_in_usd: Option<String>,
    /// What `amountOut` is worth in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "3495.00"))]
    pub amount_out_usd: Option<String>,
    /// By how many percent the output is worth less than the input at `price`; negative if it is worth more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "0.1429"))]
    pub total_fee_percent: Option<String>,
    /// The tolerance as used, as a fraction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slippage_tolerance: Option<f64>,
    /// How long the swap usually takes.
    #[cfg_attr(feature = "openapi", schema(example = 12))]
    pub expected_duration_seconds: u32,
    /// Unix seconds; a deposit is not built after it.
    #[cfg_attr(feature = "openapi", schema(example = 1_794_744_000))]
    pub valid_before: i64,
    /// Unix seconds; until when the price is guaranteed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = 1_794_743_970))]
    pub quote_expires_at: Option<i64>,
    /// Unix seconds; the last moment in which the deposit is opened, where the request named `depositWithin`. After
    /// `validBefore` it is filled if the swap still pays for itself, and returned if not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = 1_794_780_000))]
    pub open_until: Option<i64>,
    /// Raw units of the source chain's native coin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "120000000000000"))]
    pub estimated_gas: Option<String>,
    /// `1-click` (no approval needed) or `needs-approval`.
    #[cfg_attr(feature = "openapi", schema(example = json!(["1-click"])))]
    pub tags: Vec<String>,
    /// Where the difference goes. Those of our own fillers are in the input token, and add up to `amountIn` less the value of
    /// `amountOut` at `price`, rounded up to one unit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fees: Vec<Fee>,
}

/// One component of the difference between input and output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Fee {
    /// `filler`, `gas`, `referrer` or `protocol`.
    #[cfg_attr(feature = "openapi", schema(example = "filler"))]
    pub kind: String,
    /// The token's identifier string.
    #[cfg_attr(feature = "openapi", schema(example = "eip155:1:0x0000000000000000000000000000000000000000"))]
    pub token: String,
    /// Raw units of `token`.
    #[cfg_attr(feature = "openapi", schema(example = "1400000000000000"))]
    pub amount: String,
    /// The same in US dollars, where the price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "4.90"))]
    pub usd: Option<String>,
}

/// Why one filler has no offer, as `details.reasons` of a `CannotFillException` lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FillerReason {
    /// The filler's name.
    #[cfg_attr(feature = "openapi", schema(example = "house"))]
    pub filler: String,
    /// The reason, as text for users.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "the amount is too small: at least 1 USDC (1000000 raw units)")
    )]
    pub reason: String,
    /// The minimum, in raw units of the requested amount's token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "1000000"))]
    pub minimum: Option<String>,
    /// The maximum, in raw units of the requested amount's token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "25000000000"))]
    pub maximum: Option<String>,
}
