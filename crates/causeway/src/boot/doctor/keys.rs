use std::path::Path;

use causeway_domain::Family;
use futures::future::join_all;

use super::{Finding, words};
use crate::boot::config::{Config, Mode};
use crate::boot::parts::account_keys::{AccountKey, KeySetting, attester_key, find_account_key};
use crate::boot::parts::deployments::Deployments;
use crate::boot::parts::keys::read_key_file;
use crate::boot::parts::operator_token::check_token;
use crate::boot::parts::recovery::quote_key_file;
use crate::boot::parts::service_keys::{find_relayer, maker_key_file};
use crate::boot::parts::signers::open_signer;

const AREA: &str = "keys";

/// Whether the service's keys are there, where they live, and whether they sign. Says addresses, never keys.
pub(super) async fn examine_service(config: &Config, deployments: &Deployments) -> Vec<Finding> {
    let mut findings = vec![own_file("quote", &quote_key_file(config)), examine_maker(config).await];
    let token = check_token(config).map_err(|error| words(&error));
    findings.push(Finding::new(AREA, "operator token", token));
    if config.mode == Mode::Sandbox {
        return findings;
    }
    let mut found: Vec<(String, Result<AccountKey, String>)> = Vec::new();
    let needed = [
        (Family::Evm, "relayer", !deployments.evm.is_empty()),
        (Family::Solana, "relayer.solana", deployments.solana.is_some()),
    ];
    for (family, role, is_needed) in needed {
        let key = match find_relayer(config, family).map_err(|error| words(&error)) {
            Ok(Some(key)) => Ok(key),
            Ok(None) if is_needed => {
                Err("there is none, and the service needs one to pay for gas".to_owned())
            }
            Ok(None) => continue,
            Err(words) => Err(words),
        };
        found.push((role.to_owned(), key));
    }
    for maker in &config.market_makers {
        let (variable, solana_variable) = (maker.key_variable(), maker.solana_key_variable());
        let settings = [
            KeySetting {
                family: Family::Evm,
                signer: maker.signer.as_deref(),
                file: maker.key_file.as_deref(),
                variable: &variable,
            },
            KeySetting {
                family: Family::Solana,
                signer: maker.solana_signer.as_deref(),
                file: maker.solana_key_file.as_deref(),
                variable: &solana_variable,
            },
        ];
        let keys = settings.into_iter().filter_map(|setting| find_account_key(config, setting).transpose());
        let mut keys: Vec<_> = keys.map(|key| key.map_err(|error| words(&error))).collect();
        if keys.is_empty() {
            keys.push(Err("it has none".to_owned()));
        }
        let role = format!("market_makers.{}", maker.name);
        found.extend(keys.into_iter().map(|key| (role.clone(), key)));
    }
    let probes = found.into_iter().map(|(role, key)| async move {
        let outcome = match key {
            Ok(key) => probe(&key).await,
            Err(words) => Err(words),
        };
        Finding::new(AREA, role, outcome)
    });
    findings.extend(join_all(probes).await);
    findings
}

pub(super) async fn examine_attester(config: &Config) -> Finding {
    let key = match attester_key(config) {
        Ok(key) => key,
        Err(error) => return Finding::new(AREA, "attester", Err(words(&error))),
    };
    let is_first =
        config.contracts.attesters.iter().any(|one| key.address() == causeway_domain::Address::Evm(*one));
    let note = if is_first || config.mode == Mode::Sandbox {
        ""
    } else {
        "; it is none of contracts.attesters: it counts only if a handover has brought it in"
    };
    Finding::new(AREA, "attester", probe(&key).await.map(|told| told + note))
}

/// The maker's key is made by the first start, unless it lives elsewhere.
async fn examine_maker(config: &Config) -> Finding {
    let Some(name) = config.fiat.maker_signer.as_deref().filter(|_| config.mode == Mode::Production) else {
        return own_file("maker", &maker_key_file(config));
    };
    let outcome = match open_signer(config, name, Family::Evm) {
        Ok(key) => probe(&key).await,
        Err(error) => Err(words(&error)),
    };
    Finding::new(AREA, "maker", outcome)
}

/// Whether the key answers, and signs for its account.
async fn probe(key: &AccountKey) -> Result<String, String> {
    let (address, place) = (key.address(), key.place());
    match key.probe().await {
        Ok(()) => Ok(format!("{address}, in {place}")),
        Err(error) => Err(format!("{address}, in {place}: {error}")),
    }
}

fn own_file(role: &str, file: &Path) -> Finding {
    let outcome = if file.exists() {
        let read = read_key_file(file).map(|_| format!("{} is readable by its owner alone", file.display()));
        read.map_err(|error| words(&error))
    } else {
        Ok(format!("{} is not there: the first start makes it; back it up then", file.display()))
    };
    Finding::new(AREA, role, outcome)
}
