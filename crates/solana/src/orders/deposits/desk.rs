use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::ports::{
    BroadcastError, ChainError, CheckError, DepositDesk, DepositError, NotThisDeposit, Visible, WalletAction,
};
use causeway_domain::{Address as AnyAddress, ChainId, SOLANA_CHAIN_ID, SolanaDeployment, Terms};
use serde_json::Value;

use super::signed::judge_signed;
use crate::program::{EscrowProgram, Office};
use crate::{Commitment, RpcError, SolanaRpc};

/// How long something that seldom changes is believed without asking: a handover of attesters is announced two days ahead,
/// rent has changed once in years.
const FRESH: Duration = Duration::from_mins(5);

/// Makes and recognises deposits on Solana.
#[derive(Debug)]
pub struct SolanaDesk {
    pub(super) rpc: SolanaRpc,
    pub(super) program: EscrowProgram,
    min_grace: u64,
    epoch: Known<u64>,
    pub(super) rents: Known<[u64; 3]>,
}

/// A value with the time at which it was read.
#[derive(Debug)]
pub(super) struct Known<T>(Mutex<Option<(Instant, T)>>);

impl<T: Copy> Known<T> {
    const fn new() -> Self {
        Self(Mutex::new(None))
    }

    pub(super) fn fresh(&self) -> Option<T> {
        let known = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.filter(|(read, _)| read.elapsed() < FRESH).map(|(_, value)| value)
    }

    pub(super) fn put(&self, asked: Instant, value: T) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((asked, value));
    }

    fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl SolanaDesk {
    /// A desk for the program of that deployment; nothing is asked before it is needed.
    pub fn new(rpc: SolanaRpc, deployment: &SolanaDeployment) -> Self {
        let program = EscrowProgram::new(deployment.program.0.into());
        Self { rpc, program, min_grace: deployment.min_grace, epoch: Known::new(), rents: Known::new() }
    }

    /// The chain contradicted what was believed.
    pub(super) fn forget_epoch(&self) {
        self.epoch.forget();
    }

    async fn read_epoch(&self) -> Result<u64, ChainError> {
        let asked = [self.program.office()];
        let office = self.rpc.accounts(&asked, Commitment::Confirmed, None).await?.value.pop().flatten();
        let office = office.filter(|office| office.owner == self.program.id);
        let office = office.and_then(|office| Office::parse(&office.data).ok());
        let missing = || RpcError::Nonsense("the program names no attesters".to_owned());
        let office = office.ok_or_else(missing)?;
        // A handover takes two days from its word to its effect, so a clock that is a little off does no harm: whoever builds
        // at that very moment is refused by the trial, and builds again.
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Ok(office.current_epoch(now.map_or(0, |since| since.as_secs())))
    }
}

#[async_trait]
impl DepositDesk for SolanaDesk {
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

    async fn actions(&self, terms: &Terms) -> Result<Vec<WalletAction>, DepositError> {
        self.wallet_action(terms).await.map(|action| vec![action])
    }

    async fn permit(&self, _: &Terms) -> Result<(Value, Vec<WalletAction>), DepositError> {
        Err(DepositError::NotOffered)
    }

    fn address_for(&self, intent: B256) -> Option<AnyAddress> {
        Some(AnyAddress::Solana(self.program.deposit(intent).to_bytes()))
    }

    async fn look_at(&self, terms: &Terms, tx: &str) -> Result<Visible, ChainError> {
        self.look(terms, tx).await
    }

    async fn check_permit(&self, _: &Terms, _: &[u8]) -> Result<(), CheckError> {
        Err(NotThisDeposit("Solana knows no permits; sign the transaction that was built".to_owned()).into())
    }

    async fn check_signed(
        &self,
        terms: &Terms,
        built: Option<&[u8]>,
        raw: &[u8],
    ) -> Result<String, CheckError> {
        Ok(judge_signed(self.program, terms, built, raw).map_err(NotThisDeposit)?)
    }

    async fn broadcast(&self, raw: &[u8]) -> Result<(), BroadcastError> {
        self.bring(raw).await
    }
}
