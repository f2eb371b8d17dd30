use serde::{Deserialize, Serialize};

/// A supported chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Chain {
    /// The chain id.
    #[cfg_attr(feature = "openapi", schema(example = 8453))]
    pub id: u64,
    /// The display name.
    #[cfg_attr(feature = "openapi", schema(example = "Base"))]
    pub name: String,
    /// `eip155` or `solana`.
    #[cfg_attr(feature = "openapi", schema(example = "eip155"))]
    pub r#type: String,
    /// The CAIP-2 id of the chain, such as `eip155:8453`.
    #[cfg_attr(feature = "openapi", schema(example = "eip155:8453"))]
    pub caip2: String,
    /// The native coin.
    pub native_currency: NativeCurrency,
    /// Public JSON-RPC endpoints, in the form that wallet libraries read.
    pub rpc_urls: RpcUrls,
    /// Explorers, in the form that wallet libraries read.
    pub block_explorers: BlockExplorers,
    /// The address of its explorer.
    #[cfg_attr(feature = "openapi", schema(example = "https://basescan.org"))]
    pub explorer_url: String,
    /// Absolute URL of the chain's icon.
    pub icon: String,
    /// How deposits can be made there.
    #[cfg_attr(feature = "openapi", schema(example = json!(["CONTRACT_CALL", "PERMIT2", "TRANSFER"])))]
    pub deposit_methods: Vec<String>,
    /// Whether swaps use the chain now.
    pub enabled: bool,
}

/// The native coin of a chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NativeCurrency {
    /// The name of the coin.
    #[cfg_attr(feature = "openapi", schema(example = "Ether"))]
    pub name: String,
    /// The symbol, such as `USDC`.
    #[cfg_attr(feature = "openapi", schema(example = "ETH"))]
    pub symbol: String,
    /// How many decimals an amount of it has.
    #[cfg_attr(feature = "openapi", schema(example = 18))]
    pub decimals: u8,
}

/// Public RPC URLs by purpose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RpcUrls {
    /// The endpoints to use.
    pub default: RpcEndpoints,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RpcEndpoints {
    /// Addresses of JSON-RPC endpoints.
    pub http: Vec<String>,
}

/// Block explorers by purpose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BlockExplorers {
    /// The explorer to link to.
    pub default: BlockExplorer,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BlockExplorer {
    /// The name of the explorer.
    #[cfg_attr(feature = "openapi", schema(example = "Basescan"))]
    pub name: String,
    /// Its address, without a slash at the end.
    #[cfg_attr(feature = "openapi", schema(example = "https://basescan.org"))]
    pub url: String,
}
