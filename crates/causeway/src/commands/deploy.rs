use std::io::Write as _;

use anyhow::{Context as _, ensure};
use causeway_domain::ChainId;
use causeway_evm::Signer;
use causeway_sandbox::genesis::Roles;

use super::serve::load_catalog;
use crate::chains::Clients;
use crate::config::{Config, Mode};
use crate::deployments::{Contracts, Records};
use crate::keys::read_key;
use crate::{hub, logging};

/// Holds the key of whoever pays for the deployment.
const KEY_VARIABLE: &str = "CAUSEWAY_DEPLOYER_KEY";

/// Puts the contracts on the given chains and records where they lie.
pub(crate) async fn deploy(config: &Config, chains: &[u64]) -> anyhow::Result<()> {
    logging::start(&config.log)?;
    ensure!(!chains.is_empty(), "which chains? For instance: causeway deploy --chain 8453 --chain 10");
    let roles = Roles::new()?;
    let catalog = load_catalog(config)?;
    let (contracts, signer, rpc) = match config.mode {
        Mode::Sandbox => {
            let signer = Signer::from_bytes(&roles.deployer.key.0)?;
            (Contracts::play(&roles)?, signer, Some(config.sandbox.rpc_address()))
        }
        Mode::Production => {
            let settings = &config.contracts;
            let vaults = hub::vault_assets(&catalog, &settings.vault_assets)?;
            let contracts = Contracts::real(settings.attesters.clone(), settings.threshold, vaults)?;
            (
                contracts,
                read_key(config.mode, KEY_VARIABLE, None).context("somebody must pay for the deployment")?,
                None,
            )
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
