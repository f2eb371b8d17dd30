use alloy_primitives::U256;
use causeway_domain::Order;
use causeway_domain::ports::Refusal;

use crate::inventory::filler::InventoryFiller;
use crate::inventory::swap::{ClaimShare, price_now};
use crate::inventory::wide::{PPM, Wide, ceil, product, saturate};

/// What filling an order costs at current prices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LossCheck {
    /// The loss in units of the input, rounded up; zero without a loss.
    Acceptable(U256),
    /// The promised output exceeds the current one by more than the filler accepts.
    TooLarge,
    /// The deposit came after the price had expired, and delivering now would cost the filler something.
    LateAndCostly,
    /// A price, the gas price or a vault's rate is not known now.
    Unknown,
    /// The filler has stopped trading this pair, with the reason.
    Halted(String),
}

/// Compares the promised output with what the filler would offer for the same input now, without size limits. A deposit that came
/// in time may cost the filler up to its maximum; a late one nothing, or every quote would be a free option until its open deadline.
///
/// The share of a claim is the filler's own estimate: that it has grown since the quote is no move of the market, and no reason to
/// waive a deposit that came in time.
pub(super) fn check_loss(filler: &InventoryFiller, order: &Order) -> LossCheck {
    let share = if order.is_deposit_late() { ClaimShare::Learned } else { ClaimShare::Least };
    let pricing = match price_now(filler, &order.from, &order.to, order.method, share) {
        Ok(pricing) => pricing,
        Err(Refusal::NoPrice) => return LossCheck::Unknown,
        Err(refusal) => return LossCheck::Halted(refusal.to_string()),
    };
    let terms = &order.terms;
    let input = terms.amount_in.saturating_sub(terms.referrer_fee);
    let today = pricing.output_for(input);
    if order.is_deposit_late() && terms.amount_out > pricing.break_even_output_for(input) {
        return LossCheck::LateAndCostly;
    }
    if exceeds_max_loss(terms.amount_out, today, filler.config.max_loss) {
        return LossCheck::TooLarge;
    }
    LossCheck::Acceptable(loss(terms.amount_in, terms.amount_out, today))
}

/// The share of the input by which `promised` exceeds `today`, rounded up.
fn loss(amount_in: U256, promised: U256, today: U256) -> U256 {
    let above = promised.saturating_sub(today);
    let part = product([amount_in, above]).and_then(|part| ceil(part, Wide::from(today)));
    // With an output of zero today all of it is a loss.
    part.map_or(if above.is_zero() { U256::ZERO } else { U256::MAX }, saturate)
}

/// Whether `promised` exceeds `today` by more than `max_loss` millionths of it.
fn exceeds_max_loss(promised: U256, today: U256, max_loss: u32) -> bool {
    let whole = U256::from(PPM);
    let acceptable = product([today, whole.saturating_add(U256::from(max_loss))]);
    // Neither product outgrows 1,024 bits.
    product([promised, whole]) > acceptable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loss_is_the_overpromised_share_of_the_input_rounded_up() {
        let loss =
            |promised: u64, today: u64| loss(U256::from(1_000), U256::from(promised), U256::from(today));
        assert_eq!(loss(102, 100), U256::from(20));
        assert_eq!(loss(100, 99), U256::from(11));
        assert_eq!((loss(100, 100), loss(99, 100), loss(0, 0)), (U256::ZERO, U256::ZERO, U256::ZERO));
        assert_eq!(loss(1, 0), U256::MAX);
    }

    #[test]
    fn rule_14_a_loss_of_two_percent_is_accepted_and_one_unit_more_is_not() {
        let exceeds_max_loss =
            |promised: u64, today: u64| exceeds_max_loss(U256::from(promised), U256::from(today), 20_000);
        assert!(!exceeds_max_loss(102, 100));
        assert!(exceeds_max_loss(103, 100));
        assert!(!exceeds_max_loss(1_020_000, 1_000_000));
        assert!(exceeds_max_loss(1_020_001, 1_000_000));
        assert!(!exceeds_max_loss(50, 100));
        assert!(exceeds_max_loss(1, 0));
        assert!(super::exceeds_max_loss(U256::MAX, U256::MAX - U256::ONE, 0));
        assert!(!super::exceeds_max_loss(U256::MAX, U256::MAX, 0));
    }
}
