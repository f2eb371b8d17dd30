use std::time::Duration;

use alloy_primitives::{I256, U256};
use jiff::{SignedDuration, Timestamp};

use crate::number::scaled;
use crate::source::{PriceObservation, PriceResult};

const MAX_DECIMALS: u64 = 36;

/// The result of `latestRoundData`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Round {
    pub(super) id: U256,
    pub(super) answer: I256,
    pub(super) started: U256,
    pub(super) updated: U256,
    pub(super) answered_in: U256,
}

impl Round {
    /// Decodes the five words; `None` for anything else.
    pub(super) fn read(answer: &[u8]) -> Option<Self> {
        let (words, rest) = answer.as_chunks::<32>();
        let [id, answer, started, updated, answered_in] = *words else { return None };
        let number = U256::from_be_bytes::<32>;
        rest.is_empty().then(|| Self {
            id: number(id),
            answer: I256::from_raw(number(answer)),
            started: number(started),
            updated: number(updated),
            answered_in: number(answered_in),
        })
    }

    /// The price of the round.
    pub(super) fn price(&self, decimals: u64, valid_for: Duration, now: Timestamp) -> PriceResult {
        if !self.answer.is_positive() {
            return Err(format!("answers {}, which is no price", self.answer));
        }
        if self.answered_in < self.id {
            return Err("repeats the answer of an earlier round".to_owned());
        }
        if decimals > MAX_DECIMALS {
            return Err(format!("has {decimals} decimals"));
        }
        let at = timestamp(self.updated).ok_or("its round is not complete")?;
        let decimals = i64::try_from(decimals).unwrap_or(i64::MAX);
        let price =
            scaled(self.answer.unsigned_abs(), decimals.saturating_neg()).ok_or("its price is too large")?;
        PriceObservation::new(price, at, valid_for, now)
    }

    /// Whether a rollup's sequencer has been up long enough for the feeds to catch up.
    pub(super) fn sequencer_is_up(&self, grace: Duration, now: Timestamp) -> Result<(), String> {
        if self.answer == I256::ONE {
            return Err("the chain's sequencer is down".to_owned());
        }
        let since = timestamp(self.started).filter(|_| self.answer.is_zero());
        let since = since.ok_or("the chain's sequencer feed has no status")?;
        let up = now.duration_since(since);
        if up <= SignedDuration::try_from(grace).unwrap_or(SignedDuration::MAX) {
            let (up, grace) = (up.as_secs(), grace.as_secs());
            return Err(format!(
                "the chain's sequencer has been up for {up} s only, more than {grace} s are required"
            ));
        }
        Ok(())
    }
}

/// A contract timestamp; zero means none.
fn timestamp(seconds: U256) -> Option<Timestamp> {
    let seconds = i64::try_from(seconds).ok().filter(|seconds| *seconds > 0)?;
    Timestamp::from_second(seconds).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: i64 = 1_800_000_000;

    fn round(answer: i64) -> Round {
        let number = |value: i64| U256::try_from(value).unwrap();
        Round {
            id: number(7),
            answer: I256::try_from(answer).unwrap(),
            started: number(NOW - 4_000),
            updated: number(NOW - 40),
            answered_in: number(7),
        }
    }

    fn price(round: Round, decimals: u64) -> Result<String, String> {
        let now = Timestamp::from_second(NOW).unwrap();
        round.price(decimals, Duration::from_hours(1), now).map(|observation| observation.price.to_string())
    }

    fn up(round: Round) -> Result<(), String> {
        round.sequencer_is_up(Duration::from_hours(1), Timestamp::from_second(NOW).unwrap())
    }

    #[test]
    fn the_feeds_decimals_are_applied() {
        assert_eq!(price(round(350_012_345_678), 8).as_deref(), Ok("3500.12345678"));
        assert_eq!(price(round(350_012_345_678), 18).as_deref(), Ok("0.000000350012345678"));
        assert_eq!(price(round(5), 0).as_deref(), Ok("5"));
    }

    #[test]
    fn a_round_without_a_price_is_rejected_with_reason() {
        let why = |round, decimals| price(round, decimals).unwrap_err();
        assert!(why(round(0), 8).contains("answers 0"));
        assert!(why(round(-5), 8).contains("answers -5"));
        assert!(why(Round { answered_in: U256::from(6), ..round(1) }, 8).contains("earlier round"));
        assert!(why(Round { updated: U256::ZERO, ..round(1) }, 8).contains("not complete"));
        assert!(why(Round { updated: U256::MAX, ..round(1) }, 8).contains("not complete"));
        assert!(why(Round { updated: U256::from(NOW + 60), ..round(1) }, 8).contains("future"));
        assert!(why(round(1), 37).contains("37 decimals"));
        assert!(why(Round { answer: I256::MAX, ..round(1) }, 0).contains("too large"));
        assert!(why(round(1), 30).contains("zero price"));
    }

    #[test]
    fn a_sequencer_is_up_only_after_its_grace_period() {
        assert_eq!(up(round(0)), Ok(()));
        assert!(up(round(1)).unwrap_err().contains("is down"));
        assert!(up(round(2)).unwrap_err().contains("no status"));
        assert!(up(Round { started: U256::ZERO, ..round(0) }).unwrap_err().contains("no status"));
        let restarted = |seconds| Round { started: U256::from(NOW - seconds), ..round(0) };
        assert!(up(restarted(3_600)).unwrap_err().contains("up for 3600 s only"));
        assert_eq!(up(restarted(3_601)), Ok(()));
    }

    #[test]
    fn a_round_has_exactly_five_words() {
        let words = [7_i64, 5, NOW - 4_000, NOW - 40, 7];
        let bytes: Vec<u8> =
            words.iter().flat_map(|word| U256::try_from(*word).unwrap().to_be_bytes::<32>()).collect();
        assert_eq!(Round::read(&bytes), Some(round(5)));
        assert_eq!(Round::read(&bytes[..159]), None);
        assert_eq!(Round::read(&[bytes.as_slice(), &[0; 32]].concat()), None);
        assert_eq!(Round::read(&[]), None);
    }

    proptest! {
        #[test]
        fn any_answer_is_checked_without_panic(answer in prop::collection::vec(any::<u8>(), 160), decimals in any::<u64>()) {
            if let Some(round) = Round::read(&answer) {
                let _ = (price(round, decimals), up(round));
            }
        }
    }
}
