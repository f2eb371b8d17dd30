#![doc = include_str!("../README.md")]

mod count_fills;
mod fillers;
mod keep_retention;
mod read_balances;
mod request_quote;

pub use count_fills::{CountFills, Fills, FillsByFiller};
pub use fillers::{
    BreakerPolicy, BreakerState, FillerHealth, FillerLatency, FillerNameError, FillerReport, Fillers,
    NoOffer, QuoteOptions, Unfilled,
};
pub use keep_retention::{RetentionPolicy, keep_retention};
pub use read_balances::{Balances, ReadBalances};
pub use request_quote::{QuoteError, QuoteRequest, RequestQuote, Routes, is_one_click, rank_routes};
