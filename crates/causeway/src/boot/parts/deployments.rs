mod check;
mod checked_view;
mod records;
mod solana_record;

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use causeway_attester::{known_contracts, known_programs};
use causeway_domain::ports::ChainContracts;
use causeway_domain::{ChainId, Deployment, SolanaDeployment};
use causeway_evm::contracts::Code;
use causeway_evm::deploy::{DeployTerms, Deployed, HUB_CHAIN, Plan, VaultAsset, deploy, inspect};
use causeway_evm::{EvmClient, Signer};
use causeway_sandbox::genesis::Roles;
use causeway_solana::orders::{FirstEpoch, ensure_program};
use causeway_solana::program::{EscrowProgram, SANDBOX_PROGRAM};
use causeway_solana::{SolanaKey, SolanaRpc};
use futures::future::try_join_all;

pub(crate) use check::{Checked, ContractChecks, UncheckedContracts};
pub(crate) use checked_view::CheckedView;
pub(crate) use records::Records;

use crate::boot::config::ContractsConfig;
use crate::boot::parts::chain_clients::ChainClients;
use crate::boot::parts::chain_policy::ChainPolicies;
use crate::boot::parts::hub;

/// The minimum time between a fill deadline and the refund that anyone may trigger, in production and in the sandbox.
const MIN_GRACE: u64 = 2 * 60 * 60;
const SANDBOX_MIN_GRACE: u64 = 60;

/// How many of the sandbox attesters must agree.
const SANDBOX_THRESHOLD: u8 = 2;

const MISSING_ATTESTERS: &str = "no attesters are configured: name their addresses in contracts.attesters and how many must agree in \
                            contracts.threshold (at least 2 of 3, on separate hosts)";

/// How long a chain may take to include the transactions of a deployment.
const DEPLOY_TIMEOUT: Duration = Duration::from_mins(5);

/// Our contracts and our program on all chains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Deployments {
    pub(crate) evm: Vec<Deployment>,
    /// The program, where Solana is enabled.
    pub(crate) solana: Option<SolanaDeployment>,
}

impl Deployments {
    pub(crate) fn is_empty(&self) -> bool {
        self.evm.is_empty() && self.solana.is_none()
    }

    /// The contracts that attesters watch.
    pub(crate) fn contracts(&self) -> BTreeMap<ChainId, ChainContracts> {
        let mut known = known_contracts(&self.evm);
        known.extend(known_programs(&self.solana));
        known
    }
}

/// The first epoch of the sandbox's Solana program.
fn sandbox_first_epoch(roles: &Roles) -> FirstEpoch {
    let members = roles.attesters.iter().map(|attester| attester.address).collect();
    FirstEpoch { min_grace: SANDBOX_MIN_GRACE, threshold: SANDBOX_THRESHOLD, members }
}

/// The first epoch of the program on real Solana.
fn first_epoch(config: &ContractsConfig) -> anyhow::Result<FirstEpoch> {
    ensure!(!config.attesters.is_empty(), MISSING_ATTESTERS);
    let threshold = u8::try_from(config.threshold).context("contracts.threshold is too large for Solana")?;
    Ok(FirstEpoch { min_grace: MIN_GRACE, threshold, members: config.attesters.clone() })
}

/// Initializes the sandbox's Solana program, or checks that it is initialized.
pub(crate) async fn start_sandbox_program(
    rpc: &SolanaRpc,
    roles: &Roles,
) -> anyhow::Result<SolanaDeployment> {
    let first = sandbox_first_epoch(roles);
    let authority = SolanaKey::from_seed(roles.solana_deployer.seed.0);
    let program = EscrowProgram::new(SANDBOX_PROGRAM);
    ensure_program(rpc, program, &authority, &first).await.context("the Solana program cannot be initialized")
}

/// Initializes the program on real Solana, or checks that it is initialized as configured.
pub(crate) async fn start_program(
    config: &ContractsConfig,
    rpc: &SolanaRpc,
    authority: &SolanaKey,
) -> anyhow::Result<SolanaDeployment> {
    let program = config.solana_program()?.context(
        "contracts.solana_program is not set: deploy contracts/solana/escrow.so with `solana program deploy`, and name its address \
         in contracts.solana_program",
    )?;
    let first = first_epoch(config)?;
    let program = EscrowProgram::new(program.into());
    ensure_program(rpc, program, authority, &first).await.context("the Solana program cannot be initialized")
}

/// The contracts to deploy, and with which parameters.
#[derive(Debug)]
pub(crate) struct Contracts {
    code: Code,
    policies: ChainPolicies,
    terms: DeployTerms,
    vaults: Vec<VaultAsset>,
    is_sandbox: bool,
}

impl Contracts {
    /// The sandbox's contracts, the same at every start.
    pub(crate) fn sandbox(roles: &Roles, policies: ChainPolicies) -> anyhow::Result<Self> {
        let attesters = roles.attesters.iter().map(|attester| attester.address).collect();
        let terms =
            DeployTerms { attesters, threshold: SANDBOX_THRESHOLD.into(), min_grace: SANDBOX_MIN_GRACE };
        let vaults = hub::sandbox_assets();
        Ok(Self { code: Code::load()?, policies, terms, vaults, is_sandbox: true })
    }

    /// The contracts as configured.
    pub(crate) fn production(
        attesters: Vec<alloy_primitives::Address>,
        threshold: usize,
        vaults: Vec<VaultAsset>,
        policies: ChainPolicies,
    ) -> anyhow::Result<Self> {
        ensure!(!attesters.is_empty(), MISSING_ATTESTERS);
        let terms = DeployTerms { attesters, threshold, min_grace: MIN_GRACE };
        Ok(Self { code: Code::load()?, policies, terms, vaults, is_sandbox: false })
    }

    /// The deployment plan of one chain.
    pub(crate) fn plan(&self, chain: ChainId) -> anyhow::Result<Plan> {
        let policy = self.policies.evm(chain)?;
        if !self.is_sandbox && policy.zksync_vm {
            bail!(
                "chain {chain} runs the ZKsync virtual machine: the contracts are not compiled for it, and were never tried \
                 in its EVM interpreter, which costs 150 to 400 % more gas"
            );
        }
        Ok(Plan::new(&self.code, chain, policy.permit2, &self.terms, &self.vaults)?)
    }

    /// The deployment on the hub chain.
    pub(crate) fn hub(&self) -> anyhow::Result<Deployment> {
        let hub = ChainId::new(HUB_CHAIN).context("the hub chain has an id")?;
        Ok(self.plan(hub)?.deployment)
    }

    /// Deploys the contracts on one chain.
    pub(crate) async fn deploy(&self, client: &EvmClient, signer: &Signer) -> anyhow::Result<Deployed> {
        let chain = client.chain_id();
        let plan = self.plan(chain)?;
        deploy(client, signer, &plan, DEPLOY_TIMEOUT)
            .await
            .with_context(|| format!("cannot deploy the contracts on chain {chain}"))
    }

    /// Deploys the contracts on all EVM chains concurrently.
    pub(crate) async fn deploy_everywhere(
        &self,
        clients: &ChainClients,
        signer: &Signer,
    ) -> anyhow::Result<Vec<Deployment>> {
        let deployed = try_join_all(clients.evm.iter().map(|client| self.deploy(client, signer))).await?;
        Ok(deployed.into_iter().map(|deployed| deployed.deployment).collect())
    }

    /// Finds contracts that another process has deployed.
    pub(crate) async fn find_everywhere(
        &self,
        clients: &ChainClients,
        deployer: alloy_primitives::Address,
    ) -> anyhow::Result<Vec<Deployment>> {
        let look = async |client: &EvmClient| {
            let plan = self.plan(client.chain_id())?;
            Ok(inspect(client, &plan, deployer).await?)
        };
        try_join_all(clients.evm.iter().map(look)).await
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::Address;

    use super::*;
    use crate::boot::config::{Config, Mode};

    fn policies(mode: Mode) -> ChainPolicies {
        ChainPolicies::load(&Config { mode, ..Config::default() }).unwrap()
    }

    fn chain(id: u64) -> ChainId {
        ChainId::new(id).unwrap()
    }

    #[test]
    fn zksync_chains_are_supported_in_the_sandbox_only() {
        let attesters = vec![Address::repeat_byte(1)];
        let production = Contracts::production(attesters, 1, Vec::new(), policies(Mode::Production)).unwrap();
        let sandbox = Contracts::sandbox(&Roles::new().unwrap(), policies(Mode::Sandbox)).unwrap();
        for id in [324, 2741] {
            assert!(production.plan(chain(id)).unwrap_err().to_string().contains("ZKsync"));
            assert!(sandbox.plan(chain(id)).is_ok());
        }
        assert!(production.plan(chain(8453)).is_ok());
    }

    #[test]
    fn a_deployment_needs_attesters() {
        let refused =
            Contracts::production(Vec::new(), 0, Vec::new(), policies(Mode::Production)).unwrap_err();
        assert!(refused.to_string().contains("contracts.attesters"));
    }
}
