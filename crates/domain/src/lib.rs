#![doc = include_str!("../README.md")]

mod address;
mod amount;
mod attestation;
mod chain;
mod deployment;
mod evidence;
pub mod fiat;
mod ids;
mod interest;
mod jump;
mod order;
pub mod ports;
mod quote;
mod quote_key;
mod rent;
mod row_key;
#[cfg(test)]
mod sample;
mod terms;
mod token;
mod token_id;
mod usd;

pub use address::{Address, AddressError};
pub use amount::{AmountError, RawAmount};
pub use attestation::{Attestation, Collected, Outcome, SignatureBytes, SignedAttestation};
pub use chain::{
    Caip2Error, Chain, ChainId, Currency, DepositMethod, Explorer, Family, SOLANA_CHAIN_ID, SOLANA_REFERENCE,
    UnknownDepositMethod,
};
pub use deployment::{Deployment, HubDeployment, SolanaDeployment, VaultDeployment};
pub use evidence::{Evidence, Fact, FactKind, FactPlace, RefundCause, Shown};
pub use ids::{FiatOrderId, FiatQuoteId, IdError, OrderId, QuoteId, RouteId};
pub use interest::{Interest, Leisure};
pub use jump::{JUMP_TYPE, Jump};
pub use order::{
    Arrived, Decision, EventKind, IllegalTransition, IntentState, Order, OrderEvent, OrderStatus, RefundWay,
    Step, Todo, UnknownStatus, World, advance,
};
pub use quote::{
    Ask, ExactOutMethod, Fee, FeeKind, Parties, Quote, Referral, Route, Slippage, SlippageError, TradeType,
};
pub use quote_key::{QuoteKey, QuoteKeyError, QuoteKeys};
pub use rent::RentedAccount;
pub use row_key::{RowKey, RowKeys};
pub use terms::{TERMS_TYPE, TERMS_TYPEHASH, TERMS_VERSION, Terms};
pub use token::Token;
pub use token_id::{TokenId, TokenIdError};
pub use usd::{UsdAmount, UsdPrice};
