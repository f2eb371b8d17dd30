use alloy_primitives::{Bytes, U256};
use alloy_sol_types::SolError as _;
use jiff::Timestamp;

use crate::contracts::Escrow;
use crate::revert::revert_reason;

/// The cause of a rejection, where the service reacts to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// The attesters have changed.
    Epoch,
    /// The token rejected the transfer.
    Transfer,
    Other,
}

/// Why a deposit would be rejected, with a reason for the payer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rejection {
    pub(super) cause: Cause,
    pub(super) reason: String,
}

impl Rejection {
    /// Describes a revert, with its times and amounts; `reason` is used when its data is unknown.
    pub(super) fn read(reason: String, data: Option<&Bytes>) -> Self {
        let data = data.map(AsRef::as_ref).unwrap_or_default();
        if let Ok(late) = Escrow::OpenDeadlinePassed::abi_decode(data) {
            return Self::other(too_late(late.openDeadline));
        }
        if let Ok(paused) = Escrow::OpeningPaused::abi_decode(data) {
            return Self::other(paused_until(paused.until));
        }
        if let Ok(Escrow::WrongDelta { received, wanted }) = Escrow::WrongDelta::abi_decode(data) {
            return Self::other(format!(
                "the token delivers {received} of the {wanted} that are sent: tokens with a transfer fee cannot be deposited"
            ));
        }
        if Escrow::TransferFailed::abi_decode(data).is_ok() {
            let reason = "the token refuses to move the payer's funds; it may be paused, or block the payer";
            return Self { cause: Cause::Transfer, reason: reason.to_owned() };
        }
        let is_epoch = Escrow::WrongEpoch::abi_decode(data).is_ok();
        let reason = revert_reason(data).unwrap_or(reason);
        // The error of the transfer library that Permit2 uses.
        if reason.contains("TRANSFER_FROM_FAILED") {
            return Self::other(
                "Permit2 could not take the token from the payer: allow Permit2 to, and hold enough of it"
                    .to_owned(),
            );
        }
        Self { cause: if is_epoch { Cause::Epoch } else { Cause::Other }, reason }
    }

    const fn other(reason: String) -> Self {
        Self { cause: Cause::Other, reason }
    }
}

pub(super) fn too_late(deadline: U256) -> String {
    format!("the time for this deposit ended at {}: ask for a new quote", moment(deadline))
}

pub(super) fn paused_until(until: U256) -> String {
    format!("an attester has paused new deposits on this chain until {}", moment(until))
}

/// A readable time, or the plain number if it is out of range.
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
    fn a_pause_has_its_end_and_causes_are_distinguished() {
        let paused = Escrow::OpeningPaused { until: U256::from(1_800_000_000) }.abi_encode().into();
        let read = Rejection::read(String::new(), Some(&paused));
        assert_eq!(
            read.reason,
            "an attester has paused new deposits on this chain until 2027-01-15T08:00:00Z"
        );
        let epoch = Escrow::WrongEpoch { epoch: U256::ONE, current: U256::from(2) }.abi_encode().into();
        assert_eq!(Rejection::read(String::new(), Some(&epoch)).cause, Cause::Epoch);
        let blocked = Escrow::TransferFailed { token: Address::ZERO, to: Address::ZERO }.abi_encode().into();
        assert_eq!(Rejection::read(String::new(), Some(&blocked)).cause, Cause::Transfer);
        assert_eq!(Rejection::read("no reason".to_owned(), None).reason, "no reason");
        assert_eq!(moment(U256::MAX), U256::MAX.to_string());
    }

    proptest! {
        #[test]
        fn any_revert_is_described_without_panic(data in any::<Vec<u8>>(), word in any::<[u8; 32]>()) {
            for selector in [Escrow::OpenDeadlinePassed::SELECTOR, Escrow::OpeningPaused::SELECTOR, Escrow::WrongDelta::SELECTOR] {
                let _ = Rejection::read(String::new(), Some(&[&selector[..], &data].concat().into()));
                let _ = Rejection::read(String::new(), Some(&[&selector[..], &word].concat().into()));
            }
            let _ = Rejection::read(String::new(), Some(&data.into()));
        }
    }
}
