use alloy_primitives::address;
use causeway_catalog::{Catalog, OwnToken};
use causeway_domain::{Address, ChainId, Deployment, Token, TokenId};
use causeway_evm::deploy::{HUB_CHAIN, VaultAsset};

/// A token of the sandbox's hub chain.
struct SandboxAsset {
    address: alloy_primitives::Address,
    symbol: &'static str,
    name: &'static str,
    decimals: u8,
    coin: &'static str,
}

/// The real hub chain has no known addresses for these tokens, so these exist in the sandbox only.
const SANDBOX_ASSETS: [SandboxAsset; 2] = [
    SandboxAsset {
        address: address!("DC00000000000000000000000000000000427860"),
        symbol: "USDC",
        name: "USD Coin",
        decimals: 6,
        coin: "usd-coin",
    },
    SandboxAsset {
        address: address!("E700000000000000000000000000000000427860"),
        symbol: "WETH",
        name: "Wrapped Ether",
        decimals: 18,
        coin: "weth",
    },
];

pub(crate) fn hub_chain() -> Option<ChainId> {
    ChainId::new(HUB_CHAIN)
}

/// The sandbox hub's tokens for the catalog.
pub(crate) fn sandbox_tokens() -> Vec<OwnToken> {
    let Some(hub) = hub_chain() else { return Vec::new() };
    let own = |asset: &SandboxAsset| {
        let token = Token {
            id: TokenId::from_address(hub, Address::Evm(asset.address))?,
            symbol: asset.symbol.to_owned(),
            name: asset.name.to_owned(),
            decimals: asset.decimals,
            logo: None,
        };
        Some(OwnToken { token, coin: asset.coin.to_owned() })
    };
    SANDBOX_ASSETS.iter().filter_map(own).collect()
}

/// The tokens that get a vault, with symbol and decimals from the catalog.
pub(crate) fn vault_assets(
    catalog: &Catalog,
    assets: &[alloy_primitives::Address],
) -> anyhow::Result<Vec<VaultAsset>> {
    let snapshot = catalog.snapshot();
    assets
        .iter()
        .map(|asset| {
            let token = hub_chain()
                .and_then(|hub| TokenId::from_address(hub, Address::Evm(*asset)))
                .and_then(|id| snapshot.token(&id).map(|listed| listed.token.clone()));
            let token = token.ok_or_else(|| {
                anyhow::anyhow!("the vault asset {asset} is not in the catalog of chain {HUB_CHAIN}: add it to a token list")
            })?;
            Ok(VaultAsset { asset: *asset, symbol: token.symbol, decimals: token.decimals })
        })
        .collect()
}

/// The assets of the sandbox's vaults.
pub(crate) fn sandbox_assets() -> Vec<VaultAsset> {
    let asset = |asset: &SandboxAsset| VaultAsset {
        asset: asset.address,
        symbol: asset.symbol.to_owned(),
        decimals: asset.decimals,
    };
    SANDBOX_ASSETS.iter().map(asset).collect()
}

/// The shares of the deployed vaults for the catalog.
pub(crate) fn share_tokens(deployment: &Deployment) -> Vec<OwnToken> {
    let vaults = deployment.hub.iter().flat_map(|hub| &hub.vaults);
    vaults
        .filter_map(|vault| {
            let id = TokenId::from_address(deployment.chain, Address::Evm(vault.vault))?;
            let token = Token {
                id,
                symbol: vault.symbol.clone(),
                name: vault.name.clone(),
                decimals: vault.decimals,
                logo: None,
            };
            Some(OwnToken { token, coin: format!("causeway-vault-{}", vault.symbol.to_lowercase()) })
        })
        .collect()
}
