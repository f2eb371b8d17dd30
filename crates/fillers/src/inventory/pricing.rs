use alloy_primitives::U256;
use causeway_domain::{RawAmount, Referral, UsdAmount};

use super::peg::TokenPrice;
use super::spread::Spread;
use super::wide::{PPM, Wide, ceil, floor, narrow, power_of_ten, product, saturate};

/// Referral fees are counted in basis points.
const BPS: u64 = 10_000;

/// From cents to the 18 decimals of prices.
const CENT: U256 = U256::from_limbs([10_000_000_000_000_000, 0, 0, 0]);

/// Price and decimals of one side of a swap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leg {
    pub(super) price: TokenPrice,
    pub(super) decimals: u8,
}

impl Leg {
    /// How much of the token `dollars` are at the feed's price, rounded down; saturates.
    pub(super) fn at_most(&self, dollars: UsdAmount) -> Option<U256> {
        let (value, scale) = self.dollars(dollars)?;
        floor(value, scale).map(saturate)
    }

    /// The same rounded up.
    pub(super) fn at_least(&self, dollars: UsdAmount) -> Option<U256> {
        let (value, scale) = self.dollars(dollars)?;
        ceil(value, scale).map(saturate)
    }

    fn dollars(&self, dollars: UsdAmount) -> Option<(Wide, Wide)> {
        let value = product([dollars.cents().get(), CENT, power_of_ten(self.decimals)?])?;
        Some((value, Wide::from(self.price.feed)))
    }

    /// What `amount` of a coin costs in this token when the filler buys it, rounded up to one unit.
    pub(super) fn cost_of(&self, amount: U256, coin_price: U256, coin_decimals: u8) -> Option<U256> {
        let value = product([amount, coin_price, power_of_ten(self.decimals)?])?;
        let scale = product([self.price.bid, power_of_ten(coin_decimals)?])?;
        ceil(value, scale).and_then(narrow)
    }
}

/// The parameters of a price, fixed for one ask.
#[derive(Clone, Copy, Debug)]
pub(super) struct PricingTerms<'a> {
    pub(super) input: Leg,
    /// The token that the filler pays.
    pub(super) output: Leg,
    /// The rate `(assets, shares)` where the output is shares of a vault.
    pub(super) vault: Option<(U256, U256)>,
    pub(super) spread: &'a Spread,
    /// Both sides' gas, in units of the input.
    pub(super) gas: U256,
    pub(super) referral: Option<Referral>,
}

/// How an input is split, in units of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Breakdown {
    pub(super) referrer: U256,
    pub(super) gas: U256,
    pub(super) filler: U256,
    /// The value of the output at the feed's prices, rounded up to one unit.
    pub(super) delivered: U256,
}

/// A slice of the input with its own rate.
#[derive(Clone, Copy, Debug)]
struct Step {
    width: U256,
    /// Millionths of this slice that the taker keeps, never 0.
    kept: u32,
}

/// The conversion between input and output. It is exact except for two roundings, both in the filler's
/// favour: outputs are rounded down and inputs up, by less than one unit each.
#[derive(Clone, Debug)]
pub(super) struct Pricing {
    /// Output units for `divisor` millionths of input units.
    multiplier: Wide,
    divisor: Wide,
    /// Value of `fair_divisor` output units in input units at the feed's prices.
    fair_multiplier: Wide,
    fair_divisor: Wide,
    steps: Vec<Step>,
    gas: U256,
    referral: Option<Referral>,
}

impl Pricing {
    /// `None` where a price or a vault's rate is zero, or a token has too many decimals.
    pub(super) fn new(terms: &PricingTerms<'_>) -> Option<Self> {
        let PricingTerms { input, output, .. } = terms;
        let (assets, shares) = terms.vault.unwrap_or((U256::ONE, U256::ONE));
        let (unit_in, unit_out) = (power_of_ten(input.decimals)?, power_of_ten(output.decimals)?);
        let pricing = Self {
            multiplier: product([input.price.bid, unit_out, shares])?,
            divisor: product([output.price.ask, unit_in, assets, U256::from(PPM)])?,
            fair_multiplier: product([output.price.feed, unit_in, assets])?,
            fair_divisor: product([input.price.feed, unit_out, shares])?,
            steps: steps(terms.spread, input)?,
            gas: terms.gas,
            referral: terms.referral,
        };
        let zero =
            pricing.multiplier.is_zero() || pricing.divisor.is_zero() || pricing.fair_divisor.is_zero();
        (!zero).then_some(pricing)
    }

    /// What `amount_in` buys, rounded down to one unit; 0 when gas costs all of it; saturates at 256 bits.
    pub(super) fn output_for(&self, amount_in: U256) -> U256 {
        let net = amount_in.saturating_sub(self.referrer(amount_in)).saturating_sub(self.gas);
        let scaled = self.kept(net).checked_mul(self.multiplier);
        scaled.and_then(|scaled| floor(scaled, self.divisor)).map_or(U256::MAX, saturate)
    }

    /// What `amount_in` buys without the filler's spread: more than this is a loss. Rounded down to one unit; saturates.
    pub(super) fn break_even_output_for(&self, amount_in: U256) -> U256 {
        let net = amount_in.saturating_sub(self.referrer(amount_in)).saturating_sub(self.gas);
        let whole = Wide::from(net).saturating_mul(Wide::from(PPM));
        let scaled = whole.checked_mul(self.multiplier);
        scaled.and_then(|scaled| floor(scaled, self.divisor)).map_or(U256::MAX, saturate)
    }

    /// The least input that buys `amount_out`: [`Self::output_for`] gives at least that for it, and less for one unit
    /// less. `None` when no amount does.
    pub(super) fn input_for(&self, amount_out: U256) -> Option<U256> {
        if amount_out.is_zero() {
            return Some(U256::ZERO);
        }
        let wanted = ceil(Wide::from(amount_out).checked_mul(self.divisor)?, self.multiplier)?;
        let net = narrow(self.spent(wanted)?)?.checked_add(self.gas)?;
        // The input less its rounded-down fee is `input * (whole - fee) / whole` rounded up, so the least input that
        // leaves `net` is the first one above `(net - 1) * whole / (whole - fee)`.
        let fee = U256::from(self.referral.map_or(0, Referral::fee_bps));
        let whole = U256::from(BPS);
        let below = product([net.checked_sub(U256::ONE)?, whole])?;
        let least = floor(below, Wide::from(whole.checked_sub(fee)?))?.checked_add(Wide::ONE)?;
        narrow(least)
    }

    /// How `amount_in` is split when `amount_out`, not above [`Self::output_for`], is paid for it.
    pub(super) fn breakdown(&self, amount_in: U256, amount_out: U256) -> Breakdown {
        let referrer = self.referrer(amount_in);
        let rest = amount_in.saturating_sub(referrer).saturating_sub(self.gas);
        let value = Wide::from(amount_out).checked_mul(self.fair_multiplier);
        let value = value.and_then(|value| ceil(value, self.fair_divisor)).map_or(U256::MAX, saturate);
        let delivered = value.min(rest);
        Breakdown { referrer, gas: self.gas, filler: rest.saturating_sub(delivered), delivered }
    }

    fn referrer(&self, amount_in: U256) -> U256 {
        self.referral.map_or(U256::ZERO, |referral| referral.fee(RawAmount::new(amount_in)).get())
    }

    /// Millionths of input units that are left of `net` after the spread.
    fn kept(&self, net: U256) -> Wide {
        let (mut rest, mut kept) = (net, Wide::ZERO);
        for step in &self.steps {
            let part = rest.min(step.width);
            // 256 and 20 bits at most.
            kept = kept.saturating_add(Wide::from(part).saturating_mul(Wide::from(step.kept)));
            rest = rest.saturating_sub(part);
        }
        kept
    }

    /// The least `net` of which at least `wanted` is kept.
    fn spent(&self, wanted: Wide) -> Option<Wide> {
        let (mut missing, mut spent) = (wanted, Wide::ZERO);
        for step in &self.steps {
            let (width, rate) = (Wide::from(step.width), Wide::from(step.kept));
            let holds = width.checked_mul(rate)?;
            if missing <= holds {
                return spent.checked_add(ceil(missing, rate)?);
            }
            missing = missing.checked_sub(holds)?;
            spent = spent.checked_add(width)?;
        }
        None
    }
}

/// The tiers in units of the input, the last without an end.
fn steps(spread: &Spread, input: &Leg) -> Option<Vec<Step>> {
    let kept = |rate: u32| PPM.saturating_sub(rate).max(1);
    let mut steps = Vec::with_capacity(spread.tiers.len().saturating_add(1));
    let mut start = U256::ZERO;
    for tier in &spread.tiers {
        let end = input.at_most(tier.up_to)?.max(start);
        steps.push(Step { width: end.saturating_sub(start), kept: kept(tier.millionths) });
        start = end;
    }
    steps.push(Step { width: U256::MAX, kept: kept(spread.beyond) });
    Some(steps)
}

#[cfg(test)]
mod tests;
