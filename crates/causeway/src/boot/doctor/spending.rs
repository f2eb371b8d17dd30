use causeway_domain::{Address, ChainId, Family, RawAmount};
use causeway_signers::Spent;
use causeway_store::inspect;
use jiff::{SignedDuration, Timestamp};

use super::{Finding, words};
use crate::boot::config::{Config, Mode, spending_limits};
use crate::boot::parts::market_makers::MarketMakerSpec;
use crate::boot::parts::service_keys::find_relayer;
use crate::boot::parts::signing_policy::spent_since;
use crate::boot::parts::store::open_store;

const AREA: &str = "keys";

/// What every key has spent within an hour, where that is limited.
pub(super) async fn examine(config: &Config, makers: &[MarketMakerSpec]) -> Vec<Finding> {
    let limits = match spending_limits(&config.spending_limits) {
        Ok(limits) if !limits.is_empty() && config.mode == Mode::Production => limits,
        _ => return Vec::new(),
    };
    // A database that has to be brought to this version first is left as it is.
    let current = match config.database.location(&config.data_dir) {
        Ok(location) => inspect(&location).await.is_ok_and(|schema| schema.found == Some(schema.known)),
        Err(_) => false,
    };
    if !current {
        return Vec::new();
    }
    let store = match open_store(config).await {
        Ok(store) => store,
        Err(error) => return vec![Finding::new(AREA, "spending_limits", Err(words(&error)))],
    };
    let since = Timestamp::now().saturating_sub(SignedDuration::from_hours(1)).unwrap_or(Timestamp::MIN);
    let mut findings = Vec::new();
    for (chain, limit) in limits {
        for (role, account) in accounts(config, makers, chain) {
            let subject = format!("{role}, chain {chain}, within an hour");
            let spent = spent_since(&store, account, chain, since).await;
            findings.push(Finding::new(AREA, subject, spent.and_then(|spent| judge(chain, spent, limit))));
        }
    }
    store.close().await;
    findings
}

/// Who signs transactions on a chain. What is wrong with a key itself is told elsewhere.
fn accounts(config: &Config, makers: &[MarketMakerSpec], chain: ChainId) -> Vec<(String, Address)> {
    let relayer = find_relayer(config, chain.family()).ok().flatten();
    let mut accounts: Vec<(String, Address)> =
        relayer.map(|key| ("relayer".to_owned(), key.address())).into_iter().collect();
    for maker in makers.iter().filter(|maker| maker.serves(chain)) {
        if let Some(parties) = maker.accounts.for_family(chain.family()) {
            accounts.push((format!("market_makers.{}", maker.settings.name), parties.filler));
        }
    }
    accounts
}

fn judge(chain: ChainId, spent: Spent, limit: Spent) -> Result<String, String> {
    let decimals = match chain.family() {
        Family::Evm => 18,
        Family::Solana => 9,
        Family::Bitcoin | Family::Tron => return Err("the service spends nothing on this chain".to_owned()),
    };
    let coins = |amount| RawAmount::new(amount).to_decimal(decimals);
    let told = format!(
        "it has spent up to {} of {} in fees, and {} of {} in coins",
        coins(spent.fees),
        coins(limit.fees),
        coins(spent.value),
        coins(limit.value)
    );
    let is_used_up = spent.fees >= limit.fees || (spent.value >= limit.value && !limit.value.is_zero());
    if is_used_up { Err(format!("{told}: it signs nothing more until the hour is over")) } else { Ok(told) }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::U256;

    use super::*;

    #[test]
    fn limit_that_is_used_up_fails_the_check() {
        let chain = ChainId::new(10).unwrap();
        let coins = |fees: u64, value: u64| {
            let whole = U256::from(10).pow(U256::from(17));
            Spent { fees: U256::from(fees) * whole, value: U256::from(value) * whole }
        };
        let told = judge(chain, coins(4, 0), coins(5, 0)).unwrap();
        assert_eq!(told, "it has spent up to 0.4 of 0.5 in fees, and 0 of 0 in coins");
        for (spent, limit) in [(coins(5, 0), coins(5, 0)), (coins(0, 9), coins(5, 9))] {
            assert!(judge(chain, spent, limit).unwrap_err().contains("signs nothing more"));
        }
    }
}
