use serde::{Deserialize, Serialize};

/// All providers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FiatProviders {
    /// The providers.
    pub providers: Vec<FiatProvider>,
}

/// A provider with its chains, currencies and limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FiatProvider {
    /// The id by which quotes name it.
    #[cfg_attr(feature = "openapi", schema(example = "sandbox-card"))]
    pub id: String,
    /// The display name.
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
    /// The payment methods.
    pub payment_methods: Vec<PaymentMethod>,
    /// ISO 3166 codes; absent where it serves all countries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub countries: Option<Vec<String>>,
    /// The amounts that it takes, by currency.
    pub limits: Vec<FiatLimit>,
}

/// A way to pay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PaymentMethod {
    /// The id, such as `card`.
    #[cfg_attr(feature = "openapi", schema(example = "card"))]
    pub id: String,
    /// The display name.
    #[cfg_attr(feature = "openapi", schema(example = "Card"))]
    pub name: String,
}

/// Minimum and maximum payment, fees included; decimals with all digits of the currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FiatLimit {
    /// The currency code, such as `USD`.
    #[cfg_attr(feature = "openapi", schema(example = "USD"))]
    pub fiat_currency: String,
    /// The smallest amount, in the currency.
    #[cfg_attr(feature = "openapi", schema(example = "10.00"))]
    pub min: String,
    /// The largest amount, in the currency.
    #[cfg_attr(feature = "openapi", schema(example = "10000.00"))]
    pub max: String,
}

/// The capabilities of the fiat API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FiatConfig {
    /// The version of this API.
    #[cfg_attr(feature = "openapi", schema(example = 1))]
    pub contract_version: u32,
    /// The path prefix of the operations.
    #[cfg_attr(feature = "openapi", schema(example = "/v1/fiat"))]
    pub base_path: String,
    /// The providers.
    pub providers: Vec<FiatProviderConfig>,
    /// How purchases are bridged.
    pub jump: FiatJump,
    /// What this API can do.
    pub features: FiatFeatures,
}

/// A provider's configuration for clients.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FiatProviderConfig {
    /// The id by which quotes name it.
    #[cfg_attr(feature = "openapi", schema(example = "sandbox-card"))]
    pub id: String,
    /// Display data.
    pub display: FiatDisplay,
    /// The capabilities of the provider.
    pub capabilities: FiatCapabilities,
}

/// Display data of a provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FiatDisplay {
    /// The display name.
    #[cfg_attr(feature = "openapi", schema(example = "Sandbox Card"))]
    pub name: String,
    /// The address of its logo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logo_url: Option<String>,
}

/// The capabilities of a provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FiatCapabilities {
    /// The currencies that it takes.
    #[cfg_attr(feature = "openapi", schema(example = json!(["EUR", "USD"])))]
    pub supported_fiat_currencies: Vec<String>,
    /// The payment methods that it offers.
    #[cfg_attr(feature = "openapi", schema(example = json!(["card"])))]
    pub supported_payment_methods: Vec<String>,
    /// Of `estimate` and `firm`.
    #[cfg_attr(feature = "openapi", schema(example = json!(["firm"])))]
    pub quote_kinds: Vec<String>,
    /// Whether it reports changes by itself.
    pub supports_webhook: bool,
    /// Whether the status of its orders can be polled.
    pub supports_status_polling: bool,
}

/// Whether tokens can be bought that no provider sells, and over which stablecoin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FiatJump {
    /// Whether purchases can be bridged to other tokens.
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
    /// The chain id.
    #[cfg_attr(feature = "openapi", schema(example = 8453))]
    pub chain_id: u64,
    /// The address of the token.
    #[cfg_attr(feature = "openapi", schema(example = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"))]
    pub address: String,
}

/// The available operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FiatFeatures {
    /// Whether quotes can be requested.
    pub quote: bool,
    /// Whether orders can be created.
    pub order: bool,
}
