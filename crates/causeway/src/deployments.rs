use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use causeway_attester::{known_contracts, known_programs};
use causeway_domain::ports::ChainContracts;
use causeway_domain::{ChainId, Deployment, SolanaDeployment};
use causeway_evm::contracts::Code;
use causeway_evm::deploy::{
    DeployTerms, Deployed, DeploymentRecord, HUB_CHAIN, Plan, VaultAsset, deploy, inspect, permit2_address,
};
use causeway_evm::{EvmClient, Signer};
use causeway_sandbox::genesis::Roles;
use causeway_solana::orders::{FirstEpoch, ensure_program};
use causeway_solana::program::{EscrowProgram, SANDBOX_PROGRAM};
use causeway_solana::{SolanaKey, SolanaRpc};
use futures::future::try_join_all;

use crate::chains::Clients;
use crate::hub;

/// The time between a fill deadline and the refund that anyone may take: in production, and with play money.
const GRACE: u64 = 2 * 60 * 60;
const PLAY_GRACE: u64 = 60;

/// How many of the play attesters must say the same.
const PLAY_THRESHOLD: u8 = 2;

/// Chains whose virtual machine derives addresses by rules of its own.
const ZKSYNC_STACK: [u64; 2] = [324, 2741];

/// How long a chain may take to mine what is sent to it.
const PATIENCE: Duration = Duration::from_mins(5);

/// Where everything of ours lies.
#[derive(Clone, Debug, Default)]
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
        ensure!(
            !attesters.is_empty(),
            "no attesters are configured: name their addresses in contracts.attesters and how many must agree in \
             contracts.threshold (at least 2 of 3, on separate hosts)"
        );
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

/// The records of deployments, one file per chain.
#[derive(Clone, Debug)]
pub(crate) struct Records(PathBuf);

impl Records {
    pub(crate) fn under(data_dir: &Path) -> Self {
        Self(data_dir.join("deployments"))
    }

    /// Every record there is; a file that cannot be used is an error, not a chain less.
    pub(crate) fn read(&self) -> anyhow::Result<Vec<Deployment>> {
        let entries = match std::fs::read_dir(&self.0) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.with_context(|| format!("cannot read {}", self.0.display()))?,
        };
        let mut deployments = Vec::new();
        for entry in entries {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                deployments.push(read(&path).with_context(|| format!("{} cannot be used", path.display()))?);
            }
        }
        deployments.sort_by_key(|deployment: &Deployment| deployment.chain);
        Ok(deployments)
    }

    /// Writes the record of one chain, whole or not at all; an older record of the same contracts keeps its first block.
    pub(crate) fn write(&self, deployment: &Deployment) -> anyhow::Result<PathBuf> {
        let path = self.0.join(format!("{}.json", deployment.chain));
        let mut deployment = deployment.clone();
        if let Ok(older) = read(&path)
            && older.escrow == deployment.escrow
            && deployment.from_block == 0
        {
            deployment.from_block = older.from_block;
        }
        std::fs::create_dir_all(&self.0).with_context(|| format!("cannot create {}", self.0.display()))?;
        let text = DeploymentRecord::to_json(&deployment)?;
        let fresh = path.with_extension("new");
        std::fs::write(&fresh, text)
            .and_then(|()| std::fs::rename(&fresh, &path))
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    }
}

fn read(path: &Path) -> anyhow::Result<Deployment> {
    Ok(DeploymentRecord::parse(&std::fs::read_to_string(path)?)?)
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

    #[test]
    fn a_record_keeps_its_first_block_when_it_is_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let records = Records::under(folder.path());
        assert!(records.read().unwrap().is_empty(), "no folder is no record");
        let plan = Contracts::play(&Roles::new().unwrap()).unwrap().plan(chain(10)).unwrap();
        let first = Deployment { from_block: 7, ..plan.deployment };
        records.write(&first).unwrap();
        records.write(&Deployment { from_block: 0, ..first.clone() }).unwrap();
        assert_eq!(records.read().unwrap(), [first]);
        std::fs::write(folder.path().join("deployments/1.json"), "{}").unwrap();
        assert!(
            records.read().unwrap_err().to_string().contains("1.json"),
            "a chain less would go unnoticed"
        );
    }
}
