use std::fmt;
use std::sync::Arc;

use causeway_domain::ports::{Offer, Refusal};

use super::tally::Count;

/// A filler's own text is truncated to this, because it reaches the client.
const MAX_REASON_CHARS: usize = 200;

/// Checked offers, which several asks may share, or why there are none.
pub(crate) type Outcome = Result<Arc<Vec<Offer>>, NoOffer>;

/// Why a filler has no offer for an ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoOffer {
    /// It refused.
    Refused(Refusal),
    TimedOut,
    /// It failed, or its answer was invalid.
    Faulted,
    /// Its queue is full.
    Busy,
    /// Its breaker is open: it failed repeatedly or left its orders unfilled.
    CoolingDown,
    /// An operator has paused it, or what the ask is about; the reason is for the client.
    Paused(String),
}

impl NoOffer {
    /// Whether it is a definite answer, as opposed to none.
    pub(crate) const fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::Paused(_))
    }

    pub(super) const fn is_fault(&self) -> bool {
        matches!(self, Self::Faulted)
    }
}

impl fmt::Display for NoOffer {
    /// For the client: without internal details.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => refusal.fmt(f),
            Self::TimedOut => f.write_str("did not answer in time"),
            Self::Faulted => f.write_str("failed to answer"),
            Self::Busy => f.write_str("has too many requests waiting"),
            Self::CoolingDown => f.write_str("failed repeatedly and is not asked for the moment"),
            Self::Paused(reason) => f.write_str(reason),
        }
    }
}

/// A filler and why it has no offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingOffer {
    pub filler: String,
    pub reason: NoOffer,
}

/// Truncates a refusal's text and removes control characters.
pub(super) fn sanitize(refusal: Refusal) -> Refusal {
    match refusal {
        Refusal::Other(text) => {
            Refusal::Other(text.chars().filter(|c| !c.is_control()).take(MAX_REASON_CHARS).collect())
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
        Err(NoOffer::Busy | NoOffer::CoolingDown | NoOffer::Paused(_)) => Count::Skipped,
    }
}

/// A label for the log.
pub(crate) const fn label(outcome: &Outcome) -> &'static str {
    match outcome {
        Ok(_) => "offered",
        Err(NoOffer::Refused(_)) => "refused",
        Err(NoOffer::TimedOut) => "timed out",
        Err(NoOffer::Faulted) => "faulted",
        Err(NoOffer::Busy) => "busy",
        Err(NoOffer::CoolingDown) => "cooling down",
        Err(NoOffer::Paused(_)) => "paused",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusal_text_is_truncated_and_stripped_of_control_characters() {
        let text = format!("no\n\u{1b}[31m{}", "o".repeat(1_000_000));
        let Refusal::Other(text) = sanitize(Refusal::Other(text)) else { panic!("another refusal") };
        assert_eq!(text, format!("no[31m{}", "o".repeat(MAX_REASON_CHARS - 6)));
        assert_eq!(sanitize(Refusal::NoPrice), Refusal::NoPrice);
    }
}
