use std::fmt;

use alloy_primitives::U256;
use causeway_catalog::Snapshot;
use causeway_domain::ports::PriceFeed;
use causeway_domain::{RawAmount, TokenId, UsdAmount, UsdPrice, WriteText, power_of_ten};

/// Decimals of [`Market::rate`].
const RATE_DECIMALS: u8 = 18;

/// One, in millionths.
const WHOLE: i64 = 1_000_000;

/// A token with what its amounts are worth.
#[derive(Clone, Copy, Debug)]
pub struct PricedToken {
    pub token: TokenId,
    pub decimals: u8,
    pub price: UsdPrice,
}

impl PricedToken {
    /// `None` if the decimals or the price are not known.
    pub fn find(token: TokenId, snapshot: &Snapshot, prices: &dyn PriceFeed) -> Option<Self> {
        let decimals = snapshot.token(&token)?.token.decimals;
        Some(Self { token, decimals, price: prices.usd_price(&token)? })
    }

    /// Rounded down to the cent.
    pub fn usd(&self, amount: RawAmount) -> Option<UsdAmount> {
        self.price.value(amount, self.decimals)
    }

    /// In units of 10^-18 dollars, rounded down.
    pub(crate) fn value(&self, amount: RawAmount) -> Option<U256> {
        let scale = power_of_ten(self.decimals)?;
        amount.mul_div_floor(self.price.units().get(), scale).map(RawAmount::get)
    }
}

/// Both tokens of a swap at the market's prices.
#[derive(Clone, Copy, Debug)]
pub struct Market {
    pub from: PricedToken,
    pub to: PricedToken,
}

impl Market {
    pub fn find(from: TokenId, to: TokenId, snapshot: &Snapshot, prices: &dyn PriceFeed) -> Option<Self> {
        let find = |token| PricedToken::find(token, snapshot, prices);
        Some(Self { from: find(from)?, to: find(to)? })
    }

    /// Output tokens for one input token, without any fee; rounded down.
    pub fn rate(&self) -> Option<Decimal> {
        let one = power_of_ten(RATE_DECIMALS)?;
        let rate = self.from.price.units().mul_div_floor(one, self.to.price.units().get())?;
        Some(Decimal(rate))
    }

    /// By how much the output is worth less than the input, rounded up; negative if it is worth more.
    pub fn loss(&self, amount_in: RawAmount, amount_out: RawAmount) -> Option<Loss> {
        let (paid, received) = (self.from.value(amount_in)?, self.to.value(amount_out)?);
        let kept = RawAmount::new(received).mul_div_floor(U256::from(WHOLE), paid)?;
        WHOLE.checked_sub(i64::try_from(kept.get()).ok()?).map(Loss)
    }
}

/// A decimal with [`RATE_DECIMALS`] digits after the point at most.
#[derive(Clone, Copy, Debug)]
pub struct Decimal(RawAmount);

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_text(f)
    }
}

impl WriteText for Decimal {
    fn write_text(&self, out: &mut impl fmt::Write) -> fmt::Result {
        self.0.decimal(RATE_DECIMALS).write_text(out)
    }
}

/// A part of the input, in millionths. Shown in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss(i64);

impl Loss {
    pub const fn millionths(self) -> i64 {
        self.0
    }

    /// The lost part of an amount, rounded up; nothing for a gain.
    pub fn part_of(self, amount: u64) -> Option<u64> {
        let lost = u128::from(self.0.max(0).unsigned_abs()).checked_mul(amount.into())?;
        u64::try_from(lost.div_ceil(WHOLE.unsigned_abs().into())).ok()
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_text(f)
    }
}

impl WriteText for Loss {
    fn write_text(&self, out: &mut impl fmt::Write) -> fmt::Result {
        out.write_str(if self.0 < 0 { "-" } else { "" })?;
        // A hundred times as much, with six digits after the point.
        let percent = RawAmount::new(U256::from(self.0.unsigned_abs()).saturating_mul(U256::from(100)));
        percent.decimal(6).write_text(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_is_shown_in_percent_and_rounded_up() {
        for (millionths, text) in [(2_071, "0.2071"), (0, "0"), (-150, "-0.015"), (1_000_000, "100")] {
            assert_eq!(Loss(millionths).to_string(), text);
        }
        assert_eq!((Loss(2_071).part_of(9_907), Loss(-5).part_of(9_907)), (Some(21), Some(0)));
        assert_eq!(Loss(WHOLE).part_of(u64::MAX), Some(u64::MAX));
    }
}
