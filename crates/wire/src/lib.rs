#![doc = include_str!("../README.md")]

mod chain;
mod deposit;
mod error;
mod fiat;
mod filler;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod hub;
mod intent;
mod order;
mod page;
mod quote;
mod status;
mod terms;
mod token;
mod warning;

pub use chain::{BlockExplorer, BlockExplorers, Chain, NativeCurrency, RpcEndpoints, RpcUrls};
pub use deposit::{
    Approval, BuildAnswer, BuildAsk, ContractCallDeposit, FrozenOrder, Payment, PermitDeposit,
    ProviderDeposit, ProviderTransferDeposit, Recovery, SolanaApproval, SubmitAnswer, SubmitAsk, Transfer,
    TransferDeposit, TransferDetails, WalletApproval, WalletRequest,
};
pub use error::{ErrorBody, ErrorName, Issue};
pub use fiat::{
    FIAT_WIDGET_EVENT, FiatAction, FiatAsset, FiatCapabilities, FiatConfig, FiatDisplay, FiatErrorBody,
    FiatErrorCode, FiatFailure, FiatFault, FiatFeatures, FiatFee, FiatJump, FiatLimit, FiatOrder,
    FiatOrderAnswer, FiatOrderAsk, FiatOrderEvent, FiatOrderView, FiatPolling, FiatProvider,
    FiatProviderConfig, FiatProviderError, FiatProviders, FiatQuote, FiatQuoteAnswer, FiatQuoteAsk,
    FiatQuoteLine, FiatRoute, FiatStatus, FiatWebhookAnswer, FiatWebhookEvent, FiatWidgetEvent, JumpRecovery,
    JumpTerms, PaymentMethod,
};
pub use filler::{Filler, FillerFills, FillerQuotes, FillerReputation};
pub use hub::{HubConfig, HubContracts, Vault};
pub use intent::{AttestedOutcome, Intent, IntentAttestations, IntentDeposit, IntentState, IntentSummary};
pub use order::{
    DepositAddressOrder, DepositAddressOrders, ObservedDeposit, Order, OrderEvent, OrderTimestamps,
    OrderTransaction, OrderTransactions, ProviderStatus, TokenMeta, WebhookEvent,
};
pub use page::{Data, Page};
pub use quote::{Fee, FillerReason, QuoteAnswer, QuoteAsk, Route, RouteQuote, StreamedRoute};
pub use status::Status;
pub use terms::Terms;
pub use token::{Autocomplete, AutocompleteItem, Price, Suggestion, Token, TokenExtensions};
pub use warning::Warning;
