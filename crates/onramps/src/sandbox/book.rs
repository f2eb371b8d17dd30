use std::collections::{BTreeSet, HashMap};

use super::journal::{Journal, JournalError, Note};
use super::session::{Agreement, Delivery, Reason, Session, State};
use super::switches::Switches;
use super::wire::{EventJson, PurchaseJson};

/// Something that a partner is to hear of.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) id: String,
    pub(super) session: String,
    pub(super) at: i64,
    pub(super) body: String,
}

/// All that a provider knows: what its journal says, and nothing else.
#[derive(Debug)]
pub(super) struct Book {
    journal: Journal,
    known: Known,
}

#[derive(Debug, Default)]
struct Known {
    sessions: HashMap<String, Session>,
    by_order: HashMap<String, String>,
    /// Those that are not over, oldest first.
    open: BTreeSet<(i64, String)>,
    /// What partners have not heard yet, oldest first.
    untold: Vec<Event>,
    switches: Switches,
}

impl Book {
    pub(super) fn new(journal: Journal, past: Vec<Note>) -> Self {
        let mut known = Known::default();
        for note in past {
            known.take(note);
        }
        Self { journal, known }
    }

    /// Writes notes down, and only then believes them.
    fn write(&mut self, notes: Vec<Note>) -> Result<(), JournalError> {
        self.journal.append(&notes)?;
        for note in notes {
            self.known.take(note);
        }
        Ok(())
    }

    /// Opens a purchase; the one that the order has already is handed out instead.
    pub(super) fn open(&mut self, agreed: Agreement) -> Result<&Session, JournalError> {
        let name = self.known.by_order.get(&agreed.order).cloned();
        let name = if let Some(name) = name {
            name
        } else {
            let name = agreed.session.clone();
            self.write(vec![Note::Opened(agreed)])?;
            name
        };
        self.known.sessions.get(&name).ok_or(JournalError::Broken)
    }

    pub(super) fn session(&self, name: &str) -> Option<&Session> {
        self.known.sessions.get(name)
    }

    pub(super) fn of_order(&self, order: &str) -> Option<&Session> {
        self.session(self.known.by_order.get(order)?)
    }

    /// Whether nobody is buying.
    pub(super) fn is_idle(&self) -> bool {
        self.known.open.is_empty()
    }

    pub(super) fn open_sessions(&self) -> Vec<Session> {
        let names = self.known.open.iter().map(|(_, name)| name);
        names.filter_map(|name| self.known.sessions.get(name)).cloned().collect()
    }

    /// Moves a purchase on; `false` when it cannot go there from where it stands, and then nothing is written.
    pub(super) fn shift(
        &mut self,
        name: &str,
        state: State,
        at: i64,
        due_at: Option<i64>,
        reason: Option<Reason>,
    ) -> Result<bool, JournalError> {
        let may = self.session(name).is_some_and(|session| session.state.may_become(state));
        if may {
            self.write(vec![Note::Moved { session: name.to_owned(), state, at, due_at, reason }])?;
        }
        Ok(may)
    }

    /// Lays down, once, what a paid purchase is owed.
    pub(super) fn owe(&mut self, name: &str, amounts: &[String], at: i64) -> Result<(), JournalError> {
        let Some(session) = self.session(name).filter(|session| session.state == State::Paid) else {
            return Ok(());
        };
        let missing = amounts.iter().enumerate().skip(session.deliveries.len());
        let owes = missing.map(|(place, amount)| Note::Owes {
            session: name.to_owned(),
            place,
            amount: amount.clone(),
        });
        let mut notes: Vec<Note> = owes.collect();
        let state = State::Delivering;
        notes.push(Note::Moved { session: name.to_owned(), state, at, due_at: None, reason: None });
        self.write(notes)
    }

    /// Notes in which transaction a transfer travels, and whether it stands.
    pub(super) fn carried(
        &mut self,
        name: &str,
        place: usize,
        tx: &str,
        landed: bool,
    ) -> Result<(), JournalError> {
        let known = self.session(name).and_then(|session| session.deliveries.get(place));
        let Some(known) = known.filter(|known| !known.landed) else { return Ok(()) };
        let (session, tx) = (name.to_owned(), tx.to_owned());
        if landed {
            return self.write(vec![Note::Landed { session, place, tx }]);
        }
        if known.tx.as_deref() == Some(&tx) {
            return Ok(());
        }
        self.write(vec![Note::Sent { session, place, tx }])
    }

    pub(super) fn untold(&self) -> &[Event] {
        &self.known.untold
    }

    pub(super) fn told(&mut self, event: &str) -> Result<(), JournalError> {
        self.write(vec![Note::Told { event: event.to_owned() }])
    }

    pub(super) const fn switches(&self) -> &Switches {
        &self.known.switches
    }

    pub(super) fn switch(&mut self, switches: Switches) -> Result<(), JournalError> {
        self.write(vec![Note::Switched(switches)])
    }
}

impl Known {
    /// The same notes in the same order make the same book, whenever they are read.
    fn take(&mut self, note: Note) {
        match note {
            Note::Begin { .. } => {}
            Note::Opened(agreed) => {
                let name = agreed.session.clone();
                self.by_order.insert(agreed.order.clone(), name.clone());
                self.open.insert((agreed.opened_at, name.clone()));
                self.sessions.insert(name, Session::new(agreed));
            }
            Note::Moved { session, state, at, due_at, reason } => {
                self.shift(&session, state, at, due_at, reason);
            }
            Note::Owes { session, place, amount } => {
                if let Some(session) = self.sessions.get_mut(&session)
                    && session.deliveries.len() == place
                {
                    session.deliveries.push(Delivery { amount, tx: None, landed: false });
                }
            }
            Note::Sent { session, place, tx } => self.carry(&session, place, tx, false),
            Note::Landed { session, place, tx } => self.carry(&session, place, tx, true),
            Note::Told { event } => self.untold.retain(|untold| untold.id != event),
            Note::Switched(switches) => self.switches = switches,
        }
    }

    fn shift(&mut self, name: &str, state: State, at: i64, due_at: Option<i64>, reason: Option<Reason>) {
        let Some(session) = self.sessions.get_mut(name) else { return };
        session.state = state;
        session.due_at = due_at;
        session.reason = reason;
        session.moves += 1;
        if state.is_over() {
            self.open.remove(&(session.agreed.opened_at, name.to_owned()));
        }
        if !state.is_told() {
            return;
        }
        let id = format!("evt_{name}_{}", session.moves);
        let kind = "purchase.updated".to_owned();
        let json = EventJson { id: id.clone(), kind, created_at: at, data: PurchaseJson::from(&*session) };
        let body = serde_json::to_string(&json).unwrap_or_default();
        self.untold.push(Event { id, session: name.to_owned(), at, body });
    }

    fn carry(&mut self, name: &str, place: usize, tx: String, landed: bool) {
        let session = self.sessions.get_mut(name);
        if let Some(delivery) = session.and_then(|session| session.deliveries.get_mut(place)) {
            delivery.tx = Some(tx);
            delivery.landed |= landed;
        }
    }
}
