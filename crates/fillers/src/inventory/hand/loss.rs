use alloy_primitives::U256;
use causeway_domain::Order;
use causeway_domain::ports::Refusal;

use crate::inventory::filler::InventoryFiller;
use crate::inventory::swap::price_now;
use crate::inventory::wide::{WHOLE, Wide, ceil, product, saturate};

/// What delivering an order would mean at the prices of this moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outlook {
    /// Bearable; what is lost by it, in units of the input, rounded up.
    Fair(U256),
    /// It would cost more above what the input buys now than the filler bears.
    Loss,
    /// A price, the gas or a vault's rate is not known now.
    Unknown,
    /// The filler has stopped trading this; in words.
    Halted(String),
}

/// Compares what was promised with what the filler would offer for the same input now, however large it is.
pub(super) fn outlook(filler: &InventoryFiller, order: &Order) -> Outlook {
    let pricing = match price_now(filler, &order.from, &order.to, order.method) {
        Ok(pricing) => pricing,
        Err(Refusal::NoPrice) => return Outlook::Unknown,
        Err(refusal) => return Outlook::Halted(refusal.to_string()),
    };
    let terms = &order.terms;
    let today = pricing.output_for(terms.amount_in.saturating_sub(terms.referrer_fee));
    if exceeds(terms.amount_out, today, filler.config.max_loss) {
        return Outlook::Loss;
    }
    Outlook::Fair(loss(terms.amount_in, terms.amount_out, today))
}

/// The part of the input that is as much of it as `promised` is above `today`, rounded up.
fn loss(amount_in: U256, promised: U256, today: U256) -> U256 {
    let above = promised.saturating_sub(today);
    let part = product([amount_in, above]).and_then(|part| ceil(part, Wide::from(today)));
    // Nothing comes of nothing: an output of zero today makes all of it a loss.
    part.map_or(if above.is_zero() { U256::ZERO } else { U256::MAX }, saturate)
}

/// Whether `promised` is above `today` by more than `most` millionths of it.
fn exceeds(promised: U256, today: U256, most: u32) -> bool {
    let whole = U256::from(WHOLE);
    let bearable = product([today, whole.saturating_add(U256::from(most))]);
    // Neither product outgrows 1,024 bits.
    product([promised, whole]) > bearable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_is_the_inputs_part_that_is_promised_too_much_rounded_up() {
        let loss =
            |promised: u64, today: u64| loss(U256::from(1_000), U256::from(promised), U256::from(today));
        assert_eq!(loss(102, 100), U256::from(20));
        assert_eq!(loss(100, 99), U256::from(11));
        assert_eq!((loss(100, 100), loss(99, 100), loss(0, 0)), (U256::ZERO, U256::ZERO, U256::ZERO));
        assert_eq!(loss(1, 0), U256::MAX);
    }

    #[test]
    fn rule_14_two_percent_are_borne_and_one_unit_more_is_not() {
        let exceeds = |promised: u64, today: u64| exceeds(U256::from(promised), U256::from(today), 20_000);
        assert!(!exceeds(102, 100));
        assert!(exceeds(103, 100));
        assert!(!exceeds(1_020_000, 1_000_000));
        assert!(exceeds(1_020_001, 1_000_000));
        assert!(!exceeds(50, 100));
        assert!(exceeds(1, 0));
        assert!(super::exceeds(U256::MAX, U256::MAX - U256::ONE, 0));
        assert!(!super::exceeds(U256::MAX, U256::MAX, 0));
    }
}
