use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use alloy_primitives::{Address as EvmAddress, B256, U256, hex, keccak256};
use async_trait::async_trait;
use causeway_domain::ports::{
    AccountKind, BroadcastError, ChainError, DepositBuilder, DepositCheckError, DepositError,
    DepositMismatch, DepositTxStatus, PaymentCheck, PermitKind, PermitRequest, SendPurpose, WalletAction,
    WalletTransaction,
};
use causeway_domain::{Address, ChainId, IntentTerms, SOLANA_CHAIN_ID};
use futures::future::BoxFuture;
use serde_json::json;
use tokio::sync::Barrier;

/// A deposit builder with scripted answers.
pub(crate) struct FakeDepositBuilder {
    chain: ChainId,
    escrow: EvmAddress,
    settler: EvmAddress,
    pub(crate) min_grace: Mutex<u64>,
    pub(crate) allowed: AtomicBool,
    pub(crate) transfers: AtomicBool,
    /// The result of the next simulation.
    pub(crate) refusal: Mutex<Option<DepositError>>,
    /// The status of transactions; others are not visible yet.
    pub(crate) visible: Mutex<HashMap<String, DepositTxStatus>>,
    pub(crate) is_away: AtomicBool,
    /// Runs while the chain is read.
    pub(crate) meanwhile: Mutex<Option<BoxFuture<'static, ()>>>,
    /// Holds the first simulations until this many have started.
    pub(crate) gate: Mutex<Option<(Arc<Barrier>, usize)>>,
    pub(crate) broadcasts: Mutex<Vec<Vec<u8>>>,
    pub(crate) broadcast_refusal: Mutex<Option<BroadcastError>>,
    pub(crate) simulations: AtomicUsize,
    /// What simulated payments meet, and how long that takes to find out.
    pub(crate) payment: Mutex<(Option<PaymentCheck>, Duration)>,
    /// What is at an address, and how long that takes to find out.
    pub(crate) accounts: Mutex<HashMap<Address, (Option<AccountKind>, Duration)>>,
    pub(crate) code_reads: AtomicUsize,
}

impl FakeDepositBuilder {
    pub(crate) fn new(chain: ChainId, escrow: u8, settler: u8) -> Arc<Self> {
        Arc::new(Self {
            chain,
            escrow: EvmAddress::repeat_byte(escrow),
            settler: EvmAddress::repeat_byte(settler),
            min_grace: Mutex::new(7_200),
            allowed: AtomicBool::new(false),
            transfers: AtomicBool::new(true),
            refusal: Mutex::default(),
            visible: Mutex::default(),
            is_away: AtomicBool::new(false),
            meanwhile: Mutex::default(),
            gate: Mutex::default(),
            broadcasts: Mutex::default(),
            broadcast_refusal: Mutex::default(),
            simulations: AtomicUsize::new(0),
            payment: Mutex::default(),
            accounts: Mutex::default(),
            code_reads: AtomicUsize::new(0),
        })
    }

    pub(crate) fn show(&self, tx: &str, visible: DepositTxStatus) {
        self.visible.lock().unwrap().insert(tx.to_owned(), visible);
    }

    pub(crate) fn meanwhile(&self, task: impl Future<Output = ()> + Send + 'static) {
        *self.meanwhile.lock().unwrap() = Some(Box::pin(task));
    }

    async fn simulate(&self) -> Result<(), DepositError> {
        self.simulations.fetch_add(1, Ordering::Relaxed);
        let gate = match &mut *self.gate.lock().unwrap() {
            Some((gate, places)) if *places > 0 => {
                *places -= 1;
                Some(Arc::clone(gate))
            }
            _ => None,
        };
        if let Some(gate) = gate {
            gate.wait().await;
        }
        self.refusal.lock().unwrap().take().map_or(Ok(()), Err)
    }

    fn send(&self, purpose: SendPurpose, terms: &IntentTerms) -> WalletAction {
        let from = EvmAddress::from_word(terms.user);
        let data = terms.to_bytes().into();
        let transaction = WalletTransaction { from, to: self.escrow, data, value: U256::ZERO, gas: None };
        WalletAction::Send { purpose, transaction }
    }

    fn approval(&self, spender: EvmAddress, terms: &IntentTerms) -> Vec<WalletAction> {
        let mut actions = vec![WalletAction::SwitchChain(self.chain)];
        if !self.allowed.load(Ordering::Relaxed) {
            actions.push(self.send(SendPurpose::ResetAllowance, terms));
            actions.push(self.send(SendPurpose::Approve { spender, amount: terms.amount_in }, terms));
        }
        actions
    }
}

/// A Solana transaction after its payer signed it.
pub(crate) fn signed_by_payer(transaction: &[u8]) -> Vec<u8> {
    [b"signed ", transaction].concat()
}

/// The signature of a Solana transaction.
pub(crate) fn signature_of(transaction: &[u8]) -> String {
    format!("5{}", hex::encode(keccak256(transaction)).replace('0', "z"))
}

/// A permit over these terms that the fake builder accepts; each flavour is a different one.
pub(crate) fn permit_over(terms: &IntentTerms, flavour: u8) -> Vec<u8> {
    [terms.id().as_slice(), &[flavour]].concat()
}

fn check(terms: &IntentTerms, signed: &[u8]) -> Result<(), DepositCheckError> {
    let fits = signed.starts_with(terms.id().as_slice());
    if fits { Ok(()) } else { Err(DepositMismatch("it is for another order".to_owned()).into()) }
}

#[async_trait]
impl DepositBuilder for FakeDepositBuilder {
    fn chain(&self) -> ChainId {
        self.chain
    }

    fn escrow(&self) -> B256 {
        self.escrow.into_word()
    }

    fn settler(&self) -> B256 {
        self.settler.into_word()
    }

    fn min_grace(&self) -> u64 {
        *self.min_grace.lock().unwrap()
    }

    async fn epoch(&self) -> Result<u64, ChainError> {
        Ok(3)
    }

    async fn simulate_payment(&self, _: Address, _: U256) -> Result<Option<PaymentCheck>, ChainError> {
        self.simulations.fetch_add(1, Ordering::Relaxed);
        let (check, delay) = self.payment.lock().unwrap().clone();
        tokio::time::sleep(delay).await;
        Ok(check)
    }

    async fn account_kind(&self, address: Address) -> Result<Option<AccountKind>, ChainError> {
        self.code_reads.fetch_add(1, Ordering::Relaxed);
        let (kind, delay) = self.accounts.lock().unwrap().get(&address).copied().unwrap_or_default();
        tokio::time::sleep(delay).await;
        Ok(kind)
    }

    async fn actions(&self, terms: &IntentTerms) -> Result<Vec<WalletAction>, DepositError> {
        // Each simulation has another blockhash.
        let blockhash = self.simulations.load(Ordering::Relaxed).to_be_bytes();
        self.simulate().await?;
        if self.chain == SOLANA_CHAIN_ID {
            let transaction = [terms.id().as_slice(), &blockhash].concat();
            return Ok(vec![WalletAction::SignSolana { transaction }]);
        }
        let mut actions = self.approval(self.escrow, terms);
        actions.push(self.send(SendPurpose::Deposit, terms));
        Ok(actions)
    }

    async fn permit(&self, kind: PermitKind, terms: &IntentTerms) -> Result<PermitRequest, DepositError> {
        self.simulate().await?;
        let before = match kind {
            PermitKind::Permit2 => self.approval(EvmAddress::repeat_byte(0x22), terms),
            PermitKind::Authorization | PermitKind::TokenPermit => Vec::new(),
        };
        let permit = json!({ "message": terms.id().to_string() });
        let order = (kind == PermitKind::TokenPermit).then(|| permit.clone());
        Ok(PermitRequest { permit, order, before })
    }

    fn address_for(&self, intent: B256) -> Option<Address> {
        let address = Address::Evm(EvmAddress::from_word(intent));
        self.transfers.load(Ordering::Relaxed).then_some(address)
    }

    async fn check_deposit_tx(&self, _: &IntentTerms, tx: &str) -> Result<DepositTxStatus, ChainError> {
        let meanwhile = self.meanwhile.lock().unwrap().take();
        if let Some(meanwhile) = meanwhile {
            meanwhile.await;
        }
        if self.is_away.load(Ordering::Relaxed) {
            return Err(ChainError::Unavailable(self.chain));
        }
        Ok(self.visible.lock().unwrap().get(tx).cloned().unwrap_or(DepositTxStatus::NotFound))
    }

    async fn check_permit(
        &self,
        _: PermitKind,
        terms: &IntentTerms,
        permit: &[u8],
    ) -> Result<(), DepositCheckError> {
        check(terms, permit)
    }

    async fn check_signed(
        &self,
        terms: &IntentTerms,
        built: Option<&[u8]>,
        raw: &[u8],
    ) -> Result<String, DepositCheckError> {
        if self.chain == SOLANA_CHAIN_ID {
            let built = built.filter(|built| signed_by_payer(built) == raw);
            let other = || DepositMismatch("its blockhash is another".to_owned()).into();
            return built.map(signature_of).ok_or_else(other);
        }
        check(terms, raw)?;
        Ok(format!("0x{:X}", keccak256(raw)))
    }

    async fn broadcast(&self, raw: &[u8]) -> Result<(), BroadcastError> {
        self.broadcasts.lock().unwrap().push(raw.to_vec());
        self.broadcast_refusal.lock().unwrap().take().map_or(Ok(()), Err)
    }
}
