#![doc = include_str!("../README.md")]

mod address;
mod amount;
mod chain;
mod ids;
mod order;
pub mod ports;
mod quote;
mod row_key;
mod token;
mod token_id;
mod usd;

pub use address::{Address, AddressError};
pub use amount::{AmountError, RawAmount};
pub use chain::{
    Caip2Error, Chain, ChainId, Currency, DepositMethod, Explorer, Family, SOLANA_CHAIN_ID, SOLANA_REFERENCE,
    UnknownDepositMethod,
};
pub use ids::{IdError, OrderId, QuoteId, RouteId};
pub use order::{EventKind, IllegalTransition, Order, OrderEvent, OrderStatus, UnknownStatus};
pub use quote::{Ask, ExactOutMethod, Fee, FeeKind, Quote, Route, Slippage, SlippageError, TradeType};
pub use row_key::{RowKey, RowKeys};
pub use token::Token;
pub use token_id::{TokenId, TokenIdError};
pub use usd::{UsdAmount, UsdPrice};
