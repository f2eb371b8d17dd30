use std::time::{Duration, Instant};

use alloy_primitives::{Address as EvmAddress, B256, Bytes, U256};
use alloy_sol_types::SolCall as _;
use async_trait::async_trait;
use causeway_domain::ports::{
    AccountKind, BroadcastError, ChainError, DepositBuilder, DepositCheckError, DepositError,
    DepositTxStatus, PaymentCheck, PermitKind, PermitRequest, WalletAction,
};
use causeway_domain::{Address, ChainId, Deployment, IntentTerms};
use parking_lot::Mutex;
use serde_json::json;

use super::actions::is_contract;
use crate::client::EvmClient;
use crate::contracts::AttesterRegistry;
use crate::error::CallError;
use crate::rpc::Call;

/// How long the attesters' epoch is cached: a change is announced two days ahead.
const EPOCH_TTL: Duration = Duration::from_mins(5);

/// Builds and recognises deposits on one EVM chain.
#[derive(Debug)]
pub struct EvmDepositBuilder {
    pub(super) client: EvmClient,
    pub(super) contracts: Deployment,
    /// The account that submits permits, which is the caller in simulations.
    pub(super) relayer: EvmAddress,
    epoch: Mutex<Option<(Instant, u64)>>,
}

impl EvmDepositBuilder {
    /// Creates a builder for the chain of `client`. It makes no call before the first use.
    pub fn new(client: EvmClient, contracts: Deployment, relayer: EvmAddress) -> Self {
        Self { client, contracts, relayer, epoch: Mutex::default() }
    }

    /// Drops the cached epoch after the chain contradicted it.
    pub(super) fn forget_epoch(&self) {
        *self.epoch.lock() = None;
    }

    async fn read_epoch(&self) -> Result<u64, CallError> {
        let data = Bytes::from(AttesterRegistry::currentEpochCall {}.abi_encode());
        let params = json!([{ "to": self.contracts.registry, "data": data }, "latest"]);
        let answer: Bytes = self.client.call(Call::new("eth_call", params)).await?;
        let epoch = AttesterRegistry::currentEpochCall::abi_decode_returns(&answer).ok();
        let epoch = epoch.and_then(|epoch| u64::try_from(epoch).ok());
        epoch.ok_or_else(|| self.client.invalid_response("the registry returned no epoch"))
    }
}

#[async_trait]
impl DepositBuilder for EvmDepositBuilder {
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
        let cached = *self.epoch.lock();
        if let Some((_, epoch)) = cached.filter(|(read, _)| read.elapsed() < EPOCH_TTL) {
            return Ok(epoch);
        }
        let read_at = Instant::now();
        let epoch = self.read_epoch().await?;
        *self.epoch.lock() = Some((read_at, epoch));
        Ok(epoch)
    }

    async fn check_refund(&self, terms: &IntentTerms) -> Result<(), DepositError> {
        self.simulate_refund(terms).await
    }

    async fn simulate_payment(
        &self,
        recipient: Address,
        amount: U256,
    ) -> Result<Option<PaymentCheck>, ChainError> {
        match recipient {
            Address::Evm(recipient) => self.simulate_payment_to(recipient, amount).await,
            _ => Ok(None),
        }
    }

    async fn account_kind(&self, address: Address) -> Result<Option<AccountKind>, ChainError> {
        let Address::Evm(address) = address else { return Ok(None) };
        let code = self.client.code(address).await?;
        Ok(Some(if is_contract(&code) {
            AccountKind::Contract
        } else if code.is_empty() {
            AccountKind::NoCode
        } else {
            AccountKind::Delegated
        }))
    }

    async fn actions(&self, terms: &IntentTerms) -> Result<Vec<WalletAction>, DepositError> {
        self.wallet_actions(terms).await
    }

    async fn permit(&self, kind: PermitKind, terms: &IntentTerms) -> Result<PermitRequest, DepositError> {
        match kind {
            PermitKind::Permit2 => self.permit_request(terms).await,
            PermitKind::Authorization => self.authorization_request(terms).await,
            PermitKind::TokenPermit => self.token_permit_request(terms).await,
        }
    }

    fn address_for(&self, intent: B256) -> Option<Address> {
        let Deployment { deposit_factory, deposit_code_hash, transfers, .. } = self.contracts;
        transfers.then(|| Address::Evm(deposit_factory.create2(intent, deposit_code_hash)))
    }

    async fn check_deposit_tx(&self, terms: &IntentTerms, tx: &str) -> Result<DepositTxStatus, ChainError> {
        self.inspect_tx(terms, tx).await
    }

    async fn check_permit(
        &self,
        kind: PermitKind,
        terms: &IntentTerms,
        permit: &[u8],
    ) -> Result<(), DepositCheckError> {
        self.verify_permit(kind, terms, permit).await
    }

    async fn check_signed(
        &self,
        terms: &IntentTerms,
        _: Option<&[u8]>,
        raw: &[u8],
    ) -> Result<String, DepositCheckError> {
        Ok(self.verify_signed(terms, raw)?)
    }

    async fn broadcast(&self, raw: &[u8]) -> Result<(), BroadcastError> {
        self.broadcast_raw(raw).await
    }
}
