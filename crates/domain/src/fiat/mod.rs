//! Buying crypto with fiat: currencies, amounts, on-ramp quotes and orders.

mod advance;
mod currency;
mod order;
mod quote;

pub use advance::{FiatContext, FiatStep, ProviderLookup, advance_fiat};
pub use currency::{CurrencyError, FiatAmount, FiatAmountError, FiatCurrency};
pub use order::{
    FiatEvent, FiatFailure, FiatFailureSource, FiatOrder, FiatProgress, FiatStatus, Payout, Strategy,
    UnknownFiatStatus,
};
pub use quote::{
    FiatAsk, FiatQuote, ForwardingOption, PaymentMethod, QuoteFirmness, RampFee, RampFeeKind, WantedAmount,
};
