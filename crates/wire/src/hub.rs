use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The hub's contracts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct HubConfig {
    /// The hub's chain id.
    #[cfg_attr(feature = "openapi", schema(example = 4_278_608))]
    pub chain_id: u64,
    /// The service's own public address.
    #[serde(rename = "medusaURL")]
    pub medusa_url: String,
    /// The contracts, by name.
    pub contract: HubContracts,
}

/// Contract addresses; one contract may have several names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct HubContracts {
    /// The attester registry.
    pub access_manager: String,
    /// The intent book.
    pub intent_book: String,
    /// The intent book.
    pub cross_chain_intent_book: String,
    /// The vault factory.
    pub m_token_manager: String,
    /// The vault factory.
    pub m_token_registry: String,
    /// The vault factory.
    pub m_token_vault_factory: String,
    /// The hub's settler.
    pub gateway: String,
    /// The attester registry.
    pub hyperlane_verifier: String,
    /// Not used here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vault_lib: Option<String>,
    /// Not used here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent_lib: Option<String>,
    /// Not used here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stable_asset_rate_provider: Option<String>,
    /// The escrow of each chain, by chain id.
    #[cfg_attr(feature = "openapi", schema(value_type = BTreeMap<String, String>))]
    pub asset_reserves: BTreeMap<u64, String>,
    /// The deposit-address factory of each chain, by chain id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "openapi", schema(value_type = BTreeMap<String, String>))]
    pub depositor: BTreeMap<u64, String>,
}

/// A vault that pays out shares for one token.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Vault {
    /// The symbol of the share token.
    #[cfg_attr(feature = "openapi", schema(example = "cwUSDC"))]
    pub symbol: String,
    /// The name of the share token.
    #[cfg_attr(feature = "openapi", schema(example = "Causeway USDC Vault"))]
    pub name: String,
    /// A description of the vault.
    pub description: String,
    /// The ERC-4626 contract, which is its own share token.
    pub vault: String,
    /// The same contract: deposits go to it directly.
    pub teller: String,
    /// The deposited token.
    pub assets: Vec<String>,
    /// Whether it holds play money.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub testnet: Option<bool>,
    /// Of the shares.
    #[cfg_attr(feature = "openapi", schema(example = 12))]
    pub decimals: u8,
    /// The kind of the vault.
    #[cfg_attr(feature = "openapi", schema(example = "erc4626"))]
    pub backend: String,
    /// More about the vault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub extensions: Option<serde_json::Value>,
}
