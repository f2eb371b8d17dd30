use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use causeway_domain::RouteId;
use causeway_domain::ports::Filler;
use jiff::Timestamp;
use tokio::time::Instant;

use super::check_offer::{MAX_OFFERS, route_name};
use super::{Desk, FillerNameError, FillerReport, NoOffer, QuoteOptions, Unfilled};
use crate::pauses::Pauses;
use crate::reputation::Standings;

/// The desks as they were at one moment.
pub(crate) type Desks = Arc<Vec<Arc<Desk>>>;

/// All fillers of the service. They may come and go while quotes run: each quote asks those who were there when it began.
#[derive(Clone)]
pub struct Fillers {
    shared: Arc<Shared>,
}

struct Shared {
    desks: ArcSwap<Vec<Arc<Desk>>>,
    standings: ArcSwap<Standings>,
    options: QuoteOptions,
    pauses: Arc<Pauses>,
    /// One change at a time.
    changing: Mutex<()>,
}

impl fmt::Debug for Fillers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.shared.desks.load().iter().map(|desk| desk.name())).finish()
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
            desks: ArcSwap::from_pointee(desks),
            standings: ArcSwap::default(),
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
        self.shared.desks.store(Arc::new(desks));
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
        let had = others.len() < self.shared.desks.load().len();
        if had {
            self.shared.desks.store(Arc::new(others));
        }
        had
    }

    fn others(&self, name: &str) -> Vec<Arc<Desk>> {
        self.shared.desks.load().iter().filter(|desk| desk.name() != name).cloned().collect()
    }

    /// Who takes part.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        let desks = self.shared.desks.load_full();
        (0..desks.len()).filter_map(move |place| desks.get(place).map(|desk| desk.name().to_owned()))
    }

    /// Whether a filler of that name takes part.
    pub fn has(&self, name: &str) -> bool {
        self.shared.desks.load().iter().any(|desk| desk.name() == name)
    }

    pub(crate) fn desks(&self) -> Desks {
        self.shared.desks.load_full()
    }

    /// What an operator has paused.
    pub fn pauses(&self) -> &Arc<Pauses> {
        &self.shared.pauses
    }

    pub(crate) fn standings(&self) -> Arc<Standings> {
        self.shared.standings.load_full()
    }

    /// Takes note of what became of the fillers' orders; those who left too many unfilled rest for a while.
    pub(crate) fn judge(&self, standings: Standings, now: Timestamp) {
        for desk in self.shared.desks.load().iter() {
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
        self.shared.standings.store(Arc::new(standings));
    }

    /// Everybody, with the same reason why there is no offer.
    pub(crate) fn all_without(&self, why: &NoOffer) -> Vec<Unfilled> {
        let unfilled = |desk: &Arc<Desk>| Unfilled { filler: desk.name().to_owned(), why: why.clone() };
        self.shared.desks.load().iter().map(unfilled).collect()
    }

    /// How each filler does, in the order in which they were given.
    pub fn reports(&self) -> Vec<FillerReport> {
        let (standings, pauses) = (self.shared.standings.load(), &self.shared.pauses);
        let report = |desk: &Arc<Desk>| FillerReport {
            paused: pauses.of_filler(desk.name()),
            standing: standings.get(desk.name()).cloned(),
            ..desk.report()
        };
        self.shared.desks.load().iter().map(report).collect()
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
