use alloy_primitives::U256;
use causeway_domain::ports::Refusal;
use causeway_domain::{RawAmount, TradeType};

use super::pricing::Pricing;
use super::wide::{PPM, Wide, ceil, product, saturate};

/// Limits on the size of an order: in units of the input, `inventory` in units of the output.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The smallest input that is accepted.
    pub(super) min_input: U256,
    /// Maximum input of one order.
    pub(super) order: U256,
    /// Maximum that may be taken on from this origin chain.
    pub(super) exposure: U256,
    /// Maximum that can be delivered.
    pub(super) inventory: U256,
}

/// The smallest input of which gas is at most `share` millionths, rounded up; saturates.
pub(super) fn min_input_for_gas(gas: U256, share: u32) -> U256 {
    let breakdown = product([gas, U256::from(PPM)]);
    breakdown.and_then(|breakdown| ceil(breakdown, Wide::from(share))).map_or(U256::MAX, saturate)
}

/// The limit that binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BindingLimit {
    Order,
    Exposure,
    Inventory,
}

/// Refuses an amount outside of the limits. The reported limits are exact: both are accepted, the next unit is not.
pub(super) fn check(
    trade: TradeType,
    asked: U256,
    pricing: &Pricing,
    limits: &Limits,
) -> Result<(), Refusal> {
    let (min, maximums) = match trade {
        TradeType::ExactInput => input_bounds(pricing, limits),
        TradeType::ExactOutput => output_bounds(pricing, limits),
    };
    let (max, binding) = [
        (maximums.order, BindingLimit::Order),
        (maximums.exposure, BindingLimit::Exposure),
        (maximums.inventory, BindingLimit::Inventory),
    ]
    .into_iter()
    .min_by_key(|(amount, _)| *amount)
    .unwrap_or((U256::ZERO, BindingLimit::Order));
    if max < min {
        return Err(match binding {
            BindingLimit::Inventory => Refusal::NoInventory,
            BindingLimit::Exposure => Refusal::Other(
                "no more orders are taken from this chain until earlier ones are claimed".to_owned(),
            ),
            BindingLimit::Order => {
                Refusal::Other("gas now costs more than an order of this pair may".to_owned())
            }
        });
    }
    if asked < min {
        return Err(Refusal::TooSmall { minimum: RawAmount::new(min) });
    }
    if asked > max {
        return Err(Refusal::TooLarge { maximum: RawAmount::new(max) });
    }
    Ok(())
}

/// The maximum that each limit allows, in the token of the asked amount.
struct Maximums {
    order: U256,
    exposure: U256,
    inventory: U256,
}

fn input_bounds(pricing: &Pricing, limits: &Limits) -> (U256, Maximums) {
    // Below this the output is zero.
    let first = pricing.input_for(U256::ONE).unwrap_or(U256::MAX);
    // The last input before the output outgrows what can be delivered.
    let beyond = limits.inventory.checked_add(U256::ONE).and_then(|beyond| pricing.input_for(beyond));
    let inventory = beyond.map_or(U256::MAX, |beyond| beyond.saturating_sub(U256::ONE));
    (limits.min_input.max(first), Maximums { order: limits.order, exposure: limits.exposure, inventory })
}

fn output_bounds(pricing: &Pricing, limits: &Limits) -> (U256, Maximums) {
    // The smallest output whose input is not below the minimum: one more than the last input below it buys.
    let below = pricing.output_for(limits.min_input.saturating_sub(U256::ONE));
    let maximums = Maximums {
        order: pricing.output_for(limits.order),
        exposure: pricing.output_for(limits.exposure),
        inventory: limits.inventory,
    };
    (below.saturating_add(U256::ONE), maximums)
}
