use std::time::Duration;

use causeway_domain::ports::{Attempt, Outgoing, OutgoingEnd};
use jiff::{SignedDuration, Timestamp};

use crate::blocks::Receipt;
use crate::fees::Fees;

/// After how long a transaction that every endpoint refuses is given up.
const REFUSED_AFTER: SignedDuration = SignedDuration::from_mins(2);

/// When a sender replaces and gives up transactions.
#[derive(Clone, Debug)]
pub struct SendPolicy {
    /// An attempt that is not mined after this time is replaced with higher fees.
    pub stuck_after: Duration,
    /// The maximum fee per gas, in wei.
    pub max_fee_per_gas: u128,
    /// How many confirmations make an outcome final.
    pub depth: u64,
}

/// The state of a transaction on the chain.
#[derive(Clone, Debug, Default)]
pub struct TxObservation {
    /// The receipt of whichever attempt is in a block.
    pub receipt: Option<Receipt>,
    /// Blocks up to this number are final.
    pub final_block: u64,
    /// The account's next nonce in the final block.
    pub final_nonce: u64,
    /// The account's next nonce in the newest block.
    pub nonce: u64,
    /// Whether a node knows the newest attempt.
    pub known: bool,
    /// When this process first sent the newest attempt; `None` after a restart.
    pub sent_at: Option<Timestamp>,
    /// Whether every earlier transaction of the signer is mined.
    pub is_next_nonce: bool,
    /// Since when every endpoint that answers refuses it; `None` once one accepts it.
    pub refused_since: Option<Timestamp>,
}

/// The next step for a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextStep {
    Wait,
    /// Send the stored bytes again.
    Rebroadcast,
    /// Sign it with these fees, store the attempt and send it.
    Replace(Fees),
    /// Replace it by a transfer of nothing to ourselves with these fees, so that it does not hold later nonces.
    Cancel(Fees),
    /// A replacement would exceed the fee limit; rebroadcast the stored attempt and log a warning.
    FeeTooHigh(Fees),
    End(OutgoingEnd),
}

/// Decides the next step of one transaction from the stored attempts, the chain and the market fees.
pub fn decide(
    outgoing: &Outgoing,
    observed: &TxObservation,
    market: &Fees,
    now: Timestamp,
    policy: &SendPolicy,
) -> NextStep {
    if let Some(receipt) = &observed.receipt {
        let hash = receipt.transaction_hash;
        let end =
            if receipt.status == 1 { OutgoingEnd::Succeeded(hash) } else { OutgoingEnd::Reverted(hash) };
        return if receipt.block_number <= observed.final_block {
            NextStep::End(end)
        } else {
            NextStep::Wait
        };
    }
    if observed.final_nonce > outgoing.nonce {
        return NextStep::End(OutgoingEnd::Superseded);
    }
    let Some(last) = outgoing.attempts.last() else { return NextStep::Wait };
    if observed.nonce > outgoing.nonce {
        // Mined, by us or by another, and not final yet.
        return NextStep::Wait;
    }
    // No nonce waits for ever (rule 26).
    let is_refused = observed.refused_since.is_some_and(|since| now.duration_since(since) >= REFUSED_AFTER);
    if is_refused && observed.is_next_nonce {
        let fees = fees_of(last).replacement(market);
        return NextStep::Cancel(if fees.ceiling() <= policy.max_fee_per_gas { fees } else { *market });
    }
    let Some(sent_at) = observed.sent_at else { return NextStep::Rebroadcast };
    let patience = SignedDuration::try_from(policy.stuck_after).unwrap_or(SignedDuration::MAX);
    let stuck = now.duration_since(sent_at) >= patience;
    // Behind another pending transaction, higher fees do not help.
    if stuck && observed.is_next_nonce {
        let fees = fees_of(last).replacement(market);
        return if fees.ceiling() <= policy.max_fee_per_gas {
            NextStep::Replace(fees)
        } else {
            NextStep::FeeTooHigh(fees)
        };
    }
    if observed.known { NextStep::Wait } else { NextStep::Rebroadcast }
}

/// The fees of an attempt.
fn fees_of(attempt: &Attempt) -> Fees {
    match attempt.priority_fee_per_gas {
        Some(priority_fee) => Fees::Eip1559 { max_fee: attempt.max_fee_per_gas, priority_fee },
        None => Fees::Legacy { gas_price: attempt.max_fee_per_gas },
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{B256, U256};
    use causeway_domain::{Address, ChainId, Family};
    use proptest::prelude::*;

    use super::*;

    const MARKET: Fees = Fees::Eip1559 { max_fee: 90, priority_fee: 2 };

    fn policy() -> SendPolicy {
        SendPolicy { stuck_after: Duration::from_mins(1), max_fee_per_gas: 1_000, depth: 2 }
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap()
    }

    fn outgoing(max_fee: u128) -> Outgoing {
        let attempt = Attempt {
            hash: B256::repeat_byte(1),
            raw: vec![2],
            max_fee_per_gas: max_fee,
            priority_fee_per_gas: Some(8),
            made_at: at(0),
        };
        Outgoing {
            chain: ChainId::new(1).unwrap(),
            signer: Address::native(Family::Evm),
            nonce: 5,
            purpose: "fill".to_owned(),
            attempts: vec![attempt],
            end: None,
        }
    }

    fn waiting() -> TxObservation {
        TxObservation {
            nonce: 5,
            final_nonce: 5,
            final_block: 10,
            known: true,
            sent_at: Some(at(0)),
            is_next_nonce: true,
            ..TxObservation::default()
        }
    }

    fn receipt(block_number: u64, status: u64) -> Receipt {
        Receipt {
            transaction_hash: B256::repeat_byte(1),
            block_hash: B256::ZERO,
            block_number,
            status,
            gas_used: 1,
            effective_gas_price: U256::ZERO,
            l1_fee: None,
        }
    }

    fn next(observed: &TxObservation, second: i64) -> NextStep {
        decide(&outgoing(80), observed, &MARKET, at(second), &policy())
    }

    #[test]
    fn each_state_has_one_next_step() {
        let hash = B256::repeat_byte(1);
        let higher = Fees::Eip1559 { max_fee: 91, priority_fee: 10 };
        for (name, observed, second, expected) in [
            ("young and known", waiting(), 59, NextStep::Wait),
            (
                "after a restart the stored bytes go out again",
                TxObservation { sent_at: None, ..waiting() },
                900,
                NextStep::Rebroadcast,
            ),
            ("dropped by the node", TxObservation { known: false, ..waiting() }, 5, NextStep::Rebroadcast),
            ("stuck", waiting(), 60, NextStep::Replace(higher)),
            (
                "stuck behind another transaction",
                TxObservation { is_next_nonce: false, ..waiting() },
                60,
                NextStep::Wait,
            ),
            (
                "mined, not final",
                TxObservation { receipt: Some(receipt(11, 1)), ..waiting() },
                900,
                NextStep::Wait,
            ),
            (
                "nonce spent, receipt not observed yet",
                TxObservation { nonce: 6, ..waiting() },
                900,
                NextStep::Wait,
            ),
            (
                "final",
                TxObservation { receipt: Some(receipt(10, 1)), final_nonce: 6, ..waiting() },
                1,
                NextStep::End(OutgoingEnd::Succeeded(hash)),
            ),
            (
                "final and reverted",
                TxObservation { receipt: Some(receipt(9, 0)), ..waiting() },
                1,
                NextStep::End(OutgoingEnd::Reverted(hash)),
            ),
            (
                "nonce used by another transaction",
                TxObservation { final_nonce: 6, nonce: 6, ..waiting() },
                1,
                NextStep::End(OutgoingEnd::Superseded),
            ),
        ] {
            assert_eq!(next(&observed, second), expected, "{name}");
        }
    }

    #[test]
    fn rule_26_what_every_endpoint_refuses_for_two_minutes_is_cancelled() {
        let refused = |since: i64| TxObservation {
            known: false,
            sent_at: None,
            refused_since: Some(at(since)),
            ..waiting()
        };
        let next = |observed: &TxObservation, second| {
            decide(&outgoing(80), observed, &MARKET, at(second), &policy())
        };
        assert_eq!(next(&refused(0), 119), NextStep::Rebroadcast);
        assert!(matches!(next(&refused(0), 120), NextStep::Cancel(fees) if fees.ceiling() >= 90));
        let behind = TxObservation { is_next_nonce: false, ..refused(0) };
        assert_eq!(next(&behind, 600), NextStep::Rebroadcast, "an earlier nonce is cancelled first");
        let mined = TxObservation { receipt: Some(receipt(11, 1)), ..refused(0) };
        assert_eq!(next(&mined, 600), NextStep::Wait, "it is in a block");
        let spent = TxObservation { nonce: 6, ..refused(0) };
        assert_eq!(next(&spent, 600), NextStep::Wait, "its nonce is in a block");
    }

    #[test]
    fn no_replacement_goes_above_the_limit() {
        let next = decide(&outgoing(950), &waiting(), &MARKET, at(60), &policy());
        assert!(matches!(next, NextStep::FeeTooHigh(_)), "{next:?}");
    }

    proptest! {
        #[test]
        fn outcomes_are_final_and_replacements_pay_an_eighth_more(
            mined in prop::option::of((0u64..20, 0u64..2)), final_block in 0u64..20, nonces in (0u64..10, 0u64..10),
            known in any::<bool>(), sent in prop::option::of(0i64..200), is_next_nonce in any::<bool>(), max in 1u128..2_000,
        ) {
            let observed = TxObservation {
                receipt: mined.map(|(block, status)| receipt(block, status)),
                final_block, final_nonce: nonces.0.min(nonces.1), nonce: nonces.1, known, is_next_nonce,
                sent_at: sent.map(at), refused_since: None,
            };
            match decide(&outgoing(max), &observed, &MARKET, at(200), &policy()) {
                NextStep::End(OutgoingEnd::Superseded) => prop_assert!(observed.final_nonce > 5 && observed.receipt.is_none()),
                NextStep::End(_) => prop_assert!(observed.receipt.unwrap().block_number <= final_block),
                NextStep::Replace(fees) => {
                    prop_assert!(fees.ceiling() * 8 >= max * 9 && fees.ceiling() <= 1_000);
                    prop_assert!(observed.receipt.is_none() && observed.nonce <= 5 && is_next_nonce);
                }
                NextStep::Cancel(_) => prop_assert!(false, "nobody refused it"),
                NextStep::Wait | NextStep::Rebroadcast | NextStep::FeeTooHigh(_) => {}
            }
        }
    }
}
