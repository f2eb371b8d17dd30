use causeway_catalog::Catalog;
use futures::future::join_all;

use super::{Finding, words};
use crate::boot::config::{Config, Mode};
use crate::boot::parts::chain_clients::ChainClients;
use crate::boot::parts::deployments::{Checked, ContractChecks, Deployments};

const AREA: &str = "contracts";

/// Compares every recorded contract with the configuration, the compiled contracts and the chain.
pub(super) async fn examine(
    config: &Config,
    catalog: &Catalog,
    deployments: &Deployments,
    clients: &ChainClients,
) -> Vec<Finding> {
    if deployments.is_empty() {
        let folder = config.data_dir.join("deployments");
        let words = format!("no deployment is recorded in {}, so nothing is swapped", folder.display());
        let outcome = if config.mode == Mode::Sandbox { Ok(words) } else { Err(words) };
        return vec![Finding::new(AREA, "records", outcome)];
    }
    let checks = match ContractChecks::new(config, catalog) {
        Ok(checks) => checks,
        Err(error) => return vec![Finding::new(AREA, "records", Err(words(&error)))],
    };
    let evm = join_all(deployments.evm.iter().map(async |record| {
        let checked = match (checks.compare(record), clients.evm(record.chain)) {
            (Err(error), _) => Checked::Wrong(words(&error)),
            (Ok(()), Some(client)) => checks.check(client).await,
            (Ok(()), None) => return skipped(record.chain),
        };
        finding(record.chain, checked)
    }));
    let solana = join_all(deployments.solana.iter().map(async |record| {
        let checked = match (checks.compare_program(record), &clients.solana) {
            (Err(error), _) => Checked::Wrong(words(&error)),
            (Ok(()), Some(rpc)) => checks.check_program(rpc, record).await,
            (Ok(()), None) => return skipped(record.chain),
        };
        finding(record.chain, checked)
    }));
    let (mut findings, solana) = futures::join!(evm, solana);
    findings.extend(solana);
    findings
}

fn finding(chain: causeway_domain::ChainId, checked: Checked) -> Finding {
    let outcome = match checked {
        Checked::Right => {
            Ok("code, attesters, threshold and grace are those of configuration and compiled contracts"
                .to_owned())
        }
        Checked::Unknown(reason) => Err(format!("they cannot be checked: {reason}")),
        Checked::Wrong(words) => Err(words),
    };
    Finding::new(AREA, format!("chain {chain}"), outcome)
}

fn skipped(chain: causeway_domain::ChainId) -> Finding {
    let words = "the chain is disabled or has no RPC address, so the record is skipped".to_owned();
    Finding::new(AREA, format!("chain {chain}"), Ok(words))
}
