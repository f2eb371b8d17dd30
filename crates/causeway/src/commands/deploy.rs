use std::io::Write as _;

use anyhow::{Context as _, ensure};
use causeway_catalog::Catalog;
use causeway_domain::{Address, ChainId, Family, SOLANA_CHAIN_ID};
use causeway_evm::Signer;
use causeway_sandbox::genesis::Roles;

use crate::boot::config::{Config, Mode};
use crate::boot::logging;
use crate::boot::parts::catalog::load_catalog;
use crate::boot::parts::chain_clients::ChainClients;
use crate::boot::parts::chain_policy::ChainPolicies;
use crate::boot::parts::deployments::{Contracts, Records, start_program, start_sandbox_program};
use crate::boot::parts::hub;
use crate::boot::parts::keys::{find_key, read_key};

/// The environment variables of the deployer's keys.
const KEY_VARIABLE: &str = "CAUSEWAY_DEPLOYER_KEY";
const SOLANA_KEY_VARIABLE: &str = "CAUSEWAY_SOLANA_DEPLOYER_KEY";

/// Deploys the contracts on the given chains and writes the deployment records.
pub(crate) async fn deploy(config: &Config, chains: &[u64]) -> anyhow::Result<()> {
    logging::start(&config.log)?;
    ensure!(
        !chains.is_empty(),
        "name at least one chain, for instance: causeway deploy --chain 8453 --chain 10"
    );
    let catalog = load_catalog(config)?;
    let rpc = (config.mode == Mode::Sandbox).then(|| config.sandbox.rpc_address());
    let clients =
        ChainClients::connect(&catalog, rpc.as_deref(), config.sandbox.fees.model(), &config.endpoints)?;
    let records = Records::of(config);
    let (solana, evm): (Vec<u64>, Vec<u64>) = chains.iter().partition(|id| **id == SOLANA_CHAIN_ID.get());
    if !evm.is_empty() {
        deploy_contracts(config, &catalog, &clients, &records, &evm).await?;
    }
    if !solana.is_empty() {
        start_solana_program(config, &clients, &records).await?;
    }
    Ok(())
}

async fn deploy_contracts(
    config: &Config,
    catalog: &Catalog,
    clients: &ChainClients,
    records: &Records,
    chains: &[u64],
) -> anyhow::Result<()> {
    let policies = ChainPolicies::of(config.mode, catalog);
    let (contracts, signer) = match config.mode {
        Mode::Sandbox => {
            let roles = Roles::new()?;
            (Contracts::sandbox(&roles, policies)?, Signer::from_bytes(&roles.deployer.key.0)?)
        }
        Mode::Production => {
            let settings = &config.contracts;
            let vaults = hub::vault_assets(catalog, &settings.vault_assets)?;
            let attesters = settings.attesters.clone();
            let contracts = Contracts::production(attesters, settings.threshold, vaults, policies)?;
            (
                contracts,
                read_key(config.mode, KEY_VARIABLE, None)
                    .context("the deployment needs the key of an account that pays for it")?,
            )
        }
    };
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

/// Initializes the deployed program on Solana.
async fn start_solana_program(
    config: &Config,
    clients: &ChainClients,
    records: &Records,
) -> anyhow::Result<()> {
    let rpc = clients
        .solana
        .as_ref()
        .context("Solana is not enabled or has no RPC address; see causeway config")?;
    let deployment =
        match config.mode {
            Mode::Sandbox => start_sandbox_program(rpc, &Roles::new()?).await?,
            Mode::Production => {
                let key = find_key(config.mode, Family::Solana, SOLANA_KEY_VARIABLE, None)?.with_context(|| {
                format!("set {SOLANA_KEY_VARIABLE} to the keypair that may still replace the program's code")
            })?;
                start_program(&config.contracts, rpc, &key.solana()).await?
            }
        };
    let path = records.write_solana(&deployment)?;
    let program = Address::Solana(deployment.program.0);
    writeln!(std::io::stdout(), "chain {SOLANA_CHAIN_ID}: recorded in {}", path.display())?;
    writeln!(std::io::stdout(), "  {:<18} {program}  initialized", "program")?;
    Ok(())
}
