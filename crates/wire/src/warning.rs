use serde::{Deserialize, Serialize};

/// What a payer should know before paying.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Warning {
    /// `PRICE_IMPACT`, `HIGH_FEES`, `LOOKALIKE_TOKEN`, `UNUSUAL_SLIPPAGE`, `TOKEN_CONTRACT`, `NO_WAY_OUT` or
    /// `CONTRACT_ELSEWHERE`; there may be more.
    #[cfg_attr(feature = "openapi", schema(example = "CONTRACT_ELSEWHERE"))]
    pub code: String,
    /// `info`, `warning` or `severe`. A severe one needs the payer's yes.
    #[cfg_attr(feature = "openapi", schema(example = "severe"))]
    pub severity: String,
    /// Text for people.
    #[cfg_attr(
        feature = "openapi",
        schema(
            example = "The recipient 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 is a contract on Ethereum, and nothing is deployed there on Base: the money is lost unless you control this address on Base too."
        )
    )]
    pub message: String,
    /// The field of the quote request that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "recipient"))]
    pub field: Option<String>,
}
