#![doc = include_str!("../README.md")]

mod chain;
mod deposit;
mod error;
mod filler;
mod hub;
mod intent;
mod order;
mod page;
mod quote;
mod status;
mod terms;
mod token;

pub use chain::{BlockExplorer, BlockExplorers, Chain, NativeCurrency, RpcEndpoints, RpcUrls};
pub use deposit::{
    Approval, BuildAnswer, BuildAsk, ContractCallDeposit, FrozenOrder, PermitDeposit, Recovery,
    SolanaApproval, SubmitAnswer, SubmitAsk, Transfer, TransferDeposit, TransferDetails, WalletApproval,
    WalletRequest,
};
pub use error::{ErrorBody, ErrorName, Issue};
pub use filler::{Filler, FillerFills, FillerQuotes};
pub use hub::{HubConfig, HubContracts, Vault};
pub use intent::{Intent, IntentDeposit, IntentState, IntentSummary};
pub use order::{
    DepositAddressOrder, DepositAddressOrders, ObservedDeposit, Order, OrderTimestamps, OrderTransaction,
    OrderTransactions, ProviderStatus, TokenMeta,
};
pub use page::{Data, Page};
pub use quote::{Fee, FillerReason, QuoteAnswer, QuoteAsk, Route, RouteQuote, StreamedRoute};
pub use status::Status;
pub use terms::Terms;
pub use token::{Autocomplete, AutocompleteItem, Price, Suggestion, Token, TokenExtensions};
