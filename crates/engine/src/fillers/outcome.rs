use std::fmt;
use std::sync::Arc;

use alloy_primitives::U256;
use causeway_domain::ports::{Offer, Refusal};
use causeway_domain::{RawAmount, Token};

use super::tally::Count;

/// A filler's own text is truncated to this, because it reaches the client.
const MAX_REASON_CHARS: usize = 200;

/// Amounts in messages have no more significant digits than this after the point.
const SHOWN_DIGITS: usize = 6;

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
    /// The recipient would not take what it offered, with the reason (rule 25).
    Unpayable(String),
}

impl NoOffer {
    /// Whether it is a definite answer, as opposed to none.
    pub(crate) const fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::Paused(_) | Self::Unpayable(_))
    }

    /// As its text, with amounts as people write them besides the raw units; `token` is that of the asked amount.
    pub fn describe(&self, token: &Token) -> String {
        match self {
            Self::Refused(Refusal::TooSmall { minimum }) => {
                format!("the amount is too small: {}", at_least(*minimum, token))
            }
            Self::Refused(Refusal::TooLarge { maximum }) => {
                format!("the amount is too large: {}", at_most(*maximum, token))
            }
            other => other.to_string(),
        }
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
            Self::Unpayable(reason) => write!(f, "the recipient cannot be paid: {reason}"),
        }
    }
}

/// A filler and why it has no offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingOffer {
    pub filler: String,
    pub reason: NoOffer,
}

/// `at least 6.79 USDC (6790000 raw units)`. Rounded up, so that the shown amount is enough.
pub fn at_least(amount: RawAmount, token: &Token) -> String {
    let short = shorten(amount, token.decimals, true);
    format!("at least {} {} ({amount} raw units)", short.to_decimal(token.decimals), token.symbol)
}

/// The same for a maximum, rounded down.
pub fn at_most(amount: RawAmount, token: &Token) -> String {
    let short = shorten(amount, token.decimals, false);
    format!("at most {} {} ({amount} raw units)", short.to_decimal(token.decimals), token.symbol)
}

/// Rounds digits after the point away, beyond the first six significant digits.
fn shorten(amount: RawAmount, decimals: u8, up: bool) -> RawAmount {
    let digits = amount.to_string().len();
    let cut = digits.saturating_sub(SHOWN_DIGITS).min(usize::from(decimals));
    let Some(unit) = U256::from(10).checked_pow(U256::from(cut)) else { return amount };
    let down = amount.get() / unit;
    let is_rounded = up && !(amount.get() % unit).is_zero();
    let rounded = if is_rounded { down.checked_add(U256::ONE) } else { Some(down) };
    rounded.and_then(|rounded| rounded.checked_mul(unit)).map_or(amount, RawAmount::new)
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
        Err(NoOffer::Refused(_) | NoOffer::Unpayable(_)) => Count::Refused,
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
        Err(NoOffer::Unpayable(_)) => "unpayable",
    }
}

#[cfg(test)]
mod tests {
    use causeway_domain::{ChainId, TokenId};

    use super::*;

    #[test]
    fn limits_are_shown_as_people_write_them_and_hold() {
        let token = |decimals| Token {
            id: TokenId::native(ChainId::new(1).unwrap()),
            symbol: "USDC".to_owned(),
            name: String::new(),
            decimals,
            logo: None,
        };
        let raw = |units: u64| RawAmount::new(U256::from(units));
        assert_eq!(at_least(raw(6_790_000), &token(6)), "at least 6.79 USDC (6790000 raw units)");
        assert_eq!(
            at_least(raw(1_234_567_000_001), &token(18)),
            "at least 0.00000123457 USDC (1234567000001 raw units)"
        );
        assert_eq!(
            at_most(raw(1_234_567_000_001), &token(18)),
            "at most 0.00000123456 USDC (1234567000001 raw units)"
        );
        assert_eq!(
            at_most(raw(25_000_000_000_001), &token(6)),
            "at most 25000000 USDC (25000000000001 raw units)"
        );
        assert_eq!(at_most(raw(12_345_678), &token(0)), "at most 12345678 USDC (12345678 raw units)");
        let refused = NoOffer::Refused(Refusal::TooSmall { minimum: raw(1) });
        assert_eq!(refused.describe(&token(0)), "the amount is too small: at least 1 USDC (1 raw units)");
        assert_eq!(NoOffer::Busy.describe(&token(0)), NoOffer::Busy.to_string());
    }

    #[test]
    fn refusal_text_is_truncated_and_stripped_of_control_characters() {
        let text = format!("no\n\u{1b}[31m{}", "o".repeat(1_000_000));
        let Refusal::Other(text) = sanitize(Refusal::Other(text)) else { panic!("another refusal") };
        assert_eq!(text, format!("no[31m{}", "o".repeat(MAX_REASON_CHARS - 6)));
        assert_eq!(sanitize(Refusal::NoPrice), Refusal::NoPrice);
    }
}
