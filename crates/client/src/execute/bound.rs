use std::fmt;
use std::sync::Arc;

use alloy_primitives::{U256, U512};
use causeway_wire::QuoteAsk;

use super::check::number;
use crate::answers::{Route, RouteQuote};
use crate::{Error, known_decimals};

/// The default tolerance of a price reference: one percent.
const DEFAULT_TOLERANCE_MILLIONTHS: u32 = 10_000;
const MILLION: u32 = 1_000_000;

/// The worst price that the caller accepts. Every swap needs a bound, because the price comes from the service.
#[derive(Clone)]
pub enum Bound {
    /// For exact input: the minimum output, in raw units.
    MinAmountOut(String),
    /// For exact output: the maximum input, in raw units.
    MaxAmountIn(String),
    /// A price that does not come from the service.
    Price(PriceReference),
    /// Confirms the selected route, for example with the user. Nothing is signed unless it is confirmed.
    Confirmed(Confirm),
}

/// Confirms the selected route.
pub type Confirm = Arc<dyn Fn(&Route) -> bool + Send + Sync>;

impl Bound {
    /// A bound by confirmation of the selected route.
    pub fn confirmed(confirm: impl Fn(&Route) -> bool + Send + Sync + 'static) -> Self {
        Self::Confirmed(Arc::new(confirm))
    }
}

impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MinAmountOut(amount) => f.debug_tuple("MinAmountOut").field(amount).finish(),
            Self::MaxAmountIn(amount) => f.debug_tuple("MaxAmountIn").field(amount).finish(),
            Self::Price(price) => f.debug_tuple("Price").field(price).finish(),
            Self::Confirmed(_) => f.write_str("Confirmed"),
        }
    }
}

/// The prices of both tokens, from a source other than the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriceReference {
    from: String,
    to: String,
    tolerance_millionths: u32,
    from_decimals: Option<u8>,
    to_decimals: Option<u8>,
}

impl PriceReference {
    /// The prices of one whole input and output token in one currency, as decimals; the swap may cost one percent.
    pub fn new(from: &str, to: &str) -> Self {
        Self {
            from: from.to_owned(),
            to: to.to_owned(),
            tolerance_millionths: DEFAULT_TOLERANCE_MILLIONTHS,
            from_decimals: None,
            to_decimals: None,
        }
    }

    /// The share that the swap may cost, in millionths, below one million. Small amounts need more, for gas.
    #[must_use]
    pub const fn with_tolerance_millionths(mut self, millionths: u32) -> Self {
        self.tolerance_millionths = millionths;
        self
    }

    /// The decimals of the input and output token, needed for those that the SDK does not know itself.
    #[must_use]
    pub const fn with_decimals(mut self, from: Option<u8>, to: Option<u8>) -> Self {
        (self.from_decimals, self.to_decimals) = (from, to);
        self
    }
}

/// A bound in raw units, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    is_output: bool,
    amount: U256,
    /// How the amount was derived, as text for users.
    reason: String,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = if self.is_output { "minAmountOut of at least" } else { "amountIn of at most" };
        write!(f, "{side} {} ({})", self.amount, self.reason)
    }
}

impl Limit {
    /// Whether the output has a minimum; otherwise the input has a maximum.
    pub const fn is_output(&self) -> bool {
        self.is_output
    }

    /// The bound in raw units.
    pub fn amount(&self) -> String {
        self.amount.to_string()
    }

    /// Where the bound comes from, as text for users.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// The limit of this request; `None` if only a confirmation decides.
    pub(super) fn read(ask: &QuoteAsk, bound: &Bound) -> Result<Option<Self>, Error> {
        let is_output = ask.trade_type != "EXACT_OUTPUT";
        let own = |amount: &str| {
            let amount = number(amount)
                .ok_or_else(|| unusable(format!("{amount:?} is not an amount in raw units")))?;
            Ok(Some(Self { is_output, amount, reason: "the caller's bound".to_owned() }))
        };
        match bound {
            Bound::Confirmed(_) => Ok(None),
            Bound::MinAmountOut(amount) if is_output => own(amount),
            Bound::MaxAmountIn(amount) if !is_output => own(amount),
            Bound::MinAmountOut(_) => Err(unusable("an exact output needs a maximum input".to_owned())),
            Bound::MaxAmountIn(_) => Err(unusable("an exact input needs a minimum output".to_owned())),
            Bound::Price(price) => price.limit(ask, is_output).map(Some).map_err(unusable),
        }
    }

    /// Describes how the route violates the limit.
    pub(super) fn violation(&self, quote: &RouteQuote) -> Option<String> {
        let Self { is_output, amount, reason } = self;
        if *is_output {
            let least = quote.min_amount_out.as_deref();
            let is_enough = least.and_then(number).is_some_and(|least| least >= *amount);
            let is = least.unwrap_or("missing");
            return (!is_enough)
                .then(|| format!("minAmountOut is {is}, expected at least {amount} ({reason})"));
        }
        let is_within = number(&quote.amount_in).is_some_and(|input| input <= *amount);
        let is = &quote.amount_in;
        (!is_within).then(|| format!("amountIn is {is}, expected at most {amount} ({reason})"))
    }
}

fn unusable(problem: String) -> Error {
    Error::InvalidBound(problem)
}

impl PriceReference {
    /// The limit that the reference gives, less the tolerance; rounded in favour of the caller.
    fn limit(&self, ask: &QuoteAsk, is_output: bool) -> Result<Limit, String> {
        let share = self.tolerance_millionths;
        if share >= MILLION {
            return Err("the tolerance must be below one".to_owned());
        }
        let from_unit = unit(ask.from_chain_id, &ask.from_token, self.from_decimals)?;
        let to_unit = unit(ask.to_chain_id, &ask.to_token, self.to_decimals)?;
        let ((from_price, from_scale), (to_price, to_scale)) = (decimal(&self.from)?, decimal(&self.to)?);
        let product = |factors: [U512; 3]| factors.into_iter().try_fold(U512::ONE, U512::checked_mul);
        let too_large = || "the numbers are too large".to_owned();
        // One raw unit of input is worth `input` raw units of output to one of `output`.
        let input = product([from_price, to_scale, to_unit]).ok_or_else(too_large)?;
        let output = product([to_price, from_scale, from_unit]).ok_or_else(too_large)?;
        let amount = number(&ask.amount).ok_or_else(|| format!("{:?} is not an amount", ask.amount))?;
        let amount = U512::from(amount);
        let million = U512::from(MILLION);
        let (top, bottom, part) =
            if is_output { (input, output, MILLION - share) } else { (output, input, MILLION + share) };
        let top = product([amount, top, U512::from(part)]).ok_or_else(too_large)?;
        let bottom = bottom.checked_mul(million).ok_or_else(too_large)?;
        let amount = if is_output { top.div_ceil(bottom) } else { top / bottom };
        let amount = U256::checked_from_limbs_slice(amount.as_limbs()).ok_or_else(too_large)?;
        let percent = format!("{}.{:04}", share / 10_000, share % 10_000);
        let percent = percent.trim_end_matches('0').trim_end_matches('.');
        let reason = format!("within {percent} % of the reference price, {} to {}", self.from, self.to);
        Ok(Limit { is_output, amount, reason })
    }
}

fn unit(chain_id: u64, token: &str, given: Option<u8>) -> Result<U512, String> {
    let decimals = match (known_decimals(chain_id, token), given) {
        (Some(known), Some(given)) if known != given => {
            return Err(format!("{token} has {known} decimals, not {given}"));
        }
        (known, given) => known
            .or(given)
            .ok_or_else(|| format!("the decimals of {token} are not known: pass them with the price"))?,
    };
    U512::from(10).checked_pow(U512::from(decimals)).ok_or_else(|| "too many decimals".to_owned())
}

/// A decimal as a numerator and its power of ten.
fn decimal(text: &str) -> Result<(U512, U512), String> {
    let bad = || format!("a price must be a positive decimal, not {text:?}");
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.len() <= 30 && text.bytes().all(|digit| digit.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(part) || text.ends_with('.') {
        return Err(bad());
    }
    let numerator: U512 = format!("{whole}{part}").parse().map_err(|_| bad())?;
    if numerator.is_zero() {
        return Err(bad());
    }
    Ok((numerator, U512::from(10).pow(U512::from(part.len()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(trade_type: &str, amount: &str) -> QuoteAsk {
        QuoteAsk {
            trade_type: trade_type.to_owned(),
            from_chain_id: 8453,
            from_token: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913".to_owned(),
            to_chain_id: 1,
            to_token: format!("0x{}", "0".repeat(40)),
            amount: amount.to_owned(),
            ..QuoteAsk::default()
        }
    }

    fn limit(trade_type: &str, amount: &str, price: PriceReference) -> Result<Option<U256>, String> {
        Limit::read(&ask(trade_type, amount), &Bound::Price(price))
            .map(|limit| limit.map(|limit| limit.amount))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn price_gives_a_limit_rounded_in_favour_of_the_caller() {
        // 3,500 dollars for an ether: 3,500 USDC are worth one, of which 99 % must arrive.
        let price = || PriceReference::new("1", "3500");
        assert_eq!(
            limit("EXACT_INPUT", "3500000000", price()),
            Ok(Some(U256::from(990_000_000_000_000_000_u64)))
        );
        assert_eq!(
            limit("EXACT_OUTPUT", "1000000000000000000", price()),
            Ok(Some(U256::from(3_535_000_000_u64)))
        );
        assert_eq!(
            limit("EXACT_INPUT", "1", PriceReference::new("1.5", "3500.25")),
            Ok(Some(U256::from(424_255_411_u64)))
        );
        assert_eq!(limit("EXACT_OUTPUT", "1", price()), Ok(Some(U256::ZERO)));
        let exact = price().with_tolerance_millionths(0);
        assert_eq!(limit("EXACT_INPUT", "3500000000", exact), Ok(Some(U256::from(10).pow(U256::from(18)))));
    }

    #[test]
    fn unusable_bounds_are_rejected() {
        for (price, says) in [
            (PriceReference::new("0", "1"), "positive decimal"),
            (PriceReference::new("1", "-1"), "positive decimal"),
            (PriceReference::new("1.", "1"), "positive decimal"),
            (PriceReference::new("1", "1").with_tolerance_millionths(1_000_000), "tolerance"),
            (PriceReference::new("1", "1").with_decimals(Some(18), None), "has 6 decimals, not 18"),
        ] {
            let problem = limit("EXACT_INPUT", "1", price).unwrap_err();
            assert!(problem.contains(says), "{problem}");
        }
        let unknown = QuoteAsk {
            from_token: "0x1212121212121212121212121212121212121212".to_owned(),
            ..ask("EXACT_INPUT", "1")
        };
        let problem = Limit::read(&unknown, &Bound::Price(PriceReference::new("1", "1"))).unwrap_err();
        assert!(problem.to_string().contains("are not known"), "{problem}");
        for (trade, bound) in [
            ("EXACT_INPUT", Bound::MaxAmountIn("1".to_owned())),
            ("EXACT_OUTPUT", Bound::MinAmountOut("1".to_owned())),
            ("EXACT_INPUT", Bound::MinAmountOut("1.5".to_owned())),
        ] {
            assert!(Limit::read(&ask(trade, "1"), &bound).is_err(), "{bound:?}");
        }
    }
}
