use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use causeway_domain::is_filler_name;
use causeway_domain::ports::{Filler, FillerAsk};
use jiff::Timestamp;
use parking_lot::Mutex;
use tokio::time::Instant;

use super::{FillerClient, FillerNameError, FillerReport, MissingOffer, NoOffer, QuoteOptions};
use crate::pauses::Pauses;
use crate::reputation::Reputations;

/// The fillers that are asked and their reputations, as of one moment.
#[derive(Default)]
pub(crate) struct Roster {
    pub(crate) clients: Vec<Arc<FillerClient>>,
    pub(crate) reputations: Arc<Reputations>,
}

/// What one quote asks, and whom. Its calls share this, so that they do not contend for state that all quotes share.
pub(crate) struct FillerQuery {
    pub(crate) ask: FillerAsk,
    roster: Arc<Roster>,
}

impl FillerQuery {
    pub(crate) fn new(ask: FillerAsk, roster: Arc<Roster>) -> Self {
        Self { ask, roster }
    }

    pub(crate) fn clients(&self) -> &[Arc<FillerClient>] {
        &self.roster.clients
    }

    pub(crate) fn reputations(&self) -> &Reputations {
        &self.roster.reputations
    }
}

/// All fillers of the service. They can be added and removed while quotes run: each quote asks the fillers of its start.
#[derive(Clone)]
pub struct Fillers {
    shared: Arc<Shared>,
}

struct Shared {
    roster: ArcSwap<Roster>,
    options: QuoteOptions,
    pauses: Arc<Pauses>,
    /// One change at a time.
    changing: Mutex<()>,
}

impl fmt::Debug for Fillers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.shared.roster.load().clients.iter().map(|client| client.name())).finish()
    }
}

impl Fillers {
    pub fn new(fillers: Vec<Arc<dyn Filler>>, options: &QuoteOptions) -> Result<Self, FillerNameError> {
        Self::with_pauses(Arc::default(), fillers, options)
    }

    /// As [`Self::new`]; fillers that an operator has paused are not asked.
    pub fn with_pauses(
        pauses: Arc<Pauses>,
        fillers: Vec<Arc<dyn Filler>>,
        options: &QuoteOptions,
    ) -> Result<Self, FillerNameError> {
        check_names(fillers.iter().map(|filler| filler.name()))?;
        let unknown = |name: &&String| !fillers.iter().any(|filler| filler.name() == name.as_str());
        if let Some(name) = options.deadlines.keys().find(unknown) {
            return Err(FillerNameError::Unknown(name.clone()));
        }
        let client = |filler| Arc::new(FillerClient::new(filler, options, Arc::clone(&pauses)));
        let clients: Vec<_> = fillers.into_iter().map(client).collect();
        let shared = Shared {
            roster: ArcSwap::from_pointee(Roster { clients, reputations: Arc::default() }),
            options: options.clone(),
            pauses,
            changing: Mutex::default(),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Asks a filler from the next quote on, in place of the one with the same name.
    pub fn put(&self, filler: Arc<dyn Filler>, deadline: Option<Duration>) -> Result<(), FillerNameError> {
        let _change = self.shared.changing.lock();
        let mut clients: Vec<_> = self.others(filler.name());
        check_names(clients.iter().map(|client| client.name()).chain([filler.name()]))?;
        let Shared { options, pauses, .. } = &*self.shared;
        clients
            .push(Arc::new(FillerClient::new(filler, options, Arc::clone(pauses)).with_deadline(deadline)));
        self.change(|roster| Roster { clients, reputations: Arc::clone(&roster.reputations) });
        Ok(())
    }

    /// Asks a filler no more for a while; `false` if there is none with this name.
    pub(crate) fn suspend(&self, name: &str, time: Duration) -> bool {
        let roster = self.shared.roster.load();
        let client = roster.clients.iter().find(|client| client.name() == name);
        client.is_some_and(|client| client.suspend_until(Instant::now() + time))
    }

    /// Whether a filler with this name can be added.
    pub fn check_name(&self, name: &str) -> Result<(), FillerNameError> {
        check_names(self.others(name).iter().map(|client| client.name()).chain([name]))
    }

    /// Removes a filler from the next quote on; `false` if there is none with this name.
    pub fn remove(&self, name: &str) -> bool {
        let _change = self.shared.changing.lock();
        let others = self.others(name);
        let had = others.len() < self.shared.roster.load().clients.len();
        if had {
            self.change(|roster| Roster { clients: others, reputations: Arc::clone(&roster.reputations) });
        }
        had
    }

    fn others(&self, name: &str) -> Vec<Arc<FillerClient>> {
        self.shared.roster.load().clients.iter().filter(|client| client.name() != name).cloned().collect()
    }

    /// Every filler with the sum and the number of its counted prices.
    pub(crate) fn prices(&self) -> Vec<(String, (i64, u64))> {
        let prices = |client: &Arc<FillerClient>| (client.name().to_owned(), client.prices());
        self.shared.roster.load().clients.iter().map(prices).collect()
    }

    /// The names of the fillers that are asked.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        let roster = self.roster();
        let name =
            move |place| roster.clients.get(place).map(|client: &Arc<FillerClient>| client.name().to_owned());
        (0..).map_while(name)
    }

    /// Whether a filler with this name is asked.
    pub fn has(&self, name: &str) -> bool {
        self.shared.roster.load().clients.iter().any(|client| client.name() == name)
    }

    pub(crate) fn roster(&self) -> Arc<Roster> {
        self.shared.roster.load_full()
    }

    /// The caller holds the `changing` lock.
    fn change(&self, change: impl FnOnce(&Roster) -> Roster) {
        let changed = change(&self.shared.roster.load());
        self.shared.roster.store(Arc::new(changed));
    }

    /// What an operator has paused.
    pub fn pauses(&self) -> &Arc<Pauses> {
        &self.shared.pauses
    }

    /// Sets the reputations and suspends fillers that left too many orders unfilled.
    pub(crate) fn set_reputations(&self, reputations: Reputations, now: Timestamp) {
        let _change = self.shared.changing.lock();
        for client in &self.shared.roster.load().clients {
            let Some(reputation) = reputations.get(client.name()) else { continue };
            let suspension = reputation
                .suspended_until
                .and_then(|until| Duration::try_from(until.duration_since(now)).ok());
            let Some(suspension) = suspension.filter(|suspension| !suspension.is_zero()) else { continue };
            if client.suspend_until(Instant::now() + suspension) {
                tracing::warn!(
                    filler = client.name(),
                    unfilled = reputation.consecutive_unfilled,
                    seconds = suspension.as_secs(),
                    "filler suspended: it left its latest orders unfilled"
                );
            }
        }
        self.change(|roster| Roster { clients: roster.clients.clone(), reputations: Arc::new(reputations) });
    }

    /// Every filler, with the same reason for no offer.
    pub(crate) fn all_without_offer(&self, reason: &NoOffer) -> Vec<MissingOffer> {
        let missing = |client: &Arc<FillerClient>| MissingOffer {
            filler: client.name().to_owned(),
            reason: reason.clone(),
        };
        self.shared.roster.load().clients.iter().map(missing).collect()
    }

    /// A report of each filler, in the order in which they were added.
    pub fn reports(&self) -> Vec<FillerReport> {
        let (roster, pauses) = (self.shared.roster.load(), &self.shared.pauses);
        let report = |client: &Arc<FillerClient>| FillerReport {
            paused: pauses.reason_for_filler(client.name()),
            reputation: roster.reputations.get(client.name()).cloned(),
            ..client.report()
        };
        roster.clients.iter().map(report).collect()
    }
}

fn check_names<'a>(fillers: impl Iterator<Item = &'a str>) -> Result<(), FillerNameError> {
    let mut names = BTreeSet::new();
    for name in fillers {
        if !is_filler_name(name) {
            return Err(FillerNameError::Form(name.to_owned()));
        }
        if !names.insert(name) {
            return Err(FillerNameError::Clash(name.to_owned()));
        }
    }
    Ok(())
}
