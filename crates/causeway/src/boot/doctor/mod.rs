//! Checks of an installation that change nothing: configuration against files, database, endpoints and contracts.

mod attesters;
mod balances;
mod clock;
mod contracts;
mod database;
mod endpoints;
mod keys;
mod market;
mod prices;
mod spending;

use jiff::Timestamp;
use serde::Serialize;

use crate::boot::config::{Config, Mode};
use crate::boot::parts::attester_chains::{attester_clients, find_deployments};
use crate::boot::parts::catalog::load_catalog;
use crate::boot::parts::chain_clients::ChainClients;
use crate::boot::parts::deployments::Records;

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    pub(crate) area: &'static str,
    /// What was checked.
    pub(crate) subject: String,
    pub(crate) ok: bool,
    pub(crate) message: String,
}

impl Finding {
    fn new(area: &'static str, subject: impl Into<String>, outcome: Result<String, String>) -> Self {
        let ok = outcome.is_ok();
        let message = outcome.unwrap_or_else(|words| words);
        Self { area, subject: subject.into(), ok, message }
    }
}

/// The words of an error with its causes.
fn words(error: &anyhow::Error) -> String {
    format!("{error:#}")
}

/// Checks a service: database, keys, attesters, market makers, endpoints, clock, contracts, balances and prices.
pub(crate) async fn examine_service(config: &Config) -> Vec<Finding> {
    let mut findings = vec![database::examine(config).await];
    if let Some(problem) = config.server.shared_limit(config.mode) {
        findings.push(Finding::new("server", "rate limits", Err(problem.to_owned())));
    }
    let deployments = match Records::of(config).read() {
        Ok(deployments) => deployments,
        Err(error) => {
            findings.push(Finding::new("contracts", "records", Err(words(&error))));
            return findings;
        }
    };
    findings.extend(keys::examine_service(config, &deployments).await);
    findings.extend(attesters::examine(config, &deployments).await);
    let (makers, market) = market::examine(config);
    findings.extend(market);
    findings.extend(spending::examine(config, &makers).await);
    let sandbox = (config.mode == Mode::Sandbox).then(|| config.sandbox.rpc_address());
    let connected = load_catalog(config).and_then(|catalog| {
        let fees = config.sandbox.fees.model();
        Ok((ChainClients::connect(&catalog, sandbox.as_deref(), fees, &config.endpoints)?, catalog))
    });
    match connected {
        Ok((clients, catalog)) => {
            let (chains, newest_block) = endpoints::examine(&clients).await;
            findings.extend(chains);
            findings.extend(endpoints::examine_choice(config, &catalog));
            findings.push(clock::examine(newest_block, Timestamp::now()));
            findings.extend(contracts::examine(config, &catalog, &deployments, &clients).await);
            findings.extend(balances::examine(config, &catalog, &deployments, &clients, &makers).await);
            findings.extend(prices::examine(config, &catalog, &clients, &makers).await);
        }
        Err(error) => findings.push(Finding::new("configuration", "chains", Err(words(&error)))),
    }
    findings
}

/// Checks an attester: its key, endpoints and contracts.
pub(crate) async fn examine_attester(config: &Config) -> Vec<Finding> {
    let mut findings = vec![keys::examine_attester(config).await];
    let connected = async {
        let deployments = find_deployments(config).await?;
        let clients = attester_clients(config, &deployments)?;
        Ok::<_, anyhow::Error>((deployments, clients, load_catalog(config)?))
    };
    match connected.await {
        Ok((deployments, clients, catalog)) => {
            let (chains, newest_block) = endpoints::examine(&clients).await;
            findings.extend(chains);
            findings.push(clock::examine(newest_block, Timestamp::now()));
            findings.extend(contracts::examine(config, &catalog, &deployments, &clients).await);
        }
        Err(error) => findings.push(Finding::new("configuration", "chains", Err(words(&error)))),
    }
    findings
}
