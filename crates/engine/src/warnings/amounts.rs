use alloy_primitives::U256;
use causeway_domain::{Fee, RawAmount, Severity, Slippage, TokenId, Warning, WarningCode};

use crate::market::{Loss, Market, PricedToken};

/// One, in millionths.
const WHOLE: i64 = 1_000_000;

/// From which share on something is a warning, and from which on it is severe, in millionths.
struct Levels {
    warning: i64,
    severe: i64,
}

const PRICE_IMPACT: Levels = Levels { warning: 30_000, severe: 100_000 };
const HIGH_FEES: Levels = Levels { warning: 50_000, severe: 200_000 };
const SLIPPAGE: Levels = Levels { warning: 30_000, severe: 100_000 };

/// Below this tolerance a route whose output is not guaranteed rarely succeeds, in millionths.
const TIGHT_SLIPPAGE: i64 = 500;

impl Levels {
    const fn of(&self, share: i64) -> Option<Severity> {
        if share >= self.severe {
            Some(Severity::Severe)
        } else if share >= self.warning {
            Some(Severity::Warning)
        } else {
            None
        }
    }
}

/// What is known of the fees of a route.
pub(super) enum Costs<'a> {
    Listed(&'a [Fee]),
    /// All that the route keeps is fees.
    Everything,
    Unknown,
}

/// The amounts of a route.
pub(super) struct Amounts<'a> {
    pub(super) amount_in: RawAmount,
    pub(super) amount_out: RawAmount,
    pub(super) min_amount_out: RawAmount,
    pub(super) costs: Costs<'a>,
    /// As the request gave it.
    pub(super) tolerance: Option<Slippage>,
    pub(super) is_provider: bool,
}

impl Amounts<'_> {
    pub(super) fn warnings(
        &self,
        from: TokenId,
        market: Option<Market>,
        priced: impl Fn(TokenId) -> Option<PricedToken>,
    ) -> Vec<Warning> {
        let loss = market.and_then(|market| market.loss(self.amount_in, self.amount_out));
        let loss = loss.map_or(0, Loss::millionths);
        let fees = match self.costs {
            Costs::Listed(fees) => self.fee_share(fees, from, priced),
            Costs::Everything => loss,
            Costs::Unknown => 0,
        };
        let mut warnings = Vec::new();
        if let Some(severity) = HIGH_FEES.of(fees) {
            let message = format!("Fees take {} of what is paid.", percent(fees));
            warnings.push(Warning { code: WarningCode::HighFees, severity, field: None, message });
        }
        let impact = loss.saturating_sub(fees);
        if let Some(severity) = PRICE_IMPACT.of(impact) {
            let message = format!(
                "At market prices the output is worth {} less than the input, beyond the fees that are listed.",
                percent(impact)
            );
            warnings.push(Warning { code: WarningCode::PriceImpact, severity, field: None, message });
        }
        warnings.extend(self.slippage());
        warnings
    }

    /// The share of the input that the fees take, rounded up for each. A fee without a price counts nothing.
    fn fee_share(&self, fees: &[Fee], from: TokenId, priced: impl Fn(TokenId) -> Option<PricedToken>) -> i64 {
        let share = |fee: &Fee| {
            if fee.token == from {
                return share_of(fee.amount.get(), self.amount_in.get());
            }
            let paid = priced(from)?.value(self.amount_in)?;
            share_of(priced(fee.token)?.value(fee.amount)?, paid)
        };
        fees.iter().filter_map(share).fold(0, i64::saturating_add)
    }

    fn slippage(&self) -> Option<Warning> {
        let missing = self.amount_out.get().saturating_sub(self.min_amount_out.get());
        let effective = share_of(missing, self.amount_out.get()).unwrap_or(0);
        let asked = self.tolerance.map(|tolerance| i64::from(tolerance.millionths()));
        let (severity, message) = if let Some(severity) = SLIPPAGE.of(effective) {
            let message = format!(
                "The route guarantees an output {} below the one that it expects; a tolerance of 0.5 % is usual.",
                percent(effective)
            );
            (severity, message)
        } else if let Some(asked) = asked.filter(|asked| SLIPPAGE.of(*asked).is_some()) {
            let message = format!(
                "A slippage tolerance of {} is unusually large; this route makes little use of it.",
                percent(asked)
            );
            (Severity::Info, message)
        } else if let Some(asked) = asked.filter(|asked| *asked < TIGHT_SLIPPAGE && self.is_provider) {
            let message = format!(
                "A slippage tolerance of {} is so small that the swap is likely to fail.",
                percent(asked)
            );
            (Severity::Warning, message)
        } else {
            return None;
        };
        Some(Warning {
            code: WarningCode::UnusualSlippage,
            severity,
            field: Some("slippageTolerance"),
            message,
        })
    }
}

/// In millionths, rounded up.
fn share_of(part: U256, whole: U256) -> Option<i64> {
    let scaled = part.checked_mul(U256::from(WHOLE))?;
    let share = scaled.checked_add(whole.checked_sub(U256::from(1))?)?.checked_div(whole)?;
    i64::try_from(share).ok()
}

/// Rounded to a tenth of a percent; small shares to what they are.
fn percent(millionths: i64) -> String {
    if millionths < 1_000 {
        let text = RawAmount::new(U256::from(millionths.max(0).unsigned_abs())).to_decimal(4);
        return format!("{text} %");
    }
    let tenths = millionths.saturating_add(500) / 1_000;
    let (whole, tenth) = (tenths / 10, tenths % 10);
    if tenth == 0 { format!("{whole} %") } else { format!("{whole}.{tenth} %") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_rounded_up_and_shown_in_percent() {
        let share = |part: u64, whole: u64| share_of(U256::from(part), U256::from(whole));
        assert_eq!(share(1, 3), Some(333_334));
        assert_eq!((share(0, 3), share(3, 0)), (Some(0), None));
        assert_eq!(share_of(U256::MAX, U256::from(1)), None);
        for (millionths, text) in
            [(123_456, "12.3 %"), (200_000, "20 %"), (100, "0.01 %"), (0, "0 %"), (-5, "0 %")]
        {
            assert_eq!(percent(millionths), text);
        }
    }
}
