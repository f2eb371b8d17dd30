use alloy_primitives::Address;
use causeway_attester::HttpAttester;
use futures::future::join_all;

use super::Finding;
use crate::boot::config::{Config, Mode};
use crate::boot::parts::deployments::Deployments;

const AREA: &str = "attesters";

/// Whether the attesters are named, answer, and read the chains that have contracts.
pub(super) async fn examine(config: &Config, deployments: &Deployments) -> Vec<Finding> {
    let contracts = &config.contracts;
    if config.mode == Mode::Sandbox {
        return Vec::new();
    }
    if contracts.attesters.is_empty() {
        let words = "contracts.attesters names nobody: name the keys of at least three, of other people and on other \
                     hosts, before the contracts are deployed";
        return vec![Finding::new(AREA, "contracts.attesters", Err(words.to_owned()))];
    }
    if !contracts.has_panel() {
        let words = "contracts.attester_urls is empty: say where each attester answers, in the same order";
        return vec![Finding::new(AREA, "contracts.attester_urls", Err(words.to_owned()))];
    }
    let evm = deployments.evm.iter().map(|record| record.chain.get());
    let chains: Vec<u64> = evm.chain(deployments.solana.iter().map(|record| record.chain.get())).collect();
    let members = contracts.attesters.iter().zip(&contracts.attester_urls).chain(&contracts.other_attesters);
    join_all(members.map(|(address, url)| ask(*address, url, &chains))).await
}

async fn ask(address: Address, url: &str, chains: &[u64]) -> Finding {
    let outcome = match HttpAttester::new(url) {
        Ok(attester) => judge(&attester.readable_chains().await, chains),
        Err(error) => Err(format!("it cannot be asked: {error}")),
    };
    Finding::new(AREA, address.to_string(), outcome)
}

fn judge(readable: &[u64], chains: &[u64]) -> Result<String, String> {
    if readable.is_empty() {
        return Err("it does not answer, or reads no chain".to_owned());
    }
    let missing: Vec<String> =
        chains.iter().filter(|chain| !readable.contains(chain)).map(u64::to_string).collect();
    if missing.is_empty() {
        Ok(format!("it answers, and reads {} chains", readable.len()))
    } else {
        Err(format!("it does not read {}, which have contracts", missing.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attester_must_read_every_chain_that_has_contracts() {
        assert!(judge(&[], &[1]).unwrap_err().contains("does not answer"));
        assert!(judge(&[1, 10], &[1, 10, 8453]).unwrap_err().contains("8453"));
        assert!(judge(&[1, 10], &[1]).unwrap().contains("2 chains"));
    }
}
