use std::io::Write as _;

use alloy_primitives::B256;
use anyhow::{Context as _, bail, ensure};
use causeway_domain::ChainId;
use causeway_evm::Signer;
use causeway_sandbox::genesis::{Roles, is_test_key};

use super::serve::load_catalog;
use crate::chains::Clients;
use crate::config::{Config, Mode};
use crate::deployments::{Contracts, Records};
use crate::{hub, logging};

/// Holds the key of whoever pays for the deployment.
const KEY_VARIABLE: &str = "CAUSEWAY_DEPLOYER_KEY";

/// Where a service with its sandbox answers when nothing else was said.
const DEFAULT_SANDBOX: &str = "http://127.0.0.1:8080";

/// Puts the contracts on the given chains and records where they lie.
pub(crate) async fn deploy(config: &Config, chains: &[u64]) -> anyhow::Result<()> {
    logging::start(&config.log)?;
    ensure!(!chains.is_empty(), "which chains? For instance: causeway deploy --chain 8453 --chain 10");
    let roles = Roles::new()?;
    let catalog = load_catalog(config)?;
    let (contracts, signer, rpc) = match config.mode {
        Mode::Sandbox => {
            let base = config.sandbox.rpc.as_deref().unwrap_or(DEFAULT_SANDBOX).trim_end_matches('/');
            let signer = Signer::from_bytes(&roles.deployer.key.0)?;
            (Contracts::play(&roles)?, signer, Some(format!("{base}/sandbox/rpc")))
        }
        Mode::Production => {
            let settings = &config.contracts;
            let vaults = hub::vault_assets(&catalog, &settings.vault_assets)?;
            let contracts = Contracts::real(settings.attesters.clone(), settings.threshold, vaults)?;
            (contracts, key_from_environment()?, None)
        }
    };
    let clients = Clients::connect(&catalog, rpc.as_deref())?;
    let records = Records::under(&config.data_dir);
    for chain in chains {
        let chain = ChainId::new(*chain).with_context(|| format!("{chain} is no chain id"))?;
        let client = clients.evm(chain).with_context(|| {
            format!("chain {chain} is no enabled EVM chain with an RPC address; see causeway config")
        })?;
        let deployed = contracts.deploy(client, &signer).await?;
        let path = records.write(&deployed.deployment)?;
        let mut out = std::io::stdout();
        let plan = contracts.plan(chain)?;
        writeln!(out, "chain {chain}: {} gas used, recorded in {}", deployed.gas_used, path.display())?;
        for step in &plan.steps {
            let news = if deployed.new.contains(&step.name) { "deployed" } else { "was there" };
            writeln!(out, "  {:<18} {}  {news}", step.name, step.address)?;
        }
        let transfers =
            if deployed.deployment.transfers { "swept back" } else { "not swept back: no plain transfers" };
        writeln!(out, "  {:<18} {transfers}", "deposit probe")?;
    }
    Ok(())
}

fn key_from_environment() -> anyhow::Result<Signer> {
    let text = std::env::var(KEY_VARIABLE).with_context(|| {
        format!("set {KEY_VARIABLE} to the private key (64 hex digits) that pays for the deployment")
    })?;
    let Ok(key) = text.trim().parse::<B256>() else { bail!("{KEY_VARIABLE} is not 64 hex digits") };
    ensure!(!is_test_key(&key), "{KEY_VARIABLE} is a key of the test phrase, which everybody knows");
    Ok(Signer::from_bytes(&key.0)?)
}
