use causeway_domain::ports::{AttestationRefusal, EscrowState, FillRecord};
use causeway_domain::{Attestation, IntentTerms};

/// What the final blocks of an order's two chains show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The order's state at its escrow.
    pub state: EscrowState,
    /// The time of the destination's final block at which `fill` was read.
    pub destination_time: u64,
    pub fill: Option<FillRecord>,
}

/// The attestation that an honest attester signs for an order, or why it signs none.
///
/// Signatures only add up over identical messages. So the time of an unfilled order is the first second past its
/// deadline, which all attesters agree on, and not the time at which each of them read the chain.
pub fn decide(terms: &IntentTerms, facts: &Facts) -> Result<Attestation, AttestationRefusal> {
    match facts.state {
        EscrowState::Open => {}
        EscrowState::Unknown => return Err(AttestationRefusal::NotOpen(terms.origin_chain_id)),
        EscrowState::Claimed | EscrowState::Refunded => return Err(AttestationRefusal::Ended),
    }
    let order = terms.id();
    match facts.fill {
        Some(FillRecord { filled_at, .. }) if filled_at > terms.fill_deadline => {
            Err(AttestationRefusal::FilledLate)
        }
        Some(FillRecord { filled_at, reference }) => {
            Ok(Attestation::Filled { order, filled_at, fill_ref: reference })
        }
        None if facts.destination_time > terms.fill_deadline => {
            Ok(Attestation::Unfilled { order, destination_time: terms.fill_deadline.saturating_add(1) })
        }
        None => Err(AttestationRefusal::Undecided { chain: terms.destination_chain_id }),
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::B256;
    use proptest::prelude::*;

    use super::*;

    const DEADLINE: u64 = 1_000;

    fn terms() -> IntentTerms {
        let mut words = [B256::with_last_byte(1); IntentTerms::WORDS];
        words[0] = B256::with_last_byte(2);
        let terms = IntentTerms::from_bytes(&words.concat()).unwrap();
        IntentTerms { origin_chain_id: 1, destination_chain_id: 10, fill_deadline: DEADLINE, ..terms }
    }

    fn fill(filled_at: u64) -> FillRecord {
        FillRecord { filled_at, reference: B256::repeat_byte(0xf1) }
    }

    fn decision(
        state: EscrowState,
        destination_time: u64,
        fill: Option<FillRecord>,
    ) -> Result<Attestation, &'static str> {
        decide(&terms(), &Facts { state, destination_time, fill }).map_err(|why| match why {
            AttestationRefusal::NotOpen(1) => "not open",
            AttestationRefusal::Ended => "ended",
            AttestationRefusal::FilledLate => "late",
            AttestationRefusal::Undecided { chain: 10 } => "undecided",
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
            // The fill is final.
            (Open, 500, Some(fill(400)), filled(400)),
            (Open, 5_000, Some(fill(400)), filled(400)),
            (Open, DEADLINE, Some(fill(DEADLINE)), filled(DEADLINE)),
            // There is no fill: one second before the deadline, at it, and after it.
            (Open, DEADLINE - 1, None, Err("undecided")),
            (Open, DEADLINE, None, Err("undecided")),
            (Open, DEADLINE + 1, None, unfilled),
            (Open, DEADLINE + 50_000, None, unfilled),
            // A settler that records a fill which it must reject is trusted in neither direction.
            (Open, DEADLINE + 5, Some(fill(DEADLINE + 1)), Err("late")),
            // The order was never opened, or its opening is not final or was reorganised away.
            (Unknown, 500, Some(fill(400)), Err("not open")),
            (Unknown, DEADLINE + 1, None, Err("not open")),
            // The order has ended already.
            (Claimed, 500, Some(fill(400)), Err("ended")),
            (Refunded, 500, Some(fill(400)), Err("ended")),
            (Refunded, DEADLINE + 1, None, Err("ended")),
        ];
        for (state, time, fill, wanted) in table {
            assert_eq!(decision(state, time, fill), wanted, "{state:?} at {time} with {fill:?}");
        }
    }

    proptest! {
        #[test]
        fn rule_6_and_7_whatever_is_signed_is_what_the_escrow_would_take(
            time in any::<u64>(), filled_at in proptest::option::of(any::<u64>()), deadline in any::<u64>(),
        ) {
            let terms = IntentTerms { fill_deadline: deadline, ..terms() };
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
