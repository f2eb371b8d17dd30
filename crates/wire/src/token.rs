use serde::{Deserialize, Serialize};

use crate::Chain;

/// A token on one chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Token {
    /// Checksummed on EVM chains; 40 zeros (EVM) or 32 ones (Solana) for the chain's own coin.
    #[cfg_attr(feature = "openapi", schema(example = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"))]
    pub address: String,
    /// The chain id.
    #[serde(rename = "chainId")]
    #[cfg_attr(feature = "openapi", schema(example = 8453))]
    pub chain_id: u64,
    /// The display name.
    #[cfg_attr(feature = "openapi", schema(example = "USD Coin"))]
    pub name: String,
    /// The symbol, such as `USDC`.
    #[cfg_attr(feature = "openapi", schema(example = "USDC"))]
    pub symbol: String,
    /// How many decimals an amount of it has.
    #[cfg_attr(feature = "openapi", schema(example = 6))]
    pub decimals: u8,
    /// The address of its logo: of its token list, or drawn by this service.
    #[serde(rename = "logoURI", default, skip_serializing_if = "Option::is_none")]
    pub logo_uri: Option<String>,
    /// The chain family: `eip155` or `solana`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "eip155"))]
    pub platform: Option<String>,
    /// The token's identifier string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(example = "eip155:8453:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913")
    )]
    pub id: Option<String>,
    /// More about the token: price, balance, warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extensions: Option<TokenExtensions>,
}

/// Additional data of a token.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TokenExtensions {
    /// Raw balance of the requested address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balance: Option<String>,
    /// The symbol imitates a well-known token under another address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_risk_token: Option<bool>,
    /// The price of one whole token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// The change of the price in a day, as a fraction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// The volume of a day in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume: Option<String>,
    /// Its market capitalization in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub market_cap: Option<String>,
    /// Its liquidity in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub liquidity: Option<String>,
    /// The underlying token of a vault share, as an identifier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spoke_token: Option<String>,
}

/// The price of one whole token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Price {
    /// US dollars per whole token, as a decimal number.
    #[cfg_attr(feature = "openapi", schema(example = "1"))]
    pub usd: String,
}

/// The interpretation of a partial input, and completions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Autocomplete {
    /// The possible interpretations, best first.
    pub data: Vec<AutocompleteItem>,
    /// The interpretation as text.
    #[cfg_attr(feature = "openapi", schema(example = "100 USDC on Base"))]
    pub parsed: String,
    /// What is still missing: `amount`, `token`, `chain`, `toToken`.
    #[cfg_attr(feature = "openapi", schema(example = json!(["toToken"])))]
    pub next_slots: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AutocompleteItem {
    /// A description of the suggestion.
    #[cfg_attr(feature = "openapi", schema(example = "100 USDC on Base"))]
    pub description: String,
    /// The chain of `token`.
    pub chain: Chain,
    /// The token that the amount refers to.
    pub token: Token,
    /// Raw units of `token`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "100000000"))]
    pub amount: Option<String>,
    /// Dollars with two digits after the point, where a price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "100.00"))]
    pub usd_amount: Option<String>,
    /// The target of the swap, if given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_token: Option<Token>,
    /// The source of the swap, if given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_token: Option<Token>,
}

/// An example input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Suggestion {
    /// The text to type.
    #[cfg_attr(feature = "openapi", schema(example = "100 usdc on base"))]
    pub text: String,
    /// A description.
    pub description: String,
}
