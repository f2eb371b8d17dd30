use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::ports::{
    Attestations, Carrier, ChainError, CollectError, Deed, DeedError, EscrowState, Loss, Losses, Progress,
    Reservation, ReservationKind, ReservationLimit, Reservations, Reserved, StoreError, Truth,
};
use causeway_domain::{
    Address, Attestation, ChainId, Collected, RawAmount, SignatureBytes, Terms, TokenId, UsdAmount,
};
use jiff::Timestamp;

/// Keeps reservations in memory, as the port says.
#[derive(Default)]
pub(super) struct Promises(pub(super) Mutex<Vec<Reservation>>);

impl Promises {
    pub(super) fn all(&self) -> Vec<Reservation> {
        self.0.lock().unwrap().clone()
    }
}

/// Keeps losses in memory, as the port says.
#[derive(Default)]
pub(super) struct Ledger(Mutex<Vec<(Loss, Timestamp)>>);

#[async_trait]
impl Losses for Ledger {
    async fn bear(
        &self,
        loss: &Loss,
        most: UsdAmount,
        since: Timestamp,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut borne = self.0.lock().unwrap();
        if borne.iter().any(|(one, _)| one.order == loss.order) {
            return Ok(true);
        }
        let recent = borne.iter().filter(|(one, at)| one.filler == loss.filler && *at >= since);
        let sum =
            recent.fold(loss.amount.cents(), |sum, (one, _)| sum.checked_add(one.amount.cents()).unwrap());
        if sum <= most.cents() {
            borne.push((loss.clone(), now));
        }
        Ok(sum <= most.cents())
    }
}

#[async_trait]
impl Reservations for Promises {
    async fn reserve(
        &self,
        wanted: &Reservation,
        limit: ReservationLimit,
        now: Timestamp,
    ) -> Result<Reserved, StoreError> {
        let mut held = self.0.lock().unwrap();
        held.retain(|one| one.expires_at.is_none_or(|at| at > now));
        let (mut reserved, mut builds) = (RawAmount::ZERO, RawAmount::ZERO);
        for one in held.iter().filter(|one| (&one.filler, one.token) == (&wanted.filler, wanted.token)) {
            if one.holder == wanted.holder {
                match (one.kind, wanted.kind) {
                    (ReservationKind::Build, ReservationKind::Order) => continue,
                    _ if one.amount == wanted.amount => return Ok(Reserved::Existing),
                    _ => return Err(StoreError::Conflict("another amount")),
                }
            }
            reserved = reserved.checked_add(one.amount).unwrap();
            if one.kind == ReservationKind::Build {
                builds = builds.checked_add(one.amount).unwrap();
            }
        }
        if !limit.admits(wanted.kind, wanted.amount, reserved, builds) {
            return Ok(Reserved::OverLimit { reserved });
        }
        held.retain(|one| (&one.holder, one.token) != (&wanted.holder, wanted.token));
        held.push(wanted.clone());
        Ok(Reserved::Written)
    }

    async fn release(&self, filler: &str, holder: &str) -> Result<(), StoreError> {
        self.0.lock().unwrap().retain(|one| (one.filler.as_str(), one.holder.as_str()) != (filler, holder));
        Ok(())
    }

    async fn reserved(&self, _: &str, _: TokenId, _: Timestamp) -> Result<RawAmount, StoreError> {
        unreachable!("the hand asks the book")
    }

    async fn all_reserved(&self, _: &str, _: Timestamp) -> Result<Vec<(TokenId, RawAmount)>, StoreError> {
        unreachable!("the hand asks the book")
    }
}

/// A key's hand that remembers what it was told to send.
pub(super) struct Key {
    chain: ChainId,
    account: Address,
    /// How far each purpose has come; a test may change it.
    pub(super) states: Mutex<HashMap<String, Progress>>,
    pub(super) sent: Mutex<Vec<(String, Deed)>>,
    /// Whether something must happen before anything can be sent.
    pub(super) waits: Mutex<bool>,
    /// Why the chain would refuse whatever is sent.
    pub(super) refuses: Mutex<Option<&'static str>>,
    /// What the chain says of every order; `None` while it does not answer.
    pub(super) truth: Mutex<Option<Truth>>,
}

/// Deposited, not delivered, and nothing unknown on its way.
pub(super) const OPEN: Truth = Truth { escrow: EscrowState::Open, is_filled: false, is_settled: true };

impl Key {
    pub(super) fn new(chain: ChainId, account: Address) -> Self {
        let (states, sent, waits) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self { chain, account, states, sent, waits, refuses: Mutex::default(), truth: Mutex::new(Some(OPEN)) }
    }

    pub(super) fn set(&self, purpose: &str, progress: Progress) {
        self.states.lock().unwrap().insert(purpose.to_owned(), progress);
    }

    pub(super) fn shows(&self, truth: Truth) {
        *self.truth.lock().unwrap() = Some(truth);
    }

    pub(super) fn sent(&self) -> Vec<(String, Deed)> {
        self.sent.lock().unwrap().clone()
    }
}

#[async_trait]
impl Carrier for Key {
    fn chain(&self) -> ChainId {
        self.chain
    }

    fn account(&self) -> Address {
        self.account
    }

    async fn carry(&self, purpose: &str, deed: &Deed, _: Timestamp) -> Result<Progress, DeedError> {
        if *self.waits.lock().unwrap() {
            return Ok(Progress::Waiting);
        }
        if let Some(words) = *self.refuses.lock().unwrap() {
            return Err(DeedError::WouldFail(words.to_owned()));
        }
        let mut states = self.states.lock().unwrap();
        if let Some(known) = states.get(purpose) {
            return Ok(known.clone());
        }
        self.sent.lock().unwrap().push((purpose.to_owned(), deed.clone()));
        let progress = Progress::OnItsWay(format!("tx of {purpose}"));
        states.insert(purpose.to_owned(), progress.clone());
        Ok(progress)
    }

    async fn progress(&self, purpose: &str) -> Result<Option<Progress>, DeedError> {
        Ok(self.states.lock().unwrap().get(purpose).cloned())
    }

    async fn truth(&self, _: &Terms) -> Result<Truth, DeedError> {
        let truth = *self.truth.lock().unwrap();
        truth.ok_or(DeedError::Chain(ChainError::Unavailable(self.chain)))
    }

    async fn tend(&self, _: Timestamp) -> Result<(), DeedError> {
        unreachable!("others tend")
    }
}

/// Attesters who say what a test tells them to, of the orders that they know.
#[derive(Default)]
pub(super) struct Attesters(pub(super) Mutex<BTreeMap<B256, Attestation>>);

pub(super) const SIGNATURE: SignatureBytes = SignatureBytes::repeat_byte(0x51);

#[async_trait]
impl Attestations for Attesters {
    async fn collect(&self, terms: &Terms) -> Result<Collected, CollectError> {
        match self.0.lock().unwrap().get(&terms.id()) {
            Some(attestation) => {
                Ok(Collected { attestation: *attestation, signatures: vec![SIGNATURE, SIGNATURE] })
            }
            None => Err(CollectError { have: 0, need: 2, retry: true, answers: Vec::new() }),
        }
    }
}
