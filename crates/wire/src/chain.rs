use serde::{Deserialize, Serialize};

/// A supported chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Chain {
    #[cfg_attr(feature = "openapi", schema(example = 8453))]
    pub id: u64,
    #[cfg_attr(feature = "openapi", schema(example = "Base"))]
    pub name: String,
    /// `eip155` or `solana`.
    #[cfg_attr(feature = "openapi", schema(example = "eip155"))]
    pub r#type: String,
    #[cfg_attr(feature = "openapi", schema(example = "eip155:8453"))]
    pub caip2: String,
    pub native_currency: NativeCurrency,
    pub rpc_urls: RpcUrls,
    pub block_explorers: BlockExplorers,
    #[cfg_attr(feature = "openapi", schema(example = "https://basescan.org"))]
    pub explorer_url: String,
    /// Absolute URL of the chain's icon.
    pub icon: String,
    #[cfg_attr(feature = "openapi", schema(example = json!(["CONTRACT_CALL", "PERMIT2", "TRANSFER"])))]
    pub deposit_methods: Vec<String>,
    pub enabled: bool,
}

/// The native coin of a chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NativeCurrency {
    #[cfg_attr(feature = "openapi", schema(example = "Ether"))]
    pub name: String,
    #[cfg_attr(feature = "openapi", schema(example = "ETH"))]
    pub symbol: String,
    #[cfg_attr(feature = "openapi", schema(example = 18))]
    pub decimals: u8,
}

/// Public RPC URLs by purpose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RpcUrls {
    pub default: RpcEndpoints,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RpcEndpoints {
    pub http: Vec<String>,
}

/// Block explorers by purpose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BlockExplorers {
    pub default: BlockExplorer,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BlockExplorer {
    #[cfg_attr(feature = "openapi", schema(example = "Basescan"))]
    pub name: String,
    #[cfg_attr(feature = "openapi", schema(example = "https://basescan.org"))]
    pub url: String,
}
