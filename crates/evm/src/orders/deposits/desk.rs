use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use alloy_primitives::{Address as EvmAddress, B256, Bytes};
use alloy_sol_types::SolCall as _;
use async_trait::async_trait;
use causeway_domain::ports::{
    BroadcastError, ChainError, CheckError, DepositDesk, DepositError, Visible, WalletAction,
};
use causeway_domain::{Address, ChainId, Deployment, Terms};
use serde_json::{Value, json};

use crate::client::EvmClient;
use crate::contracts::AttesterRegistry;
use crate::error::CallError;
use crate::rpc::Call;

/// How long the attesters' epoch is believed without asking: a handover is announced two days ahead.
const EPOCH_FRESH: Duration = Duration::from_mins(5);

/// Makes and recognises the deposits of one EVM chain.
#[derive(Debug)]
pub struct EvmDesk {
    pub(super) client: EvmClient,
    pub(super) contracts: Deployment,
    /// Who brings permits to the chain, and is therefore the caller when one is tried.
    pub(super) relayer: EvmAddress,
    epoch: Mutex<Option<(Instant, u64)>>,
}

impl EvmDesk {
    /// A desk for the chain of `client`; nothing is asked before it is needed.
    pub fn new(client: EvmClient, contracts: Deployment, relayer: EvmAddress) -> Self {
        Self { client, contracts, relayer, epoch: Mutex::default() }
    }

    fn known_epoch(&self) -> MutexGuard<'_, Option<(Instant, u64)>> {
        self.epoch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The chain contradicted what was believed.
    pub(super) fn forget_epoch(&self) {
        *self.known_epoch() = None;
    }

    async fn read_epoch(&self) -> Result<u64, CallError> {
        let data = Bytes::from(AttesterRegistry::currentEpochCall {}.abi_encode());
        let params = json!([{ "to": self.contracts.registry, "data": data }, "latest"]);
        let answer: Bytes = self.client.call(Call::new("eth_call", params)).await?;
        let epoch = AttesterRegistry::currentEpochCall::abi_decode_returns(&answer).ok();
        let epoch = epoch.and_then(|epoch| u64::try_from(epoch).ok());
        epoch.ok_or_else(|| self.client.nonsense("the registry names no epoch"))
    }
}

#[async_trait]
impl DepositDesk for EvmDesk {
    fn chain(&self) -> ChainId {
        self.client.chain_id()
    }

    fn escrow(&self) -> B256 {
        self.contracts.escrow.into_word()
    }

    fn settler(&self) -> B256 {
        self.contracts.settler.into_word()
    }

    fn min_grace(&self) -> u64 {
        self.contracts.min_grace
    }

    async fn epoch(&self) -> Result<u64, ChainError> {
        let known = *self.known_epoch();
        if let Some((_, epoch)) = known.filter(|(read, _)| read.elapsed() < EPOCH_FRESH) {
            return Ok(epoch);
        }
        let asked = Instant::now();
        let epoch = self.read_epoch().await?;
        *self.known_epoch() = Some((asked, epoch));
        Ok(epoch)
    }

    async fn actions(&self, terms: &Terms) -> Result<Vec<WalletAction>, DepositError> {
        self.wallet_actions(terms).await
    }

    async fn permit(&self, terms: &Terms) -> Result<(Value, Vec<WalletAction>), DepositError> {
        self.permit_request(terms).await
    }

    fn address_for(&self, intent: B256) -> Option<Address> {
        let Deployment { deposit_factory, deposit_code_hash, transfers, .. } = self.contracts;
        transfers.then(|| Address::Evm(deposit_factory.create2(intent, deposit_code_hash)))
    }

    async fn look_at(&self, terms: &Terms, tx: &str) -> Result<Visible, ChainError> {
        self.look(terms, tx).await
    }

    async fn check_permit(&self, terms: &Terms, permit: &[u8]) -> Result<(), CheckError> {
        self.judge_permit(terms, permit).await
    }

    async fn check_signed(&self, terms: &Terms, _: Option<&[u8]>, raw: &[u8]) -> Result<String, CheckError> {
        Ok(self.judge_signed(terms, raw)?)
    }

    async fn broadcast(&self, raw: &[u8]) -> Result<(), BroadcastError> {
        self.bring(raw).await
    }
}
