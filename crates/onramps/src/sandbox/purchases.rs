use std::collections::{BTreeSet, HashMap};

use super::journal::{Journal, JournalEntry, JournalError};
use super::session::{Delivery, PurchaseTerms, Reason, Session, State};
use super::switches::Switches;
use super::wire::{EventJson, PurchaseJson};

/// An event for the partner.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) id: String,
    pub(super) session: String,
    pub(super) at: i64,
    pub(super) body: String,
}

/// The purchases of a provider, rebuilt from its journal.
#[derive(Debug)]
pub(super) struct PurchaseLog {
    journal: Journal,
    snapshot: Snapshot,
}

#[derive(Debug, Default)]
struct Snapshot {
    sessions: HashMap<String, Session>,
    by_order: HashMap<String, String>,
    /// Open purchases, oldest first.
    open: BTreeSet<(i64, String)>,
    /// Events that are not delivered yet, oldest first.
    pending_events: Vec<Event>,
    switches: Switches,
}

impl PurchaseLog {
    pub(super) fn new(journal: Journal, past: Vec<JournalEntry>) -> Self {
        let mut snapshot = Snapshot::default();
        for entry in past {
            snapshot.apply(entry);
        }
        Self { journal, snapshot }
    }

    /// Appends entries to the journal, then applies them.
    fn write(&mut self, entries: Vec<JournalEntry>) -> Result<(), JournalError> {
        self.journal.append(&entries)?;
        for entry in entries {
            self.snapshot.apply(entry);
        }
        Ok(())
    }

    /// Opens a purchase, or returns the existing one of the order.
    pub(super) fn open(&mut self, terms: PurchaseTerms) -> Result<&Session, JournalError> {
        let name = self.snapshot.by_order.get(&terms.order).cloned();
        let name = if let Some(name) = name {
            name
        } else {
            let name = terms.session.clone();
            self.write(vec![JournalEntry::Opened(terms)])?;
            name
        };
        self.snapshot.sessions.get(&name).ok_or(JournalError::Broken)
    }

    pub(super) fn session(&self, name: &str) -> Option<&Session> {
        self.snapshot.sessions.get(name)
    }

    pub(super) fn by_order(&self, order: &str) -> Option<&Session> {
        self.session(self.snapshot.by_order.get(order)?)
    }

    /// Whether there are no open purchases.
    pub(super) fn is_idle(&self) -> bool {
        self.snapshot.open.is_empty()
    }

    pub(super) fn open_sessions(&self) -> Vec<Session> {
        let names = self.snapshot.open.iter().map(|(_, name)| name);
        names.filter_map(|name| self.snapshot.sessions.get(name)).cloned().collect()
    }

    /// Moves a purchase to a state; `false` if the transition is not allowed, and then nothing is written.
    pub(super) fn transition(
        &mut self,
        name: &str,
        state: State,
        at: i64,
        due_at: Option<i64>,
        reason: Option<Reason>,
    ) -> Result<bool, JournalError> {
        let is_allowed = self.session(name).is_some_and(|session| session.state.can_become(state));
        if is_allowed {
            self.write(vec![JournalEntry::Moved { session: name.to_owned(), state, at, due_at, reason }])?;
        }
        Ok(is_allowed)
    }

    /// Records the payouts of a paid purchase, once.
    pub(super) fn record_payouts(
        &mut self,
        name: &str,
        amounts: &[String],
        at: i64,
    ) -> Result<(), JournalError> {
        let Some(session) = self.session(name).filter(|session| session.state == State::Paid) else {
            return Ok(());
        };
        let missing = amounts.iter().enumerate().skip(session.deliveries.len());
        let entries = missing.map(|(index, amount)| JournalEntry::PayoutOwed {
            session: name.to_owned(),
            index,
            amount: amount.clone(),
        });
        let mut entries: Vec<JournalEntry> = entries.collect();
        let state = State::Delivering;
        entries.push(JournalEntry::Moved { session: name.to_owned(), state, at, due_at: None, reason: None });
        self.write(entries)
    }

    /// Records the transaction of a transfer, and whether it is final.
    pub(super) fn record_transfer(
        &mut self,
        name: &str,
        index: usize,
        tx: &str,
        is_final: bool,
    ) -> Result<(), JournalError> {
        let snapshot = self.session(name).and_then(|session| session.deliveries.get(index));
        let Some(snapshot) = snapshot.filter(|snapshot| !snapshot.is_final) else { return Ok(()) };
        let (session, tx) = (name.to_owned(), tx.to_owned());
        if is_final {
            return self.write(vec![JournalEntry::Landed { session, index, tx }]);
        }
        if snapshot.tx.as_deref() == Some(&tx) {
            return Ok(());
        }
        self.write(vec![JournalEntry::Sent { session, index, tx }])
    }

    pub(super) fn pending_events(&self) -> &[Event] {
        &self.snapshot.pending_events
    }

    pub(super) fn mark_delivered(&mut self, event: &str) -> Result<(), JournalError> {
        self.write(vec![JournalEntry::EventDelivered { event: event.to_owned() }])
    }

    pub(super) const fn switches(&self) -> &Switches {
        &self.snapshot.switches
    }

    pub(super) fn switch(&mut self, switches: Switches) -> Result<(), JournalError> {
        self.write(vec![JournalEntry::Switched(switches)])
    }
}

impl Snapshot {
    /// Applies one entry; deterministic, so that a replay gives the same state.
    fn apply(&mut self, entry: JournalEntry) {
        match entry {
            JournalEntry::Begin { .. } => {}
            JournalEntry::Opened(terms) => {
                let name = terms.session.clone();
                self.by_order.insert(terms.order.clone(), name.clone());
                self.open.insert((terms.opened_at, name.clone()));
                self.sessions.insert(name, Session::new(terms));
            }
            JournalEntry::Moved { session, state, at, due_at, reason } => {
                self.transition(&session, state, at, due_at, reason);
            }
            JournalEntry::PayoutOwed { session, index, amount } => {
                if let Some(session) = self.sessions.get_mut(&session)
                    && session.deliveries.len() == index
                {
                    session.deliveries.push(Delivery { amount, tx: None, is_final: false });
                }
            }
            JournalEntry::Sent { session, index, tx } => self.set_transfer(&session, index, tx, false),
            JournalEntry::Landed { session, index, tx } => self.set_transfer(&session, index, tx, true),
            JournalEntry::EventDelivered { event } => {
                self.pending_events.retain(|pending| pending.id != event);
            }
            JournalEntry::Switched(switches) => self.switches = switches,
        }
    }

    fn transition(&mut self, name: &str, state: State, at: i64, due_at: Option<i64>, reason: Option<Reason>) {
        let Some(session) = self.sessions.get_mut(name) else { return };
        session.state = state;
        session.due_at = due_at;
        session.reason = reason;
        session.transitions += 1;
        if state.is_over() {
            self.open.remove(&(session.terms.opened_at, name.to_owned()));
        }
        if !state.is_notified() {
            return;
        }
        let id = format!("evt_{name}_{}", session.transitions);
        let kind = "purchase.updated".to_owned();
        let json = EventJson { id: id.clone(), kind, created_at: at, data: PurchaseJson::from(&*session) };
        let body = serde_json::to_string(&json).unwrap_or_default();
        self.pending_events.push(Event { id, session: name.to_owned(), at, body });
    }

    fn set_transfer(&mut self, name: &str, index: usize, tx: String, is_final: bool) {
        let session = self.sessions.get_mut(name);
        if let Some(delivery) = session.and_then(|session| session.deliveries.get_mut(index)) {
            delivery.tx = Some(tx);
            delivery.is_final |= is_final;
        }
    }
}
