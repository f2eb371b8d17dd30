use super::SignatureStatus;
use crate::commitment::Commitment;

/// Looks in a row that must miss a transaction past its last height before it counts as dead: one node may be
/// on a fork of its own.
const ABSENCES_NEEDED: u32 = 2;

/// What one look at the chain told about a transaction that was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// The height of the newest final block, read before the status.
    pub final_height: u64,
    /// The newest final slot, read together with the height.
    pub final_slot: u64,
    /// The slot at which the status was looked up.
    pub status_slot: u64,
    pub status: Option<SignatureStatus>,
    /// Looks before this one, in a row, that were past the last height and found nothing.
    pub absences: u32,
}

/// What to do about a transaction that was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Send the same bytes again: no supermajority has seen it yet.
    SendAgain,
    /// It is on its way to being final.
    Wait,
    /// It can no longer land, but one more look must confirm that it has not.
    LookAgain,
    /// It is final and did what it should.
    Landed { slot: u64 },
    /// It is final and failed.
    Failed { slot: u64, words: String },
    /// Its blockhash died before it landed; it never will.
    Expired,
}

/// What follows from an observation of a transaction that lives until `last_valid_block_height`.
pub fn decide(last_valid_block_height: u64, seen: &Observation) -> Decision {
    let Some(status) = &seen.status else {
        return decide_absent(last_valid_block_height, seen);
    };
    match (status.commitment, &status.failure) {
        (Commitment::Finalized, None) => Decision::Landed { slot: status.slot },
        (Commitment::Finalized, Some(words)) => Decision::Failed { slot: status.slot, words: words.clone() },
        // The fork it is on may die, and with it the only copy.
        (Commitment::Processed, _) if seen.final_height <= last_valid_block_height => Decision::SendAgain,
        (Commitment::Processed | Commitment::Confirmed, _) => Decision::Wait,
    }
}

fn decide_absent(last_valid_block_height: u64, seen: &Observation) -> Decision {
    if seen.final_height <= last_valid_block_height {
        return Decision::SendAgain;
    }
    // Every block that could hold it is final. Only a node that has reached that point can say that it is in none.
    let looked_far_enough = seen.status_slot >= seen.final_slot;
    if looked_far_enough && seen.absences + 1 >= ABSENCES_NEEDED {
        Decision::Expired
    } else {
        Decision::LookAgain
    }
}

impl Observation {
    /// The number of absences to carry into the next look.
    pub fn absences_after(&self, decision: &Decision) -> u32 {
        let counts = *decision == Decision::LookAgain && self.status_slot >= self.final_slot;
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
        assert_eq!(decide(LAST, &absent(LAST, 1_040, 0)), Decision::SendAgain);
        assert_ne!(decide(LAST, &absent(LAST + 1, 1_040, 0)), Decision::SendAgain);
    }

    #[test]
    fn only_a_final_transaction_has_landed_or_failed() {
        assert_eq!(decide(LAST, &present(Commitment::Processed, None)), Decision::SendAgain);
        assert_eq!(decide(LAST, &present(Commitment::Confirmed, None)), Decision::Wait);
        assert_eq!(decide(LAST, &present(Commitment::Confirmed, Some("no"))), Decision::Wait);
        assert_eq!(decide(LAST, &present(Commitment::Finalized, None)), Decision::Landed { slot: 990 });
        let failed = Decision::Failed { slot: 990, words: "no".to_owned() };
        assert_eq!(decide(LAST, &present(Commitment::Finalized, Some("no"))), failed);
    }

    #[test]
    fn death_needs_two_looks_in_a_row_by_nodes_that_are_far_enough() {
        let first = absent(LAST + 1, 1_000, 0);
        let decision = decide(LAST, &first);
        assert_eq!(decision, Decision::LookAgain);
        let absences = first.absences_after(&decision);
        assert_eq!(decide(LAST, &absent(LAST + 1, 1_000, absences)), Decision::Expired);

        let behind = absent(LAST + 1, 999, absences);
        let decision = decide(LAST, &behind);
        assert_eq!(decision, Decision::LookAgain);
        assert_eq!(behind.absences_after(&decision), 0);
    }

    proptest! {
        #[test]
        fn a_transaction_that_a_node_has_seen_is_never_called_dead(
            height in any::<u64>(), last in any::<u64>(), slot in any::<u64>(), absences in 0u32..9,
            commitment in prop_oneof![
                Just(Commitment::Processed), Just(Commitment::Confirmed), Just(Commitment::Finalized)
            ],
        ) {
            let seen = Observation { final_height: height, final_slot: slot, absences, ..present(commitment, None) };
            prop_assert_ne!(decide(last, &seen), Decision::Expired);
        }

        #[test]
        fn nothing_is_called_dead_while_it_can_land(last in any::<u64>(), below in any::<u64>(), slot in any::<u64>()) {
            let height = last.saturating_sub(below);
            prop_assert_eq!(decide(last, &absent(height, slot, 9)), Decision::SendAgain);
        }
    }
}
