#![doc = include_str!("../README.md")]

mod build_deposit;
mod count_fills;
pub mod fiat;
mod fillers;
mod follow_chain;
mod keep_retention;
mod marks;
mod read_balances;
mod request_quote;
mod submit_deposit;
mod tend_carriers;
mod watch_addresses;
mod watch_orders;
mod work_orders;
mod worth;

pub use build_deposit::{
    BuildDeposit, BuildError, BuildParts, BuildRequest, Built, BuiltDeposit, OrderTiming,
};
pub use count_fills::{CountFills, Fills, FillsByFiller};
pub use fillers::{
    BreakerPolicy, BreakerState, FillerHealth, FillerLatency, FillerNameError, FillerReport, Fillers,
    NoOffer, QuoteOptions, Unfilled,
};
pub use follow_chain::{FollowParts, follow_chain};
pub use keep_retention::{RetentionPolicy, keep_retention};
pub use marks::Marks;
pub use read_balances::{Balances, ReadBalances};
pub use request_quote::{QuoteError, QuoteRequest, RequestQuote, Routes, is_one_click, rank_routes};
pub use submit_deposit::{Proof, SubmitDeposit, SubmitError, SubmitParts, SubmitRequest, Submitted};
pub use tend_carriers::tend_carriers;
pub use watch_addresses::{WatchAddresses, WatchPolicy};
pub use watch_orders::{OrderInterest, WatchOrders};
pub use work_orders::{WorkOrders, WorkParts};
