use std::time::Duration;

use causeway_domain::ports::{Attempt, Outgoing, OutgoingEnd};
use jiff::{SignedDuration, Timestamp};

use crate::blocks::Receipt;
use crate::fees::Fees;

/// How patient a sender is.
#[derive(Clone, Debug)]
pub struct SendPolicy {
    /// After this long without being mined an attempt is replaced by a dearer one.
    pub stuck_after: Duration,
    /// No fee per gas goes above this, in wei.
    pub max_fee_per_gas: u128,
    /// How many blocks make an end final.
    pub depth: u64,
}

/// What the chain shows of a transaction.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The receipt of whichever attempt is in a block.
    pub receipt: Option<Receipt>,
    /// Blocks up to this number are final.
    pub final_block: u64,
    /// The account's next nonce in the final block.
    pub final_nonce: u64,
    /// The account's next nonce in the newest block.
    pub nonce: u64,
    /// Whether a node still has the newest attempt.
    pub known: bool,
    /// When this process first sent the newest attempt; `None` after a restart.
    pub sent_at: Option<Timestamp>,
    /// Whether every transaction of the signer before it is mined.
    pub first_in_line: bool,
}

/// What to do about a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Wait,
    /// Send the stored bytes once more.
    Rebroadcast,
    /// Sign it again with these fees, store that, and send it.
    Replace(Fees),
    /// A replacement would cost more than allowed; keep the stored one alive and tell somebody.
    TooDear(Fees),
    End(OutgoingEnd),
}

/// Decides about one transaction from what is stored, what is seen and what is usual to pay.
pub fn decide(outgoing: &Outgoing, seen: &Seen, market: &Fees, now: Timestamp, policy: &SendPolicy) -> Next {
    if let Some(receipt) = &seen.receipt {
        let hash = receipt.transaction_hash;
        let end =
            if receipt.status == 1 { OutgoingEnd::Succeeded(hash) } else { OutgoingEnd::Reverted(hash) };
        return if receipt.block_number <= seen.final_block { Next::End(end) } else { Next::Wait };
    }
    if seen.final_nonce > outgoing.nonce {
        return Next::End(OutgoingEnd::Superseded);
    }
    let Some(last) = outgoing.attempts.last() else { return Next::Wait };
    if seen.nonce > outgoing.nonce {
        // Mined, by us or by another, and not final yet.
        return Next::Wait;
    }
    let Some(sent_at) = seen.sent_at else { return Next::Rebroadcast };
    let patience = SignedDuration::try_from(policy.stuck_after).unwrap_or(SignedDuration::MAX);
    let stuck = now.duration_since(sent_at) >= patience;
    // Behind another that waits, more money would not help.
    if stuck && seen.first_in_line {
        let fees = offered(last).replacement(market);
        return if fees.ceiling() <= policy.max_fee_per_gas {
            Next::Replace(fees)
        } else {
            Next::TooDear(fees)
        };
    }
    if seen.known { Next::Wait } else { Next::Rebroadcast }
}

/// What an attempt offers to pay.
fn offered(attempt: &Attempt) -> Fees {
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

    fn waiting() -> Seen {
        Seen {
            nonce: 5,
            final_nonce: 5,
            final_block: 10,
            known: true,
            sent_at: Some(at(0)),
            first_in_line: true,
            ..Seen::default()
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
        }
    }

    fn next(seen: &Seen, second: i64) -> Next {
        decide(&outgoing(80), seen, &MARKET, at(second), &policy())
    }

    #[test]
    fn each_situation_has_one_answer() {
        let hash = B256::repeat_byte(1);
        let dearer = Fees::Eip1559 { max_fee: 91, priority_fee: 10 };
        for (name, seen, second, expected) in [
            ("young and known", waiting(), 59, Next::Wait),
            (
                "after a restart the stored bytes go out again",
                Seen { sent_at: None, ..waiting() },
                900,
                Next::Rebroadcast,
            ),
            ("dropped by the node", Seen { known: false, ..waiting() }, 5, Next::Rebroadcast),
            ("stuck", waiting(), 60, Next::Replace(dearer)),
            ("stuck behind another", Seen { first_in_line: false, ..waiting() }, 60, Next::Wait),
            ("mined, not final", Seen { receipt: Some(receipt(11, 1)), ..waiting() }, 900, Next::Wait),
            ("nonce spent, receipt not seen yet", Seen { nonce: 6, ..waiting() }, 900, Next::Wait),
            (
                "final",
                Seen { receipt: Some(receipt(10, 1)), final_nonce: 6, ..waiting() },
                1,
                Next::End(OutgoingEnd::Succeeded(hash)),
            ),
            (
                "final and reverted",
                Seen { receipt: Some(receipt(9, 0)), ..waiting() },
                1,
                Next::End(OutgoingEnd::Reverted(hash)),
            ),
            (
                "nonce gone to another",
                Seen { final_nonce: 6, nonce: 6, ..waiting() },
                1,
                Next::End(OutgoingEnd::Superseded),
            ),
        ] {
            assert_eq!(next(&seen, second), expected, "{name}");
        }
    }

    #[test]
    fn no_replacement_goes_above_the_limit() {
        let next = decide(&outgoing(950), &waiting(), &MARKET, at(60), &policy());
        assert!(matches!(next, Next::TooDear(_)), "{next:?}");
    }

    proptest! {
        #[test]
        fn nothing_ends_before_it_is_final_and_replacements_pay_an_eighth_more(
            mined in prop::option::of((0u64..20, 0u64..2)), final_block in 0u64..20, nonces in (0u64..10, 0u64..10),
            known in any::<bool>(), sent in prop::option::of(0i64..200), first_in_line in any::<bool>(), max in 1u128..2_000,
        ) {
            let seen = Seen {
                receipt: mined.map(|(block, status)| receipt(block, status)),
                final_block, final_nonce: nonces.0.min(nonces.1), nonce: nonces.1, known, first_in_line,
                sent_at: sent.map(at),
            };
            match decide(&outgoing(max), &seen, &MARKET, at(200), &policy()) {
                Next::End(OutgoingEnd::Superseded) => prop_assert!(seen.final_nonce > 5 && seen.receipt.is_none()),
                Next::End(_) => prop_assert!(seen.receipt.unwrap().block_number <= final_block),
                Next::Replace(fees) => {
                    prop_assert!(fees.ceiling() * 8 >= max * 9 && fees.ceiling() <= 1_000);
                    prop_assert!(seen.receipt.is_none() && seen.nonce <= 5 && first_in_line);
                }
                Next::Wait | Next::Rebroadcast | Next::TooDear(_) => {}
            }
        }
    }
}
