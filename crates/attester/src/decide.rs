use causeway_domain::ports::{EscrowState, FillRecord, NoAttestation};
use causeway_domain::{Attestation, Terms};

/// What stands in final blocks of an order's two chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Where the order stands at its escrow.
    pub state: EscrowState,
    /// The time of the destination's final block that `fill` was looked for in.
    pub destination_time: u64,
    pub fill: Option<FillRecord>,
}

/// What an honest attester says of an order, or why it says nothing.
///
/// Attesters must sign the very same words for their signatures to add up. So an unfilled order's time is the first
/// second past its deadline, of which they all know alike, and not the time at which each of them happened to look.
pub fn decide(terms: &Terms, facts: &Facts) -> Result<Attestation, NoAttestation> {
    match facts.state {
        EscrowState::Open => {}
        EscrowState::Unknown => return Err(NoAttestation::NotOpen(terms.origin_chain_id)),
        EscrowState::Claimed | EscrowState::Refunded => return Err(NoAttestation::Ended),
    }
    let order = terms.id();
    match facts.fill {
        Some(FillRecord { filled_at, .. }) if filled_at > terms.fill_deadline => {
            Err(NoAttestation::FilledLate)
        }
        Some(FillRecord { filled_at, reference }) => {
            Ok(Attestation::Filled { order, filled_at, fill_ref: reference })
        }
        None if facts.destination_time > terms.fill_deadline => {
            Ok(Attestation::Unfilled { order, destination_time: terms.fill_deadline.saturating_add(1) })
        }
        None => Err(NoAttestation::Undecided { chain: terms.destination_chain_id }),
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::B256;
    use proptest::prelude::*;

    use super::*;

    const DEADLINE: u64 = 1_000;

    fn terms() -> Terms {
        let words = [B256::with_last_byte(1); Terms::WORDS];
        let terms = Terms::from_bytes(&words.concat()).unwrap();
        Terms { origin_chain_id: 1, destination_chain_id: 10, fill_deadline: DEADLINE, ..terms }
    }

    fn fill(filled_at: u64) -> FillRecord {
        FillRecord { filled_at, reference: B256::repeat_byte(0xf1) }
    }

    fn said(
        state: EscrowState,
        destination_time: u64,
        fill: Option<FillRecord>,
    ) -> Result<Attestation, &'static str> {
        decide(&terms(), &Facts { state, destination_time, fill }).map_err(|why| match why {
            NoAttestation::NotOpen(1) => "not open",
            NoAttestation::Ended => "ended",
            NoAttestation::FilledLate => "late",
            NoAttestation::Undecided { chain: 10 } => "undecided",
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn rule_11_signs_only_what_stands_in_final_blocks_while_the_order_is_open() {
        use EscrowState::{Claimed, Open, Refunded, Unknown};
        let order = terms().id();
        let filled =
            |filled_at| Ok(Attestation::Filled { order, filled_at, fill_ref: B256::repeat_byte(0xf1) });
        let unfilled = Ok(Attestation::Unfilled { order, destination_time: DEADLINE + 1 });
        let table = [
            // The fill stands.
            (Open, 500, Some(fill(400)), filled(400)),
            (Open, 5_000, Some(fill(400)), filled(400)),
            (Open, DEADLINE, Some(fill(DEADLINE)), filled(DEADLINE)),
            // It does not, at the very second of the deadline, one before and one after.
            (Open, DEADLINE - 1, None, Err("undecided")),
            (Open, DEADLINE, None, Err("undecided")),
            (Open, DEADLINE + 1, None, unfilled),
            (Open, DEADLINE + 50_000, None, unfilled),
            // A settler that records what it must refuse is believed in neither direction.
            (Open, DEADLINE + 5, Some(fill(DEADLINE + 1)), Err("late")),
            // The order was never opened, or its opening is not final or was reorganised away.
            (Unknown, 500, Some(fill(400)), Err("not open")),
            (Unknown, DEADLINE + 1, None, Err("not open")),
            // Somebody was faster.
            (Claimed, 500, Some(fill(400)), Err("ended")),
            (Refunded, 500, Some(fill(400)), Err("ended")),
            (Refunded, DEADLINE + 1, None, Err("ended")),
        ];
        for (state, time, fill, wanted) in table {
            assert_eq!(said(state, time, fill), wanted, "{state:?} at {time} with {fill:?}");
        }
    }

    proptest! {
        #[test]
        fn rule_6_and_7_whatever_is_signed_is_what_the_escrow_would_take(
            time in any::<u64>(), filled_at in proptest::option::of(any::<u64>()), deadline in any::<u64>(),
        ) {
            let terms = Terms { fill_deadline: deadline, ..terms() };
            let facts = Facts { state: EscrowState::Open, destination_time: time, fill: filled_at.map(fill) };
            match decide(&terms, &facts) {
                Ok(Attestation::Filled { filled_at: at, .. }) => {
                    prop_assert!(at <= deadline && filled_at == Some(at));
                }
                Ok(Attestation::Unfilled { destination_time, .. }) => {
                    prop_assert!(destination_time > deadline && destination_time <= time && filled_at.is_none());
                }
                Err(_) => prop_assert!(filled_at.map_or(time <= deadline, |at| at > deadline)),
            }
        }
    }
}
