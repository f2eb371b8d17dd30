//! The store's ports in memory. Workers that lease due rows are tested with the SQL stores, so leases are missing here.

mod chains;
mod claim_batches;
mod fiat;
mod idempotency;
mod integrators;
mod inventory;
mod operator;
mod orders;
mod outbox;

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use alloy_primitives::B256;
use causeway_domain::fiat::{FiatEvent, FiatOrder, FiatQuote, Payout};
use causeway_domain::ports::{
    ApiKey, Arrival, AuditEvent, ChainCursor, ClaimBatch, FeeRecord, FillerRecord, FinalityTier, Integrator,
    KeptAnswer, KeyedRequest, Loss, Outflow, Outgoing, Pause, RampToken, Reservation, StoreError,
    StuckReason,
};
use causeway_domain::{Address, ChainId, Fact, Order, OrderEvent, OrderId, RowKey};
use jiff::Timestamp;
use tokio::sync::watch;

/// Orders, chain data, signed transactions, inventory, purchases and operators' decisions, oldest first.
#[derive(Debug, Default)]
pub struct MemoryStore {
    pub orders: Mutex<Vec<(Order, Vec<OrderEvent>)>>,
    /// Events of orders that other processes wrote.
    other_events: Mutex<Vec<(RowKey, OrderId)>>,
    stuck_reasons: Mutex<HashMap<OrderId, StuckReason>>,
    commits: watch::Sender<u64>,
    payouts: Mutex<Vec<(OrderId, Payout)>>,
    facts: Mutex<Vec<(Fact, FinalityTier)>>,
    cursors: Mutex<BTreeMap<(ChainId, FinalityTier), ChainCursor>>,
    pub arrivals: Mutex<Vec<Arrival>>,
    pub outbox: Mutex<Vec<Outgoing>>,
    unknown_below: Mutex<HashMap<(ChainId, Address), u64>>,
    pub claim_batches: Mutex<Vec<ClaimBatch>>,
    single_claims: Mutex<Vec<(String, ChainId, B256)>>,
    pub reservations: Mutex<Vec<Reservation>>,
    losses: Mutex<Vec<(Loss, Timestamp)>>,
    outflows: Mutex<Vec<(Outflow, Timestamp)>>,
    pub fiat_quotes: Mutex<Vec<FiatQuote>>,
    pub fiat_orders: Mutex<Vec<FiatOrder>>,
    fiat_events: Mutex<Vec<FiatEvent>>,
    fiat_webhooks: Mutex<Vec<(String, String)>>,
    ramp_tokens: Mutex<HashMap<String, RampToken>>,
    pauses: Mutex<Vec<Pause>>,
    pub fillers: Mutex<BTreeMap<String, FillerRecord>>,
    audit: Mutex<Vec<AuditEvent>>,
    fees: Mutex<Vec<FeeRecord>>,
    integrators: Mutex<BTreeMap<String, Integrator>>,
    api_keys: Mutex<Vec<ApiKey>>,
    quote_counts: Mutex<BTreeMap<(String, i64), u64>>,
    keyed_requests: Mutex<HashMap<B256, (KeyedRequest, Option<KeptAnswer>)>>,
    /// How many quotes retention may still remove.
    pub expired_quotes: Mutex<u64>,
    /// How many answers to requests with idempotency keys retention may still remove.
    pub expired_answers: Mutex<u64>,
    calls: Mutex<HashMap<&'static str, u64>>,
    is_unavailable: AtomicBool,
}

impl MemoryStore {
    pub fn with_orders(orders: Vec<(Order, Vec<OrderEvent>)>) -> Self {
        Self { orders: Mutex::new(orders), ..Self::default() }
    }

    pub fn with_fiat_orders(orders: Vec<FiatOrder>) -> Self {
        Self { fiat_orders: Mutex::new(orders), ..Self::default() }
    }

    /// Lets every call fail, or succeed again.
    pub fn set_unavailable(&self, is_unavailable: bool) {
        self.is_unavailable.store(is_unavailable, Ordering::SeqCst);
    }

    /// How often that method was called.
    pub fn calls(&self, method: &str) -> u64 {
        self.calls.lock().unwrap().get(method).copied().unwrap_or_default()
    }

    /// Writes an event as another process does: its commit is not announced here.
    pub fn add_event_of_another_process(&self, key: RowKey, order: &OrderId) {
        self.other_events.lock().unwrap().push((key, order.clone()));
    }

    /// Announces a commit of this process.
    pub fn announce_commit(&self) {
        self.commits.send_modify(|count| *count += 1);
    }

    fn call(&self, method: &'static str) -> Result<(), StoreError> {
        *self.calls.lock().unwrap().entry(method).or_default() += 1;
        if self.is_unavailable.load(Ordering::SeqCst) {
            return Err(StoreError::Unavailable("the store is switched off".into()));
        }
        Ok(())
    }
}

/// A method that only the SQL stores have.
fn only_sql<T>(method: &str) -> Result<T, StoreError> {
    panic!("{method} is tested with the SQL stores")
}
