use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use causeway_domain::RouteId;
use causeway_domain::ports::{Filler, FillerAsk};
use jiff::Timestamp;
use tokio::time::Instant;

use super::check_offer::{MAX_OFFERS, route_name};
use super::{Desk, FillerNameError, FillerReport, NoOffer, QuoteOptions, Unfilled};
use crate::pauses::Pauses;
use crate::reputation::Standings;

/// Who takes part, and what became of their orders, as of one moment.
#[derive(Default)]
pub(crate) struct Roster {
    pub(crate) desks: Vec<Arc<Desk>>,
    pub(crate) standings: Arc<Standings>,
}

/// What one quote asks, and whom. Its calls share this, so that none of them touches what all quotes share.
pub(crate) struct Asking {
    pub(crate) ask: FillerAsk,
    roster: Arc<Roster>,
}

impl Asking {
    pub(crate) fn new(ask: FillerAsk, roster: Arc<Roster>) -> Self {
        Self { ask, roster }
    }

    pub(crate) fn desks(&self) -> &[Arc<Desk>] {
        &self.roster.desks
    }

    pub(crate) fn standings(&self) -> &Standings {
        &self.roster.standings
    }
}

/// All fillers of the service. They may come and go while quotes run: each quote asks those who were there when it began.
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
        f.debug_list().entries(self.shared.roster.load().desks.iter().map(|desk| desk.name())).finish()
    }
}

impl Fillers {
    pub fn new(fillers: Vec<Arc<dyn Filler>>, options: &QuoteOptions) -> Result<Self, FillerNameError> {
        Self::under(Arc::default(), fillers, options)
    }

    /// Fillers of which those are not asked that an operator has paused.
    pub fn under(
        pauses: Arc<Pauses>,
        fillers: Vec<Arc<dyn Filler>>,
        options: &QuoteOptions,
    ) -> Result<Self, FillerNameError> {
        check_names(fillers.iter().map(|filler| filler.name()))?;
        let unknown = |name: &&String| !fillers.iter().any(|filler| filler.name() == name.as_str());
        if let Some(name) = options.deadlines.keys().find(unknown) {
            return Err(FillerNameError::Unknown(name.clone()));
        }
        let desk = |filler| Arc::new(Desk::new(filler, options, Arc::clone(&pauses)));
        let desks: Vec<_> = fillers.into_iter().map(desk).collect();
        let shared = Shared {
            roster: ArcSwap::from_pointee(Roster { desks, standings: Arc::default() }),
            options: options.clone(),
            pauses,
            changing: Mutex::default(),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Lets a filler take part from the next quote on, in place of the one that had its name.
    pub fn put(&self, filler: Arc<dyn Filler>, deadline: Option<Duration>) -> Result<(), FillerNameError> {
        let _change = self.shared.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut desks: Vec<_> = self.others(filler.name());
        check_names(desks.iter().map(|desk| desk.name()).chain([filler.name()]))?;
        let Shared { options, pauses, .. } = &*self.shared;
        desks.push(Arc::new(Desk::new(filler, options, Arc::clone(pauses)).within(deadline)));
        self.change(|roster| Roster { desks, standings: Arc::clone(&roster.standings) });
        Ok(())
    }

    /// Whether a filler of that name can take part beside the others.
    pub fn fits(&self, name: &str) -> Result<(), FillerNameError> {
        check_names(self.others(name).iter().map(|desk| desk.name()).chain([name]))
    }

    /// Asks a filler no more, from the next quote on; `false` where there is none of that name.
    pub fn remove(&self, name: &str) -> bool {
        let _change = self.shared.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let others = self.others(name);
        let had = others.len() < self.shared.roster.load().desks.len();
        if had {
            self.change(|roster| Roster { desks: others, standings: Arc::clone(&roster.standings) });
        }
        had
    }

    fn others(&self, name: &str) -> Vec<Arc<Desk>> {
        self.shared.roster.load().desks.iter().filter(|desk| desk.name() != name).cloned().collect()
    }

    /// Who takes part.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        let roster = self.roster();
        let name = move |place| roster.desks.get(place).map(|desk: &Arc<Desk>| desk.name().to_owned());
        (0..).map_while(name)
    }

    /// Whether a filler of that name takes part.
    pub fn has(&self, name: &str) -> bool {
        self.shared.roster.load().desks.iter().any(|desk| desk.name() == name)
    }

    pub(crate) fn roster(&self) -> Arc<Roster> {
        self.shared.roster.load_full()
    }

    /// By whoever holds the lock for changes.
    fn change(&self, change: impl FnOnce(&Roster) -> Roster) {
        let changed = change(&self.shared.roster.load());
        self.shared.roster.store(Arc::new(changed));
    }

    /// What an operator has paused.
    pub fn pauses(&self) -> &Arc<Pauses> {
        &self.shared.pauses
    }

    /// Takes note of what became of the fillers' orders; those who left too many unfilled rest for a while.
    pub(crate) fn judge(&self, standings: Standings, now: Timestamp) {
        let _change = self.shared.changing.lock().unwrap_or_else(PoisonError::into_inner);
        for desk in &self.shared.roster.load().desks {
            let Some(standing) = standings.get(desk.name()) else { continue };
            let rest =
                standing.rests_until.and_then(|until| Duration::try_from(until.duration_since(now)).ok());
            let Some(rest) = rest.filter(|rest| !rest.is_zero()) else { continue };
            if desk.rest_until(Instant::now() + rest) {
                tracing::warn!(
                    filler = desk.name(),
                    unfilled = standing.left_in_a_row,
                    seconds = rest.as_secs(),
                    "a filler left its last orders unfilled and is not asked for a while"
                );
            }
        }
        self.change(|roster| Roster { desks: roster.desks.clone(), standings: Arc::new(standings) });
    }

    /// Everybody, with the same reason why there is no offer.
    pub(crate) fn all_without(&self, why: &NoOffer) -> Vec<Unfilled> {
        let unfilled = |desk: &Arc<Desk>| Unfilled { filler: desk.name().to_owned(), why: why.clone() };
        self.shared.roster.load().desks.iter().map(unfilled).collect()
    }

    /// How each filler does, in the order in which they were given.
    pub fn reports(&self) -> Vec<FillerReport> {
        let (roster, pauses) = (self.shared.roster.load(), &self.shared.pauses);
        let report = |desk: &Arc<Desk>| FillerReport {
            paused: pauses.of_filler(desk.name()),
            standing: roster.standings.get(desk.name()).cloned(),
            ..desk.report()
        };
        roster.desks.iter().map(report).collect()
    }
}

/// Every route that a filler may offer needs a name of its own.
fn check_names<'a>(fillers: impl Iterator<Item = &'a str>) -> Result<(), FillerNameError> {
    let mut names = BTreeSet::new();
    for name in fillers.flat_map(|filler| (0..MAX_OFFERS).map(move |place| route_name(filler, place))) {
        if name.parse::<RouteId>().is_err() {
            return Err(FillerNameError::Form(name.into_owned()));
        }
        if let Some(name) = names.replace(name) {
            return Err(FillerNameError::Clash(name.into_owned()));
        }
    }
    Ok(())
}
