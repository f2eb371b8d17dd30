mod check;
mod records;
mod solana_record;

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use causeway_attester::{known_contracts, known_programs};
use causeway_domain::ports::ChainContracts;
use causeway_domain::{ChainId, Deployment, SolanaDeployment};
use causeway_evm::contracts::Code;
use causeway_evm::deploy::{
    DeployTerms, Deployed, HUB_CHAIN, Plan, VaultAsset, deploy, inspect, permit2_address,
};
use causeway_evm::{EvmClient, Signer};
use causeway_sandbox::genesis::Roles;
use causeway_solana::orders::{FirstEpoch, ensure_program};
use causeway_solana::program::{EscrowProgram, SANDBOX_PROGRAM};
use causeway_solana::{SolanaKey, SolanaRpc};
use futures::future::try_join_all;

pub(crate) use records::Records;

use crate::chains::Clients;
use crate::config::ContractsConfig;
use crate::hub;

/// The time between a fill deadline and the refund that anyone may take: in production, and with play money.
const GRACE: u64 = 2 * 60 * 60;
const PLAY_GRACE: u64 = 60;

/// How many of the play attesters must say the same.
const PLAY_THRESHOLD: u8 = 2;

/// Chains whose virtual machine derives addresses by rules of its own.
const ZKSYNC_STACK: [u64; 2] = [324, 2741];

const NO_ATTESTERS: &str = "no attesters are configured: name their addresses in contracts.attesters and how many must agree in \
                            contracts.threshold (at least 2 of 3, on separate hosts)";

/// How long a chain may take to mine what is sent to it.
const PATIENCE: Duration = Duration::from_mins(5);

/// Where everything of ours lies.
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

    /// What attesters speak of.
    pub(crate) fn contracts(&self) -> BTreeMap<ChainId, ChainContracts> {
        let mut known = known_contracts(&self.evm);
        known.extend(known_programs(&self.solana));
        known
    }
}

/// Puts the program of the play Solana into office, or sees that it is.
pub(crate) async fn play_program(rpc: &SolanaRpc, roles: &Roles) -> anyhow::Result<SolanaDeployment> {
    let members = roles.attesters.iter().map(|attester| attester.address).collect();
    let first = FirstEpoch { min_grace: PLAY_GRACE, threshold: PLAY_THRESHOLD, members };
    let authority = SolanaKey::from_seed(roles.solana_deployer.seed.0);
    let program = EscrowProgram::new(SANDBOX_PROGRAM);
    ensure_program(rpc, program, &authority, &first).await.context("Solana's program could not begin")
}

/// Begins the program that lies on the real Solana, or sees that it has begun as the configuration says.
pub(crate) async fn real_program(
    config: &ContractsConfig,
    rpc: &SolanaRpc,
    authority: &SolanaKey,
) -> anyhow::Result<SolanaDeployment> {
    let program = config.solana_program()?.context(
        "where does the program lie? Put contracts/solana/escrow.so there with `solana program deploy`, and name its address \
         in contracts.solana_program",
    )?;
    ensure!(!config.attesters.is_empty(), NO_ATTESTERS);
    let threshold = u8::try_from(config.threshold).context("contracts.threshold is too large for Solana")?;
    let first = FirstEpoch { min_grace: GRACE, threshold, members: config.attesters.clone() };
    let program = EscrowProgram::new(program.into());
    ensure_program(rpc, program, authority, &first).await.context("Solana's program could not begin")
}

/// Which contracts belong on the chains, and who puts them there.
#[derive(Debug)]
pub(crate) struct Contracts {
    code: Code,
    terms: DeployTerms,
    vaults: Vec<VaultAsset>,
    is_play: bool,
}

impl Contracts {
    /// Those of the sandbox: the same at every start.
    pub(crate) fn play(roles: &Roles) -> anyhow::Result<Self> {
        let attesters = roles.attesters.iter().map(|attester| attester.address).collect();
        let terms = DeployTerms { attesters, threshold: PLAY_THRESHOLD.into(), min_grace: PLAY_GRACE };
        Ok(Self { code: Code::load()?, terms, vaults: hub::play_assets(), is_play: true })
    }

    /// Those that the configuration describes.
    pub(crate) fn real(
        attesters: Vec<alloy_primitives::Address>,
        threshold: usize,
        vaults: Vec<VaultAsset>,
    ) -> anyhow::Result<Self> {
        ensure!(!attesters.is_empty(), NO_ATTESTERS);
        let terms = DeployTerms { attesters, threshold, min_grace: GRACE };
        Ok(Self { code: Code::load()?, terms, vaults, is_play: false })
    }

    /// What goes to one chain.
    pub(crate) fn plan(&self, chain: ChainId) -> anyhow::Result<Plan> {
        if !self.is_play && ZKSYNC_STACK.contains(&chain.get()) {
            bail!(
                "chain {chain} runs the ZKsync virtual machine, which derives other addresses and needs other code: \
                 the contracts are not made for it yet"
            );
        }
        Ok(Plan::new(&self.code, chain, permit2_address(chain), &self.terms, &self.vaults)?)
    }

    /// Where everything will lie on the hub chain.
    pub(crate) fn hub(&self) -> anyhow::Result<Deployment> {
        let hub = ChainId::new(HUB_CHAIN).context("the hub chain has an id")?;
        Ok(self.plan(hub)?.deployment)
    }

    /// Puts the contracts on one chain.
    pub(crate) async fn deploy(&self, client: &EvmClient, signer: &Signer) -> anyhow::Result<Deployed> {
        let chain = client.chain_id();
        let plan = self.plan(chain)?;
        deploy(client, signer, &plan, PATIENCE)
            .await
            .with_context(|| format!("the contracts could not be put on chain {chain}"))
    }

    /// Puts the contracts on every EVM chain at once.
    pub(crate) async fn deploy_everywhere(
        &self,
        clients: &Clients,
        signer: &Signer,
    ) -> anyhow::Result<Vec<Deployment>> {
        let deployed = try_join_all(clients.evm.iter().map(|client| self.deploy(client, signer))).await?;
        Ok(deployed.into_iter().map(|deployed| deployed.deployment).collect())
    }

    /// Finds the contracts where another process has put them.
    pub(crate) async fn find_everywhere(
        &self,
        clients: &Clients,
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

    fn chain(id: u64) -> ChainId {
        ChainId::new(id).unwrap()
    }

    #[test]
    fn the_zksync_stack_is_for_play_only() {
        let real = Contracts::real(vec![Address::repeat_byte(1)], 1, Vec::new()).unwrap();
        let play = Contracts::play(&Roles::new().unwrap()).unwrap();
        for id in ZKSYNC_STACK {
            assert!(real.plan(chain(id)).unwrap_err().to_string().contains("ZKsync"));
            assert!(play.plan(chain(id)).is_ok());
        }
        assert!(real.plan(chain(8453)).is_ok());
    }

    #[test]
    fn a_deployment_needs_attesters() {
        let refused = Contracts::real(Vec::new(), 0, Vec::new()).unwrap_err();
        assert!(refused.to_string().contains("contracts.attesters"));
    }
}
