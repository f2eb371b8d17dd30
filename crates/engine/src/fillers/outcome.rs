use std::fmt;
use std::sync::Arc;

use causeway_domain::Route;
use causeway_domain::ports::Refusal;

use super::tally::Count;

/// Words of a filler are cut here: they travel to the caller.
const MAX_WORDS: usize = 200;

/// Checked routes, which several asks may share, or why there are none.
pub(crate) type Outcome = Result<Arc<Vec<Route>>, NoOffer>;

/// Why a filler has no offer for an ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoOffer {
    /// It answered no.
    Refused(Refusal),
    TimedOut,
    /// It failed, or its answer made no sense.
    Faulted,
    /// Too many asks wait for it.
    Busy,
    /// It failed again and again, or left its orders unfilled, and is left alone for a while.
    Resting,
    /// An operator has paused it, or what the ask is about; in words for the caller.
    Paused(String),
}

impl NoOffer {
    /// Whether it is an answer: no, as opposed to nothing.
    pub(crate) const fn is_no(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::Paused(_))
    }

    pub(super) const fn is_fault(&self) -> bool {
        matches!(self, Self::Faulted)
    }
}

impl fmt::Display for NoOffer {
    /// For the caller: nothing of what only we should know.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => refusal.fmt(f),
            Self::TimedOut => f.write_str("did not answer in time"),
            Self::Faulted => f.write_str("failed to answer"),
            Self::Busy => f.write_str("has too many questions waiting"),
            Self::Resting => f.write_str("failed repeatedly and is not asked for the moment"),
            Self::Paused(words) => f.write_str(words),
        }
    }
}

/// A filler and why it has no offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfilled {
    pub filler: String,
    pub why: NoOffer,
}

/// A refusal whose words are short and printable.
pub(super) fn tidy(refusal: Refusal) -> Refusal {
    match refusal {
        Refusal::Other(words) => {
            Refusal::Other(words.chars().filter(|c| !c.is_control()).take(MAX_WORDS).collect())
        }
        known => known,
    }
}

pub(super) fn count(outcome: &Outcome) -> Count {
    match outcome {
        Ok(_) => Count::Offered,
        Err(NoOffer::Refused(_)) => Count::Refused,
        Err(NoOffer::TimedOut) => Count::TimedOut,
        Err(NoOffer::Faulted) => Count::Faulted,
        Err(NoOffer::Busy | NoOffer::Resting | NoOffer::Paused(_)) => Count::Skipped,
    }
}

/// In one word, for the log.
pub(crate) const fn word(outcome: &Outcome) -> &'static str {
    match outcome {
        Ok(_) => "offered",
        Err(NoOffer::Refused(_)) => "refused",
        Err(NoOffer::TimedOut) => "timed out",
        Err(NoOffer::Faulted) => "faulted",
        Err(NoOffer::Busy) => "busy",
        Err(NoOffer::Resting) => "resting",
        Err(NoOffer::Paused(_)) => "paused",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fillers_own_words_are_cut_and_hold_nothing_invisible() {
        let words = format!("no\n\u{1b}[31m{}", "o".repeat(1_000_000));
        let Refusal::Other(words) = tidy(Refusal::Other(words)) else { panic!("another refusal") };
        assert_eq!(words, format!("no[31m{}", "o".repeat(MAX_WORDS - 6)));
        assert_eq!(tidy(Refusal::NoPrice), Refusal::NoPrice);
    }
}
