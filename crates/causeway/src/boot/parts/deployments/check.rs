//! Recorded contracts are compared with the configuration, with the compiled contracts and with the chains.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use causeway_catalog::Catalog;
use causeway_domain::{Address, ChainId, Deployment, SOLANA_CHAIN_ID, SolanaDeployment};
use causeway_engine::{ChainCursors, Ticker};
use causeway_evm::EvmClient;
use causeway_evm::deploy::VerifyError;
use causeway_sandbox::genesis::Roles;
use causeway_sandbox::solana::ESCROW_CODE;
use causeway_solana::SolanaRpc;
use causeway_solana::orders::{ExpectedProgram, FirstEpoch, VerifyProgramError, verify_program};
use futures::future::join_all;
use tokio_util::sync::CancellationToken;

use super::{Contracts, Deployments, first_epoch, sandbox_first_epoch};
use crate::boot::config::{Config, Mode};
use crate::boot::parts::chain_clients::ChainClients;
use crate::boot::parts::chain_policy::ChainPolicies;
use crate::boot::parts::hub;

/// How often a chain that did not answer is asked again.
const RETRY_INTERVAL: Duration = Duration::from_secs(15);

/// What a check of contracts found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Checked {
    Right,
    /// The chain does not answer, or its endpoints differ; the record is not believed until it does.
    Unknown(String),
    /// The chain shows something else.
    Wrong(String),
}

/// What our contracts have to be.
#[derive(Debug)]
pub(crate) struct ContractChecks {
    contracts: Contracts,
    first_epoch: FirstEpoch,
    /// The configured program on Solana.
    program: Option<[u8; 32]>,
    mode: Mode,
}

impl ContractChecks {
    pub(crate) fn new(config: &Config, catalog: &Catalog) -> anyhow::Result<Self> {
        let (mode, settings) = (config.mode, &config.contracts);
        let policies = ChainPolicies::of(mode, catalog);
        let (contracts, first_epoch) = match mode {
            Mode::Sandbox => {
                let roles = Roles::new()?;
                (Contracts::sandbox(&roles, policies)?, sandbox_first_epoch(&roles))
            }
            Mode::Production => {
                let vaults = hub::vault_assets(catalog, &settings.vault_assets)?;
                let attesters = settings.attesters.clone();
                let contracts = Contracts::production(attesters, settings.threshold, vaults, policies)
                    .context("recorded contracts are compared with the configuration")?;
                (contracts, first_epoch(settings)?)
            }
        };
        Ok(Self { contracts, first_epoch, program: settings.solana_program()?, mode })
    }

    /// Compares a record with the configuration and the compiled contracts, without the chain.
    pub(crate) fn compare(&self, record: &Deployment) -> anyhow::Result<()> {
        let words = || format!("deployments/{}.json is not believed", record.chain);
        self.contracts.plan(record.chain)?.compare(record).with_context(words)
    }

    /// The same for the program on Solana.
    pub(crate) fn compare_program(&self, record: &SolanaDeployment) -> anyhow::Result<()> {
        let recorded = record.program.0;
        if let Some(configured) = self.program.filter(|configured| *configured != recorded) {
            let (recorded, configured) = (Address::Solana(recorded), Address::Solana(configured));
            bail!(
                "deployments/{SOLANA_CHAIN_ID}.json is not believed: it records the program {recorded}, and contracts.solana_program is \
                 {configured}"
            );
        }
        Ok(())
    }

    /// Reads code, attesters, threshold and grace from the chain.
    pub(crate) async fn check(&self, client: &EvmClient) -> Checked {
        let plan = match self.contracts.plan(client.chain_id()) {
            Ok(plan) => plan,
            Err(error) => return Checked::Wrong(format!("{error:#}")),
        };
        match plan.verify(client).await {
            Ok(()) => Checked::Right,
            Err(VerifyError::Chain(error)) => Checked::Unknown(error.to_string()),
            Err(VerifyError::Mismatch(words)) => Checked::Wrong(words),
        }
    }

    /// The same on Solana, and whether somebody may replace the program's code; in the sandbox its deployer may.
    pub(crate) async fn check_program(&self, rpc: &SolanaRpc, record: &SolanaDeployment) -> Checked {
        let immutable = self.mode == Mode::Production;
        let expected =
            ExpectedProgram { code: ESCROW_CODE, first_epoch: self.first_epoch.clone(), immutable };
        match verify_program(rpc, record, &expected).await {
            Ok(()) => Checked::Right,
            Err(VerifyProgramError::Chain(error)) => Checked::Unknown(error.to_string()),
            Err(VerifyProgramError::Mismatch(words)) => Checked::Wrong(words),
        }
    }
}

/// The contracts that nobody could check at the start. Their chains open and fill nothing.
#[derive(Clone, Debug)]
pub(crate) struct UncheckedContracts {
    checks: Arc<ContractChecks>,
    pub(crate) chains: Vec<ChainId>,
    solana: Option<SolanaDeployment>,
}

impl Deployments {
    /// Checks the records. One that contradicts the configuration or its chain is an error, because money would go to a
    /// contract that nobody has looked at. Records of disabled chains are skipped, and those of chains that do not answer
    /// are unchecked.
    pub(crate) async fn checked(
        self,
        checks: ContractChecks,
        clients: &ChainClients,
    ) -> anyhow::Result<(Self, UncheckedContracts)> {
        let kept = self.with_clients(clients);
        for record in &kept.evm {
            checks.compare(record)?;
        }
        kept.solana.iter().try_for_each(|record| checks.compare_program(record))?;
        let mut unchecked =
            UncheckedContracts { checks: Arc::new(checks), chains: Vec::new(), solana: kept.solana.clone() };
        let chains = kept.evm.iter().map(|record| record.chain);
        let chains: Vec<ChainId> = chains.chain(kept.solana.as_ref().map(|record| record.chain)).collect();
        for (chain, checked) in unchecked.check(clients, &chains).await {
            match checked {
                Checked::Right => {}
                Checked::Unknown(reason) => {
                    tracing::warn!(%chain, reason, "contracts cannot be checked: the chain opens and fills nothing until it answers");
                    unchecked.chains.push(chain);
                }
                Checked::Wrong(words) => bail!("deployments/{chain}.json is not believed: {words}"),
            }
        }
        Ok((kept, unchecked))
    }

    /// Without the records of chains that are disabled or have no RPC address.
    fn with_clients(self, clients: &ChainClients) -> Self {
        let skip = |chain: ChainId| {
            tracing::warn!(%chain, "deployment record skipped: the chain is disabled or has no RPC address");
        };
        let (evm, skipped): (Vec<_>, Vec<_>) =
            self.evm.into_iter().partition(|record| clients.evm(record.chain).is_some());
        for record in &skipped {
            skip(record.chain);
        }
        if self.solana.is_some() && clients.solana.is_none() {
            skip(SOLANA_CHAIN_ID);
        }
        Self { evm, solana: self.solana.filter(|_| clients.solana.is_some()) }
    }
}

impl UncheckedContracts {
    async fn check(&self, clients: &ChainClients, chains: &[ChainId]) -> Vec<(ChainId, Checked)> {
        let check = async |chain: ChainId| match (clients.evm(chain), &clients.solana, &self.solana) {
            (Some(client), ..) => (chain, self.checks.check(client).await),
            (None, Some(rpc), Some(record)) => (chain, self.checks.check_program(rpc, record).await),
            _ => (chain, Checked::Unknown("it has no RPC address".to_owned())),
        };
        join_all(chains.iter().map(|chain| check(*chain))).await
    }

    /// Closes the unchecked chains.
    pub(crate) fn close(&self, cursors: &ChainCursors) {
        self.chains.iter().for_each(|chain| cursors.set_unchecked(*chain, true));
    }

    /// Checks again until every chain has answered. A chain with other contracts stays closed.
    pub(crate) async fn recheck(
        mut self,
        clients: ChainClients,
        cursors: Arc<ChainCursors>,
        stop: CancellationToken,
    ) {
        let mut ticker = Ticker::new(RETRY_INTERVAL, stop);
        while !self.chains.is_empty() && ticker.next().await {
            for (chain, checked) in self.check(&clients, &self.chains).await {
                match checked {
                    Checked::Unknown(reason) => tracing::debug!(%chain, reason, "contracts still unchecked"),
                    Checked::Right => {
                        cursors.set_unchecked(chain, false);
                        cursors.notify();
                        self.chains.retain(|other| *other != chain);
                        tracing::info!(%chain, "contracts checked: the chain opens and fills orders");
                    }
                    Checked::Wrong(words) => {
                        self.chains.retain(|other| *other != chain);
                        tracing::error!(%chain, words, "contracts are not those of the record: the chain stays closed");
                    }
                }
            }
        }
    }
}
