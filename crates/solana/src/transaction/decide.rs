use super::SignatureStatus;
use crate::commitment::Commitment;

/// Consecutive checks past the last valid height that must miss a transaction before it counts as expired: one node may
/// be on its own fork.
const MIN_ABSENCES: u32 = 2;

/// The result of one check of a sent transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// The height of the newest final block, read before the status.
    pub final_height: u64,
    /// The newest final slot, read together with the height.
    pub final_slot: u64,
    /// The slot at which the status was read.
    pub status_slot: u64,
    pub status: Option<SignatureStatus>,
    /// Earlier consecutive checks past the last valid height that found nothing.
    pub absences: u32,
}

/// What to do about a sent transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Send the same bytes again: it is not confirmed yet.
    Resend,
    /// It is confirmed but not final.
    Wait,
    /// It can no longer land, but one more check must confirm that it has not.
    CheckAgain,
    /// It is final and succeeded.
    Landed { slot: u64 },
    /// It is final and failed.
    Failed { slot: u64, reason: String },
    /// Its blockhash expired before it landed; it never will.
    Expired,
}

/// Decides about a transaction that is valid until `last_valid_block_height`.
pub fn decide(last_valid_block_height: u64, observation: &Observation) -> Decision {
    let Some(status) = &observation.status else {
        return decide_absent(last_valid_block_height, observation);
    };
    match (status.commitment, &status.failure) {
        (Commitment::Finalized, None) => Decision::Landed { slot: status.slot },
        (Commitment::Finalized, Some(reason)) => {
            Decision::Failed { slot: status.slot, reason: reason.clone() }
        }
        // Its fork may be abandoned, and the transaction with it.
        (Commitment::Processed, _) if observation.final_height <= last_valid_block_height => Decision::Resend,
        (Commitment::Processed | Commitment::Confirmed, _) => Decision::Wait,
    }
}

fn decide_absent(last_valid_block_height: u64, observation: &Observation) -> Decision {
    if observation.final_height <= last_valid_block_height {
        return Decision::Resend;
    }
    // Every block that could hold it is final. Only a node that has reached that point can rule it out.
    let is_caught_up = observation.status_slot >= observation.final_slot;
    if is_caught_up && observation.absences + 1 >= MIN_ABSENCES {
        Decision::Expired
    } else {
        Decision::CheckAgain
    }
}

impl Observation {
    /// The number of absences to pass to the next check.
    pub fn absences_after(&self, decision: &Decision) -> u32 {
        let counts = *decision == Decision::CheckAgain && self.status_slot >= self.final_slot;
        if counts { self.absences + 1 } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LAST: u64 = 150;

    fn absent(final_height: u64, status_slot: u64, absences: u32) -> Observation {
        Observation { final_height, final_slot: 1_000, status_slot, status: None, absences }
    }

    fn present(commitment: Commitment, failure: Option<&str>) -> Observation {
        let failure = failure.map(str::to_owned);
        let status = Some(SignatureStatus { slot: 990, commitment, failure });
        Observation { status, ..absent(100, 1_040, 0) }
    }

    #[test]
    fn an_unseen_transaction_is_sent_again_up_to_its_last_height() {
        assert_eq!(decide(LAST, &absent(LAST, 1_040, 0)), Decision::Resend);
        assert_ne!(decide(LAST, &absent(LAST + 1, 1_040, 0)), Decision::Resend);
    }

    #[test]
    fn only_a_final_transaction_has_landed_or_failed() {
        assert_eq!(decide(LAST, &present(Commitment::Processed, None)), Decision::Resend);
        assert_eq!(decide(LAST, &present(Commitment::Confirmed, None)), Decision::Wait);
        assert_eq!(decide(LAST, &present(Commitment::Confirmed, Some("no"))), Decision::Wait);
        assert_eq!(decide(LAST, &present(Commitment::Finalized, None)), Decision::Landed { slot: 990 });
        let failed = Decision::Failed { slot: 990, reason: "no".to_owned() };
        assert_eq!(decide(LAST, &present(Commitment::Finalized, Some("no"))), failed);
    }

    #[test]
    fn expiry_needs_two_consecutive_checks_by_caught_up_nodes() {
        let first = absent(LAST + 1, 1_000, 0);
        let decision = decide(LAST, &first);
        assert_eq!(decision, Decision::CheckAgain);
        let absences = first.absences_after(&decision);
        assert_eq!(decide(LAST, &absent(LAST + 1, 1_000, absences)), Decision::Expired);

        let behind = absent(LAST + 1, 999, absences);
        let decision = decide(LAST, &behind);
        assert_eq!(decision, Decision::CheckAgain);
        assert_eq!(behind.absences_after(&decision), 0);
    }

    proptest! {
        #[test]
        fn observed_transaction_never_expires(
            height in any::<u64>(), last in any::<u64>(), slot in any::<u64>(), absences in 0u32..9,
            commitment in prop_oneof![
                Just(Commitment::Processed), Just(Commitment::Confirmed), Just(Commitment::Finalized)
            ],
        ) {
            let observation = Observation { final_height: height, final_slot: slot, absences, ..present(commitment, None) };
            prop_assert_ne!(decide(last, &observation), Decision::Expired);
        }

        #[test]
        fn transaction_that_can_still_land_never_expires(last in any::<u64>(), below in any::<u64>(), slot in any::<u64>()) {
            let height = last.saturating_sub(below);
            prop_assert_eq!(decide(last, &absent(height, slot, 9)), Decision::Resend);
        }
    }
}
