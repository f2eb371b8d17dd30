use std::path::Path;

use causeway_domain::Family;

use super::{Finding, words};
use crate::boot::config::{Config, Mode};
use crate::boot::parts::deployments::Deployments;
use crate::boot::parts::keys::{ATTESTER_KEY_VARIABLE, PrivateKey, find_key, read_key, read_key_file};
use crate::boot::parts::operator_token::check_token;
use crate::boot::parts::recovery::quote_key_file;
use crate::boot::parts::service_keys::{find_relayer, maker_key_file};

const AREA: &str = "keys";

/// Whether the service's keys are there, and readable by their owner alone. Says addresses, never keys.
pub(super) fn examine_service(config: &Config, deployments: &Deployments) -> Vec<Finding> {
    let mut findings = vec![
        own_file("quote", &quote_key_file(config)),
        own_file("maker", &maker_key_file(config)),
        Finding::new(AREA, "operator token", check_token(config).map_err(|error| words(&error))),
    ];
    if config.mode == Mode::Sandbox {
        return findings;
    }
    let needed = [
        (Family::Evm, "relayer", !deployments.evm.is_empty()),
        (Family::Solana, "relayer.solana", deployments.solana.is_some()),
    ];
    for (family, role, is_needed) in needed {
        let found = find_relayer(config, family).map_err(|error| words(&error));
        let outcome = match found {
            Ok(Some(key)) => address(&key, family),
            Ok(None) if is_needed => {
                Err("there is none, and the service needs one to pay for gas".to_owned())
            }
            Ok(None) => continue,
            Err(words) => Err(words),
        };
        findings.push(Finding::new(AREA, role, outcome));
    }
    for maker in &config.market_makers {
        let keys = [
            (Family::Evm, maker.key_variable(), maker.key_file.as_deref()),
            (Family::Solana, maker.solana_key_variable(), maker.solana_key_file.as_deref()),
        ];
        let mut found: Vec<Result<String, String>> = Vec::new();
        for (family, variable, file) in keys {
            match find_key(config.mode, family, &variable, file) {
                Ok(Some(key)) => found.push(address(&key, family)),
                Ok(None) => {}
                Err(error) => found.push(Err(words(&error))),
            }
        }
        let role = format!("market_makers.{}", maker.name);
        if found.is_empty() {
            found.push(Err("it has none".to_owned()));
        }
        findings.extend(found.into_iter().map(|outcome| Finding::new(AREA, role.clone(), outcome)));
    }
    findings
}

pub(super) fn examine_attester(config: &Config) -> Finding {
    let key = read_key(config.mode, ATTESTER_KEY_VARIABLE, config.attester.key_file.as_deref());
    let member = |address: alloy_primitives::Address| {
        let is_first = config.contracts.attesters.contains(&address);
        let note = if is_first || config.mode == Mode::Sandbox {
            ""
        } else {
            ", which is none of contracts.attesters: it counts only if a handover has brought it in"
        };
        format!("{address}{note}")
    };
    let outcome = key.map(|key| member(key.address())).map_err(|error| words(&error));
    Finding::new(AREA, "attester", outcome)
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

fn address(key: &PrivateKey, family: Family) -> Result<String, String> {
    key.address(family).map(|address| address.to_string()).map_err(|error| words(&error))
}
