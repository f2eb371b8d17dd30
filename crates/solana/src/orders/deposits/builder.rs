use std::time::{Duration, Instant};

use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::ports::{
    BroadcastError, ChainError, DepositBuilder, DepositCheckError, DepositError, DepositMismatch,
    DepositTxStatus, PermitKind, PermitRequest, WalletAction,
};
use causeway_domain::{Address as AnyAddress, ChainId, IntentTerms, SOLANA_CHAIN_ID, SolanaDeployment};
use parking_lot::Mutex;

use super::broadcast::broadcast;
use super::signed::check_signed_deposit;
use crate::program::{AttesterConfig, EscrowProgram};
use crate::{Commitment, RpcError, SolanaRpc};

/// How long values that rarely change are cached: a handover of attesters is announced two days ahead, and rent has
/// changed once in years.
const CACHE_TTL: Duration = Duration::from_mins(5);

/// Builds and recognises deposits on Solana.
#[derive(Debug)]
pub struct SolanaDepositBuilder {
    pub(super) rpc: SolanaRpc,
    pub(super) program: EscrowProgram,
    min_grace: u64,
    epoch: Cached<u64>,
    pub(super) rent_minimums: Cached<[u64; 3]>,
}

/// A cached value with the time at which it was read.
#[derive(Debug)]
pub(super) struct Cached<T>(Mutex<Option<(Instant, T)>>);

impl<T: Copy> Cached<T> {
    const fn new() -> Self {
        Self(Mutex::new(None))
    }

    pub(super) fn fresh(&self) -> Option<T> {
        let known = *self.0.lock();
        known.filter(|(read, _)| read.elapsed() < CACHE_TTL).map(|(_, value)| value)
    }

    pub(super) fn put(&self, asked: Instant, value: T) {
        *self.0.lock() = Some((asked, value));
    }

    fn clear(&self) {
        *self.0.lock() = None;
    }
}

impl SolanaDepositBuilder {
    /// A builder for the program of this deployment; makes no calls before they are needed.
    pub fn new(rpc: SolanaRpc, deployment: &SolanaDeployment) -> Self {
        let program = EscrowProgram::new(deployment.program.0.into());
        Self {
            rpc,
            program,
            min_grace: deployment.min_grace,
            epoch: Cached::new(),
            rent_minimums: Cached::new(),
        }
    }

    /// Drops the cached epoch after the chain contradicted it.
    pub(super) fn clear_epoch(&self) {
        self.epoch.clear();
    }

    async fn read_epoch(&self) -> Result<u64, ChainError> {
        let asked = [self.program.attester_config()];
        let config = self.rpc.accounts(&asked, Commitment::Confirmed, None).await?.value.pop().flatten();
        let config = config.filter(|config| config.owner == self.program.id);
        let config = config.and_then(|config| AttesterConfig::parse(&config.data).ok());
        let missing = || RpcError::InvalidResponse("the program has no attester configuration".to_owned());
        let config = config.ok_or_else(missing)?;
        // A handover takes two days, so small clock drift is harmless: a deposit built at that very moment fails in
        // the simulation and is built again.
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Ok(config.current_epoch(now.map_or(0, |since| since.as_secs())))
    }
}

#[async_trait]
impl DepositBuilder for SolanaDepositBuilder {
    fn chain(&self) -> ChainId {
        SOLANA_CHAIN_ID
    }

    fn escrow(&self) -> B256 {
        self.program.id.to_bytes().into()
    }

    fn settler(&self) -> B256 {
        self.escrow()
    }

    fn min_grace(&self) -> u64 {
        self.min_grace
    }

    async fn epoch(&self) -> Result<u64, ChainError> {
        if let Some(epoch) = self.epoch.fresh() {
            return Ok(epoch);
        }
        let asked = Instant::now();
        let epoch = self.read_epoch().await?;
        self.epoch.put(asked, epoch);
        Ok(epoch)
    }

    async fn actions(&self, terms: &IntentTerms) -> Result<Vec<WalletAction>, DepositError> {
        self.wallet_action(terms).await.map(|action| vec![action])
    }

    async fn permit(&self, _: PermitKind, _: &IntentTerms) -> Result<PermitRequest, DepositError> {
        Err(DepositError::NotOffered)
    }

    fn address_for(&self, intent: B256) -> Option<AnyAddress> {
        Some(AnyAddress::Solana(self.program.deposit(intent).to_bytes()))
    }

    async fn check_deposit_tx(&self, terms: &IntentTerms, tx: &str) -> Result<DepositTxStatus, ChainError> {
        self.observe_deposit(terms, tx).await
    }

    async fn check_permit(&self, _: PermitKind, _: &IntentTerms, _: &[u8]) -> Result<(), DepositCheckError> {
        Err(DepositMismatch("Solana has no permits; sign the transaction that was built".to_owned()).into())
    }

    async fn check_signed(
        &self,
        terms: &IntentTerms,
        built: Option<&[u8]>,
        raw: &[u8],
    ) -> Result<String, DepositCheckError> {
        Ok(check_signed_deposit(self.program, terms, built, raw).map_err(DepositMismatch)?)
    }

    async fn broadcast(&self, raw: &[u8]) -> Result<(), BroadcastError> {
        broadcast(&self.rpc, raw).await
    }
}
