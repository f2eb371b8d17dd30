use serde::{Deserialize, Serialize};

/// All providers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FiatProviders {
    pub providers: Vec<FiatProvider>,
}

/// A provider with its chains, currencies and limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FiatProvider {
    #[cfg_attr(feature = "openapi", schema(example = "sandbox-card"))]
    pub id: String,
    #[cfg_attr(feature = "openapi", schema(example = "Sandbox Card"))]
    pub name: String,
    /// Absolute URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logo_url: Option<String>,
    /// The chains that it delivers on.
    #[cfg_attr(feature = "openapi", schema(example = json!([1, 8453])))]
    pub supported_chain_ids: Vec<u64>,
    /// ISO 4217 codes.
    #[cfg_attr(feature = "openapi", schema(example = json!(["EUR", "USD"])))]
    pub fiat_currencies: Vec<String>,
    pub payment_methods: Vec<PaymentMethod>,
    /// ISO 3166 codes; absent where it serves all countries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub countries: Option<Vec<String>>,
    pub limits: Vec<FiatLimit>,
}

/// A way to pay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PaymentMethod {
    #[cfg_attr(feature = "openapi", schema(example = "card"))]
    pub id: String,
    #[cfg_attr(feature = "openapi", schema(example = "Card"))]
    pub name: String,
}

/// Minimum and maximum payment, fees included; decimals with all digits of the currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FiatLimit {
    #[cfg_attr(feature = "openapi", schema(example = "USD"))]
    pub fiat_currency: String,
    #[cfg_attr(feature = "openapi", schema(example = "10.00"))]
    pub min: String,
    #[cfg_attr(feature = "openapi", schema(example = "10000.00"))]
    pub max: String,
}

/// The capabilities of the fiat API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FiatConfig {
    #[cfg_attr(feature = "openapi", schema(example = 1))]
    pub contract_version: u32,
    /// The path prefix of the operations.
    #[cfg_attr(feature = "openapi", schema(example = "/v1/fiat"))]
    pub base_path: String,
    pub providers: Vec<FiatProviderConfig>,
    pub jump: FiatJump,
    pub features: FiatFeatures,
}

/// A provider's configuration for clients.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FiatProviderConfig {
    #[cfg_attr(feature = "openapi", schema(example = "sandbox-card"))]
    pub id: String,
    pub display: FiatDisplay,
    pub capabilities: FiatCapabilities,
}

/// Display data of a provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FiatDisplay {
    #[cfg_attr(feature = "openapi", schema(example = "Sandbox Card"))]
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logo_url: Option<String>,
}

/// The capabilities of a provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FiatCapabilities {
    #[cfg_attr(feature = "openapi", schema(example = json!(["EUR", "USD"])))]
    pub supported_fiat_currencies: Vec<String>,
    #[cfg_attr(feature = "openapi", schema(example = json!(["card"])))]
    pub supported_payment_methods: Vec<String>,
    /// Of `estimate` and `firm`.
    #[cfg_attr(feature = "openapi", schema(example = json!(["firm"])))]
    pub quote_kinds: Vec<String>,
    pub supports_webhook: bool,
    pub supports_status_polling: bool,
}

/// Whether tokens can be bought that no provider sells, and over which stablecoin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FiatJump {
    pub enabled: bool,
    /// What providers deliver for a jump, for recipients of the EVM family.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intermediate_asset: Option<FiatAsset>,
}

/// A token by its chain and address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FiatAsset {
    #[cfg_attr(feature = "openapi", schema(example = 8453))]
    pub chain_id: u64,
    #[cfg_attr(feature = "openapi", schema(example = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"))]
    pub address: String,
}

/// The available operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FiatFeatures {
    pub quote: bool,
    pub order: bool,
}
