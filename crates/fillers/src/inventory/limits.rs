use alloy_primitives::U256;
use causeway_domain::ports::Refusal;
use causeway_domain::{RawAmount, TradeType};

use super::pricing::Pricing;
use super::wide::{WHOLE, Wide, ceil, product, saturate};

/// What holds an order back, first in units of the input, inventory in units of the output.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The least input that is worth the while.
    pub(super) least: U256,
    /// The most that one order may bring.
    pub(super) order: U256,
    /// The most that may be taken on from this origin.
    pub(super) exposure: U256,
    /// The most that can be delivered.
    pub(super) inventory: U256,
}

/// The least input of which gas is no more than `share` millionths, rounded up; saturates.
pub(super) fn least_for_gas(gas: U256, share: u32) -> U256 {
    let parts = product([gas, U256::from(WHOLE)]);
    parts.and_then(|parts| ceil(parts, Wide::from(share))).map_or(U256::MAX, saturate)
}

/// Which limit is the narrowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Narrowest {
    Order,
    Exposure,
    Inventory,
}

/// Refuses an amount outside of the limits. The limits it tells are exact: both are accepted, the next unit is not.
pub(super) fn check(
    trade: TradeType,
    asked: U256,
    pricing: &Pricing,
    limits: &Limits,
) -> Result<(), Refusal> {
    let (least, most) = match trade {
        TradeType::ExactInput => input_bounds(pricing, limits),
        TradeType::ExactOutput => output_bounds(pricing, limits),
    };
    let (most, narrowest) = [
        (most.order, Narrowest::Order),
        (most.exposure, Narrowest::Exposure),
        (most.inventory, Narrowest::Inventory),
    ]
    .into_iter()
    .min_by_key(|(amount, _)| *amount)
    .unwrap_or((U256::ZERO, Narrowest::Order));
    if most < least {
        return Err(match narrowest {
            Narrowest::Inventory => Refusal::NoInventory,
            Narrowest::Exposure => {
                Refusal::Other("no more is taken from this chain until earlier orders are paid".to_owned())
            }
            Narrowest::Order => {
                Refusal::Other("gas costs more now than an order of this pair may".to_owned())
            }
        });
    }
    if asked < least {
        return Err(Refusal::TooSmall { minimum: RawAmount::new(least) });
    }
    if asked > most {
        return Err(Refusal::TooLarge { maximum: RawAmount::new(most) });
    }
    Ok(())
}

/// The most that each limit lets through, in the asked token.
struct Most {
    order: U256,
    exposure: U256,
    inventory: U256,
}

fn input_bounds(pricing: &Pricing, limits: &Limits) -> (U256, Most) {
    // Below this, nothing would come out.
    let first = pricing.input_for(U256::ONE).unwrap_or(U256::MAX);
    // The last input before the output outgrows what can be delivered.
    let beyond = limits.inventory.checked_add(U256::ONE).and_then(|beyond| pricing.input_for(beyond));
    let inventory = beyond.map_or(U256::MAX, |beyond| beyond.saturating_sub(U256::ONE));
    (limits.least.max(first), Most { order: limits.order, exposure: limits.exposure, inventory })
}

fn output_bounds(pricing: &Pricing, limits: &Limits) -> (U256, Most) {
    // The least output whose input is not below the least input: one more than the last input below it buys.
    let below = pricing.output_for(limits.least.saturating_sub(U256::ONE));
    let most = Most {
        order: pricing.output_for(limits.order),
        exposure: pricing.output_for(limits.exposure),
        inventory: limits.inventory,
    };
    (below.saturating_add(U256::ONE), most)
}
