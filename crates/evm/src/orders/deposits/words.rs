use alloy_primitives::{Bytes, U256};
use alloy_sol_types::SolError as _;
use jiff::Timestamp;

use crate::contracts::Escrow;
use crate::revert::revert_words;

/// What kind of refusal it is, where something follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// The attesters have handed over.
    Epoch,
    /// The token did not let the money go.
    Transfer,
    Other,
}

/// Why a deposit would not be taken, in words for the payer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) cause: Cause,
    pub(super) words: String,
}

impl Refusal {
    /// Reads a revert, with its times and amounts where they help; `words` stand where its data says nothing.
    pub(super) fn read(words: String, data: Option<&Bytes>) -> Self {
        let data = data.map(AsRef::as_ref).unwrap_or_default();
        if let Ok(late) = Escrow::OpenDeadlinePassed::abi_decode(data) {
            return Self::other(too_late(late.openDeadline));
        }
        if let Ok(paused) = Escrow::OpeningPaused::abi_decode(data) {
            return Self::other(paused_until(paused.until));
        }
        if let Ok(Escrow::WrongDelta { received, wanted }) = Escrow::WrongDelta::abi_decode(data) {
            return Self::other(format!(
                "the token delivers {received} of the {wanted} that are sent: tokens that keep a part cannot be deposited"
            ));
        }
        if Escrow::TransferFailed::abi_decode(data).is_ok() {
            let words = "the token refuses to move the payer's money; it may be paused, or bar the payer";
            return Self { cause: Cause::Transfer, words: words.to_owned() };
        }
        let is_epoch = Escrow::WrongEpoch::abi_decode(data).is_ok();
        let words = revert_words(data).unwrap_or(words);
        // So says the library that Permit2 moves tokens with.
        if words.contains("TRANSFER_FROM_FAILED") {
            return Self::other(
                "Permit2 could not take the token from the payer: allow Permit2 to, and hold enough of it"
                    .to_owned(),
            );
        }
        Self { cause: if is_epoch { Cause::Epoch } else { Cause::Other }, words }
    }

    const fn other(words: String) -> Self {
        Self { cause: Cause::Other, words }
    }
}

pub(super) fn too_late(deadline: U256) -> String {
    format!("the time for this deposit ended at {}: ask for a new quote", moment(deadline))
}

pub(super) fn paused_until(until: U256) -> String {
    format!("an attester has paused new deposits on this chain until {}", moment(until))
}

/// A time as people read it, or the bare number where it is beyond any calendar.
fn moment(seconds: U256) -> String {
    let time = i64::try_from(seconds).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    time.map_or_else(|| seconds.to_string(), |time| time.to_string())
}

#[cfg(test)]
mod tests {
    use alloy_primitives::Address;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_pause_says_until_when_and_what_follows_from_a_refusal_is_told_apart() {
        let paused = Escrow::OpeningPaused { until: U256::from(1_800_000_000) }.abi_encode().into();
        let read = Refusal::read(String::new(), Some(&paused));
        assert_eq!(
            read.words,
            "an attester has paused new deposits on this chain until 2027-01-15T08:00:00Z"
        );
        let epoch = Escrow::WrongEpoch { epoch: U256::ONE, current: U256::from(2) }.abi_encode().into();
        assert_eq!(Refusal::read(String::new(), Some(&epoch)).cause, Cause::Epoch);
        let barred = Escrow::TransferFailed { token: Address::ZERO, to: Address::ZERO }.abi_encode().into();
        assert_eq!(Refusal::read(String::new(), Some(&barred)).cause, Cause::Transfer);
        assert_eq!(Refusal::read("no reason".to_owned(), None).words, "no reason");
        assert_eq!(moment(U256::MAX), U256::MAX.to_string());
    }

    proptest! {
        #[test]
        fn any_revert_is_put_in_words_without_panic(data in any::<Vec<u8>>(), word in any::<[u8; 32]>()) {
            for selector in [Escrow::OpenDeadlinePassed::SELECTOR, Escrow::OpeningPaused::SELECTOR, Escrow::WrongDelta::SELECTOR] {
                let _ = Refusal::read(String::new(), Some(&[&selector[..], &data].concat().into()));
                let _ = Refusal::read(String::new(), Some(&[&selector[..], &word].concat().into()));
            }
            let _ = Refusal::read(String::new(), Some(&data.into()));
        }
    }
}
