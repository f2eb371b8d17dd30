use std::fmt;
use std::str::FromStr;

use alloy_primitives::U256;
use jiff::Timestamp;
use thiserror::Error;

use crate::ports::Offer;
use crate::{Address, DepositMethod, ProviderOffer, QuoteId, RawAmount, RouteId, TokenId, Warning};

/// Which side of the swap is fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TradeType {
    ExactInput,
    ExactOutput,
}

impl TradeType {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ExactInput => "EXACT_INPUT",
            Self::ExactOutput => "EXACT_OUTPUT",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::ExactInput, Self::ExactOutput].into_iter().find(|kind| kind.as_str() == text)
    }
}

/// Slippage tolerance as a fraction, in millionths to avoid floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slippage(u32);

#[derive(Debug, Error, PartialEq, Eq)]
pub enum SlippageError {
    #[error("slippageTolerance is a fraction between 0 and 0.5, for instance 0.005 for half a percent")]
    OutOfRange,
}

impl Slippage {
    /// The default tolerance: half a percent.
    pub const DEFAULT: Self = Self(5_000);

    pub const fn from_millionths(millionths: u32) -> Option<Self> {
        if millionths <= 500_000 { Some(Self(millionths)) } else { None }
    }

    pub const fn millionths(self) -> u32 {
        self.0
    }
}

impl FromStr for Slippage {
    type Err = SlippageError;

    /// Parses a decimal fraction in range, and rounds it down to millionths: a narrower tolerance than asked for protects
    /// the payer.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // A negative zero is zero.
        let unsigned = text.strip_prefix('-').filter(|rest| !rest.contains(|c| matches!(c, '1'..='9')));
        let (whole, fraction) =
            unsigned.unwrap_or(text).split_once('.').unwrap_or((unsigned.unwrap_or(text), "0"));
        let (kept, finer) = fraction.split_at_checked(6).unwrap_or((fraction, ""));
        let is_digits = |part: &str| part.bytes().all(|digit| digit.is_ascii_digit());
        if whole.is_empty() || kept.is_empty() || ![whole, kept, finer].into_iter().all(is_digits) {
            return Err(SlippageError::OutOfRange);
        }
        let digits = whole.bytes().chain(kept.bytes()).chain(std::iter::repeat_n(b'0', 6 - kept.len()));
        let add = |sum: u32, digit: u8| sum.checked_mul(10)?.checked_add(u32::from(digit - b'0'));
        let millionths = digits.into_iter().try_fold(0, add).ok_or(SlippageError::OutOfRange)?;
        let is_above = millionths == 500_000 && finer.contains(|c| c != '0');
        Self::from_millionths(millionths).filter(|_| !is_above).ok_or(SlippageError::OutOfRange)
    }
}

impl fmt::Display for Slippage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, mut part, mut digits) = (self.0 / 1_000_000, self.0 % 1_000_000, 6);
        if part == 0 {
            return whole.fmt(f);
        }
        while part % 10 == 0 {
            (part, digits) = (part / 10, digits - 1);
        }
        write!(f, "{whole}.{part:0digits$}")
    }
}

/// A swap quote request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ask {
    pub trade_type: TradeType,
    pub from: TokenId,
    pub to: TokenId,
    /// Of `from` on exact input, of `to` on exact output.
    pub amount: RawAmount,
    pub from_address: Address,
    pub recipient: Address,
    pub refund_to: Address,
    pub slippage: Option<Slippage>,
    /// Only routes with one of these methods; any when empty.
    pub deposit_methods: Vec<DepositMethod>,
    pub referral: Option<Referral>,
    /// How long after the price expires the deposit may still be opened, where the usual time is too short.
    pub deposit_window: Option<DepositWindow>,
}

/// How long a payer asks to have for its deposit, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DepositWindow(u32);

impl DepositWindow {
    pub const MIN: u64 = 600;
    /// A day: what its owners propose to a wallet is executed by then.
    pub const MAX: u64 = 86_400;

    /// A window of so many seconds, between [`DepositWindow::MIN`] and [`DepositWindow::MAX`].
    pub fn new(seconds: u64) -> Option<Self> {
        let seconds = u32::try_from(seconds).ok()?;
        (Self::MIN..=Self::MAX).contains(&u64::from(seconds)).then_some(Self(seconds))
    }

    pub fn seconds(self) -> u64 {
        self.0.into()
    }

    /// The last second in which a deposit for a price that is valid until `valid_before` is opened.
    pub fn ends_at(self, valid_before: Timestamp) -> i64 {
        valid_before.as_second().saturating_add(self.0.into())
    }
}

impl Ask {
    /// The requested slippage tolerance, or the default.
    pub fn tolerance(&self) -> Slippage {
        self.slippage.unwrap_or(Slippage::DEFAULT)
    }
}

/// The referrer and its share of the input, paid when the filler claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Referral {
    /// An address of the source chain's family.
    pub referrer: Address,
    fee_bps: u16,
}

impl Referral {
    /// The maximum referrer fee, in basis points.
    pub const MAX_FEE_BPS: u16 = 1_000;

    pub const fn new(referrer: Address, fee_bps: u16) -> Option<Self> {
        if fee_bps <= Self::MAX_FEE_BPS { Some(Self { referrer, fee_bps }) } else { None }
    }

    pub const fn fee_bps(self) -> u16 {
        self.fee_bps
    }

    /// The referrer's share of `amount_in`, rounded down in the filler's favor.
    pub fn fee(self, amount_in: RawAmount) -> RawAmount {
        let (bps, whole) = (U256::from(self.fee_bps), U256::from(10_000));
        let (tens, rest) = amount_in.get().div_rem(whole);
        // The result is below the input, so neither part overflows.
        RawAmount::new(tens.saturating_mul(bps).saturating_add(rest.saturating_mul(bps) / whole))
    }
}

/// A quote request and its routes. It is not stored: each route's id holds what an order is built from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    pub id: QuoteId,
    pub ask: Ask,
    pub integrator: Option<String>,
    pub routes: Vec<Route>,
}

/// Whether an exact output is guaranteed or targeted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExactOutMethod {
    Native,
    Adaptive,
}

impl ExactOutMethod {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Adaptive => "adaptive",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Native, Self::Adaptive].into_iter().find(|method| method.as_str() == text)
    }
}

/// One filler's offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    pub id: RouteId,
    pub filler: String,
    /// The kind of filler: `native-filler`, `rfq`, …
    pub kind: String,
    pub exact_out: Option<ExactOutMethod>,
    pub deposit_methods: Vec<DepositMethod>,
    pub amount_in: RawAmount,
    pub amount_out: RawAmount,
    pub min_amount_out: RawAmount,
    pub expected_duration_seconds: u32,
    pub valid_before: Timestamp,
    pub price_holds_until: Option<Timestamp>,
    pub estimated_gas: Option<RawAmount>,
    pub fees: Vec<Fee>,
    /// The filler's addresses at the escrow; absent where third-party contracts are used.
    pub parties: Option<Parties>,
    /// The filler's own id of its offer.
    pub filler_quote: Option<String>,
    /// What the price contains for the fees of the filler's transactions; absent where the filler does not say.
    pub gas_charge: Option<GasCharge>,
    /// Present where the filler settles through contracts of its own.
    pub provider: Option<ProviderOffer>,
    /// What the payer should know before paying.
    pub warnings: Vec<Warning>,
}

impl Route {
    pub fn new(id: RouteId, filler: &str, kind: &str, offer: Offer) -> Self {
        Self {
            id,
            filler: filler.to_owned(),
            kind: kind.to_owned(),
            exact_out: offer.exact_out,
            deposit_methods: offer.deposit_methods,
            amount_in: offer.amount_in,
            amount_out: offer.amount_out,
            min_amount_out: offer.min_amount_out,
            expected_duration_seconds: offer.expected_duration_seconds,
            valid_before: offer.valid_before,
            price_holds_until: offer.price_holds_until,
            estimated_gas: offer.estimated_gas,
            fees: offer.fees,
            parties: offer.parties,
            filler_quote: offer.filler_quote,
            gas_charge: offer.gas_charge,
            provider: offer.provider,
            warnings: Vec::new(),
        }
    }
}

/// What a price contains for the network fees of each transaction, margin included and rent left out, in the smallest units of
/// the coin that pays them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GasCharge {
    /// On the destination chain.
    pub fill: RawAmount,
    /// One order's share of its claim, on the source chain.
    pub claim: RawAmount,
    /// Opening the order for the payer, on the source chain; zero where the payer opens it.
    pub opening: RawAmount,
}

/// The filler's two addresses on the source chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parties {
    /// May refund the deposit before its deadline.
    pub filler: Address,
    /// Receives the claim.
    pub payee: Address,
}

/// One component of the difference between input and output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fee {
    pub kind: FeeKind,
    pub token: TokenId,
    pub amount: RawAmount,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FeeKind {
    Filler,
    Gas,
    Referrer,
    Protocol,
}

impl FeeKind {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Filler => "filler",
            Self::Gas => "gas",
            Self::Referrer => "referrer",
            Self::Protocol => "protocol",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Filler, Self::Gas, Self::Referrer, Self::Protocol]
            .into_iter()
            .find(|kind| kind.as_str() == text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_referrers_fee_is_its_share_of_the_input_rounded_down() {
        let referral = |bps| Referral::new(Address::native(crate::Family::Evm), bps);
        let fee = |bps, amount: U256| referral(bps).unwrap().fee(RawAmount::new(amount)).get();
        assert_eq!(fee(25, U256::from(1_000_000)), U256::from(2_500));
        assert_eq!(fee(25, U256::from(399)), U256::ZERO);
        assert_eq!(fee(1_000, U256::MAX), U256::MAX / U256::from(10));
        assert_eq!(referral(1_000).map(Referral::fee_bps), Some(1_000));
        assert_eq!(referral(1_001), None);
    }

    #[test]
    fn slippages_round_trip_through_text() {
        // All of them would take longer than every other test of this crate.
        for millionths in (0..=500_000).step_by(97).chain([1, 10, 499_999, 500_000]) {
            let slippage = Slippage::from_millionths(millionths).unwrap();
            assert_eq!(slippage.to_string(), RawAmount::new(U256::from(millionths)).to_decimal(6));
            assert_eq!(slippage.to_string().parse(), Ok(slippage));
        }
    }

    #[test]
    fn slippage_is_a_fraction_between_zero_and_a_half() {
        assert_eq!("0.005".parse::<Slippage>().unwrap().millionths(), 5_000);
        assert_eq!("0.5".parse::<Slippage>().unwrap().to_string(), "0.5");
        assert_eq!("0.500001".parse::<Slippage>(), Err(SlippageError::OutOfRange));
        assert_eq!("-0.1".parse::<Slippage>(), Err(SlippageError::OutOfRange));
        for (text, millionths) in [
            // 0.7/100 and 1.1/100 as JavaScript prints them.
            ("0.006999999999999999", 6_999),
            ("0.011000000000000001", 11_000),
            ("0.0000001", 0),
            ("-0", 0),
            ("0.50000000", 500_000),
        ] {
            assert_eq!(text.parse::<Slippage>().unwrap().millionths(), millionths, "{text}");
        }
        for text in ["0.5000000001", "-0.0000001", "1", "x", "0.1x", "0.1234567x", ".", ""] {
            assert_eq!(text.parse::<Slippage>(), Err(SlippageError::OutOfRange), "{text}");
        }
    }

    #[test]
    fn kinds_of_trades_and_of_fees_round_trip_through_text() {
        for kind in [TradeType::ExactInput, TradeType::ExactOutput] {
            assert_eq!(TradeType::parse(kind.as_str()), Some(kind));
        }
        for kind in [FeeKind::Filler, FeeKind::Gas, FeeKind::Referrer, FeeKind::Protocol] {
            assert_eq!(FeeKind::parse(kind.as_str()), Some(kind));
        }
        assert_eq!((TradeType::parse("EXACT"), FeeKind::parse("")), (None, None));
    }
}
