use causeway_catalog::Catalog;
use causeway_domain::{Address, ChainId, Deployment, TokenId};
use causeway_evm::Vault;
use causeway_fillers::inventory::ServedToken;
use causeway_prices::{is_usd_stablecoin, underlying_asset};

use crate::boot::parts::deployments::Deployments;

/// Rebasing coins, which an escrow of fixed amounts cannot hold.
const REBASING: [&str; 1] = ["staked-ether"];

pub(super) fn known_vaults(catalog: &Catalog, deployments: &[Deployment]) -> Vec<Vault> {
    let snapshot = catalog.snapshot();
    let vaults =
        deployments.iter().filter_map(|deployment| Some((deployment.chain, deployment.hub.as_ref()?)));
    let vaults = vaults.flat_map(|(chain, hub)| hub.vaults.iter().map(move |vault| (chain, vault)));
    vaults
        .filter_map(|(chain, vault)| {
            let asset = TokenId::from_address(chain, Address::Evm(vault.asset))?;
            let share = TokenId::from_address(chain, Address::Evm(vault.vault))?;
            Some(Vault { share, asset, asset_decimals: snapshot.token(&asset)?.token.decimals })
        })
        .collect()
}

pub(super) fn vault_decimals(catalog: &Catalog, deployments: &[Deployment]) -> Vec<(TokenId, u8)> {
    let snapshot = catalog.snapshot();
    let tokens = known_vaults(catalog, deployments).into_iter().flat_map(|vault| [vault.share, vault.asset]);
    tokens.filter_map(|id| Some((id, snapshot.token(&id)?.token.decimals))).collect()
}

/// The well-known tokens of every chain with our contracts, each with its coin name.
pub(super) fn served_tokens(catalog: &Catalog, deployments: &Deployments) -> Vec<(String, ServedToken)> {
    let snapshot = catalog.snapshot();
    let Deployments { evm, solana } = deployments;
    let mut chains: Vec<ChainId> = evm.iter().map(|deployment| deployment.chain).collect();
    chains.extend(solana.iter().map(|deployment| deployment.chain));
    if chains.is_empty() {
        return Vec::new();
    }
    let shares: Vec<TokenId> = known_vaults(catalog, evm).iter().map(|vault| vault.share).collect();
    let tokens = snapshot.top(&chains).into_iter().map(|listed| listed.token);
    tokens
        .filter(|token| !shares.contains(&token.id))
        .filter_map(|token| {
            let coin = &snapshot.asset(&token.id)?.coin;
            let served = ServedToken {
                id: token.id,
                decimals: token.decimals,
                asset: underlying_asset(coin).to_owned(),
                stable: is_usd_stablecoin(coin),
            };
            (!REBASING.contains(&coin.as_str())).then(|| (coin.clone(), served))
        })
        .collect()
}
