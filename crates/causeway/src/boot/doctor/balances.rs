use alloy_primitives::U256;
use causeway_catalog::Catalog;
use causeway_domain::{Address, Chain, ChainId, Family, RawAmount, TokenId};
use futures::future::join_all;

use super::Finding;
use crate::boot::config::{Config, Mode};
use crate::boot::parts::chain_clients::ChainClients;
use crate::boot::parts::deployments::Deployments;
use crate::boot::parts::market_makers::MarketMakerSpec;
use crate::boot::parts::service_keys::find_relayer;

const AREA: &str = "balances";

/// What an account should have at hand: enough for some twenty transactions, in gas at the fee of now.
const GAS: u64 = 10_000_000;
/// The same on Solana, in lamports: fees, and the rent of some accounts.
const LAMPORTS: u64 = 50_000_000;

/// Whether whoever pays for gas can, on every chain with contracts; before there are any, on every enabled chain.
pub(super) async fn examine(
    config: &Config,
    catalog: &Catalog,
    deployments: &Deployments,
    clients: &ChainClients,
    makers: &[MarketMakerSpec],
) -> Vec<Finding> {
    if config.mode == Mode::Sandbox {
        return Vec::new();
    }
    let snapshot = catalog.snapshot();
    let has_contracts = |id: ChainId| {
        deployments.is_empty()
            || deployments.evm.iter().any(|record| record.chain == id)
            || deployments.solana.as_ref().is_some_and(|record| record.chain == id)
    };
    let mut wanted: Vec<(String, Address, &Chain)> = Vec::new();
    for chain in snapshot.chains().iter().filter(|chain| chain.enabled && has_contracts(chain.id)) {
        // What is wrong with the key itself is told among the keys.
        if let Ok(Some(key)) = find_relayer(config, chain.family()) {
            wanted.push(("relayer".to_owned(), key.address(), chain));
        }
        for maker in makers.iter().filter(|maker| maker.serves(chain.id)) {
            if let Some(parties) = maker.accounts.for_family(chain.family()) {
                wanted.push((format!("market_makers.{}", maker.settings.name), parties.filler, chain));
            }
        }
    }
    join_all(wanted.into_iter().map(|(role, owner, chain)| one(role, owner, chain, clients))).await
}

async fn one(role: String, owner: Address, chain: &Chain, clients: &ChainClients) -> Finding {
    let subject = format!("{role}, chain {}", chain.id);
    let outcome = match (needed(chain, clients).await, held(owner, chain, clients).await) {
        (Ok(needed), Ok(held)) => judge(held, needed, owner, chain),
        (Err(words), _) | (_, Err(words)) => Err(format!("it cannot be read: {words}")),
    };
    Finding::new(AREA, subject, outcome)
}

fn judge(held: U256, needed: U256, owner: Address, chain: &Chain) -> Result<String, String> {
    let shown = |amount: U256| {
        format!("{} {}", RawAmount::new(amount).to_decimal(chain.native.decimals), chain.native.symbol)
    };
    if held >= needed {
        return Ok(format!("{owner} has {} for gas", shown(held)));
    }
    Err(format!(
        "{owner} has {}: send at least {} to it on {}, for gas",
        shown(held),
        shown(needed.saturating_sub(held)),
        chain.name
    ))
}

async fn needed(chain: &Chain, clients: &ChainClients) -> Result<U256, String> {
    match chain.family() {
        Family::Solana => Ok(U256::from(LAMPORTS)),
        Family::Bitcoin | Family::Tron => Ok(U256::ZERO),
        Family::Evm => {
            let client = clients.evm(chain.id).ok_or("the chain has no RPC address")?;
            let fees = client.fees().await.map_err(|error| error.to_string())?;
            Ok(U256::from(fees.ceiling()).saturating_mul(U256::from(GAS)))
        }
    }
}

async fn held(owner: Address, chain: &Chain, clients: &ChainClients) -> Result<U256, String> {
    let readers = clients.readers();
    let reader = readers.iter().find(|reader| reader.chain() == chain.id);
    let reader = reader.ok_or("the chain has no RPC address")?;
    let coin = TokenId::native(chain.id);
    let held = reader.balances(owner, &[coin]).await.map_err(|error| error.to_string())?;
    Ok(held.first().map_or(U256::ZERO, |(_, amount)| amount.get()))
}
