use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use alloy_primitives::{B256, U256};
use async_trait::async_trait;
use causeway_domain::ports::{
    ActionError, Attestations, ChainAction, ChainError, CollectBatchError, CollectError, EscrowState,
    OnChainStatus, Progress, TxSender,
};
use causeway_domain::{
    Address, Attestation, ChainId, CollectedAttestation, CollectedBatch, FilledOrder, IntentTerms,
    SignatureBytes,
};
use jiff::Timestamp;

/// A `TxSender` that records what it sends.
pub(super) struct FakeTxSender {
    chain: ChainId,
    account: Address,
    /// Progress of each purpose; a test may change it.
    pub(super) states: Mutex<HashMap<String, Progress>>,
    pub(super) sent: Mutex<Vec<(String, ChainAction)>>,
    /// How many claims fit one transaction.
    pub(super) room: Mutex<usize>,
    /// Whether nothing can be sent yet.
    pub(super) is_waiting: Mutex<bool>,
    /// Why the chain would revert every transaction.
    pub(super) revert_reason: Mutex<Option<&'static str>>,
    /// Why no recipient can be paid.
    pub(super) unpayable: Mutex<Option<&'static str>>,
    /// What each transaction costs at most, in native units.
    pub(super) fees: Mutex<u64>,
    /// The on-chain status of every order; `None` while the chain does not answer.
    pub(super) status: Mutex<Option<OnChainStatus>>,
}

/// Deposited, not filled, and no unknown transaction pending.
pub(super) const OPEN_STATUS: OnChainStatus =
    OnChainStatus { escrow: EscrowState::Open, is_filled: false, is_settled: true };

impl FakeTxSender {
    pub(super) fn new(chain: ChainId, account: Address) -> Self {
        let (states, sent, is_waiting) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self {
            chain,
            account,
            states,
            sent,
            room: Mutex::new(50),
            is_waiting,
            revert_reason: Mutex::default(),
            unpayable: Mutex::default(),
            fees: Mutex::default(),
            status: Mutex::new(Some(OPEN_STATUS)),
        }
    }

    pub(super) fn set(&self, purpose: &str, progress: Progress) {
        self.states.lock().unwrap().insert(purpose.to_owned(), progress);
    }

    pub(super) fn set_status(&self, status: OnChainStatus) {
        *self.status.lock().unwrap() = Some(status);
    }

    pub(super) fn sent(&self) -> Vec<(String, ChainAction)> {
        self.sent.lock().unwrap().clone()
    }
}

#[async_trait]
impl TxSender for FakeTxSender {
    fn chain(&self) -> ChainId {
        self.chain
    }

    fn account(&self) -> Address {
        self.account
    }

    async fn send(&self, purpose: &str, action: &ChainAction, _: Timestamp) -> Result<Progress, ActionError> {
        if *self.is_waiting.lock().unwrap() {
            return Ok(Progress::Waiting);
        }
        if let Some(words) = *self.revert_reason.lock().unwrap() {
            return Err(ActionError::WouldFail(words.to_owned()));
        }
        let mut states = self.states.lock().unwrap();
        if let Some(known) = states.get(purpose) {
            return Ok(known.clone());
        }
        self.sent.lock().unwrap().push((purpose.to_owned(), action.clone()));
        let progress = Progress::Sent(format!("tx of {purpose}"));
        states.insert(purpose.to_owned(), progress.clone());
        Ok(progress)
    }

    async fn progress(&self, purpose: &str) -> Result<Option<Progress>, ActionError> {
        Ok(self.states.lock().unwrap().get(purpose).cloned())
    }

    async fn unpayable_reason(&self, _: &ChainAction) -> Result<Option<String>, ActionError> {
        Ok(self.unpayable.lock().unwrap().map(str::to_owned))
    }

    async fn max_fees(&self, purpose: &str) -> Result<Option<U256>, ActionError> {
        let is_known = self.states.lock().unwrap().contains_key(purpose);
        Ok(is_known.then(|| U256::from(*self.fees.lock().unwrap())))
    }

    fn claims_that_fit(&self, orders: &[IntentTerms], _: usize) -> usize {
        orders.len().min(*self.room.lock().unwrap())
    }

    async fn on_chain_status(&self, _: &IntentTerms) -> Result<OnChainStatus, ActionError> {
        let status = *self.status.lock().unwrap();
        status.ok_or(ActionError::Chain(ChainError::Unavailable(self.chain)))
    }

    async fn poll_pending(&self, _: Timestamp) -> Result<(), ActionError> {
        unreachable!("others poll")
    }
}

/// Attesters with fixed attestations, who answer unless they are silenced, and sign lists unless they are of an older version.
#[derive(Default)]
pub(super) struct Attesters(
    pub(super) Mutex<BTreeMap<B256, Attestation>>,
    pub(super) AtomicBool,
    pub(super) AtomicBool,
);

pub(super) const SIGNATURE: SignatureBytes = SignatureBytes::repeat_byte(0x51);

#[async_trait]
impl Attestations for Attesters {
    async fn collect(&self, terms: &IntentTerms) -> Result<CollectedAttestation, CollectError> {
        match self.0.lock().unwrap().get(&terms.id()) {
            Some(attestation) => {
                Ok(CollectedAttestation { attestation: *attestation, signatures: vec![SIGNATURE, SIGNATURE] })
            }
            None => Err(CollectError { have: 0, need: 2, retry: true, answers: Vec::new() }),
        }
    }

    async fn collect_batch(&self, orders: &[IntentTerms]) -> Result<CollectedBatch, CollectBatchError> {
        let known = self.0.lock().unwrap();
        let fill = |terms: &IntentTerms| match known.get(&terms.id()) {
            Some(Attestation::Filled { order, filled_at, fill_ref }) => {
                Ok(FilledOrder { order: *order, filled_at: *filled_at, fill_ref: *fill_ref })
            }
            _ => Err(terms.id()),
        };
        if self.2.load(Ordering::Relaxed) {
            return Err(CollectBatchError { have: 0, need: 2, leave_out: Vec::new(), answers: Vec::new() });
        }
        let leave_out: Vec<B256> = orders.iter().filter_map(|terms| fill(terms).err()).collect();
        if !leave_out.is_empty() {
            return Err(CollectBatchError { have: 0, need: 2, leave_out, answers: Vec::new() });
        }
        let fills = orders.iter().filter_map(|terms| fill(terms).ok()).collect();
        Ok(CollectedBatch { fills, signatures: vec![SIGNATURE, SIGNATURE] })
    }

    async fn is_available(&self, _: &IntentTerms) -> bool {
        !self.1.load(Ordering::Relaxed)
    }
}
