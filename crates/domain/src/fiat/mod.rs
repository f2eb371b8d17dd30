//! Buying with the money of states: currencies and amounts, quotes of on-ramps, and the orders that come from them.

mod advance;
mod currency;
mod order;
mod quote;

pub use advance::{FiatStep, FiatTodo, FiatWorld, Lying, ProviderWord, advance_fiat};
pub use currency::{CurrencyError, FiatAmount, FiatAmountError, FiatCurrency};
pub use order::{
    FiatEvent, FiatFailure, FiatFailureSource, FiatOrder, FiatProgress, FiatStatus, JumpPlan, Payout,
    Strategy, UnknownFiatStatus,
};
pub use quote::{
    FiatAsk, FiatQuote, JumpOption, PaymentMethod, QuoteFirmness, RampFee, RampFeeKind, WantedAmount,
};
