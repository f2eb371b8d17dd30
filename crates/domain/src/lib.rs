#![doc = include_str!("../README.md")]

mod address;
mod amount;
mod attestation;
mod chain;
mod chain_demand;
mod chain_policy;
mod deployment;
mod evidence;
pub mod fiat;
mod forwarding_funds;
mod forwarding_order;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod ids;
mod intent_terms;
mod joined_route;
mod order;
pub mod ports;
mod provider_order;
mod quote;
mod quote_key;
mod rent;
mod row_key;
#[cfg(test)]
mod sample;
mod sealed_route;
mod token;
mod token_id;
mod usd;
mod warning;

pub use address::{Address, AddressError, BitcoinAddress};
pub use amount::{AmountError, DecimalAmount, RawAmount, WriteText};
pub use attestation::{
    Attestation, CollectedAttestation, CollectedBatch, FilledOrder, Outcome, SignatureBytes,
    SignedAttestation, SignedBatch, batch_digest, batch_payload,
};
pub use chain::{
    BITCOIN_CHAIN_ID, BITCOIN_REFERENCE, Caip2Error, Chain, ChainId, Currency, DepositMethod, Explorer,
    Family, SOLANA_CHAIN_ID, SOLANA_REFERENCE, TRON_CHAIN_ID, TRON_REFERENCE, UnknownDepositMethod,
};
pub use chain_demand::{ChainDemand, IdlePolling};
pub use chain_policy::{ChainPolicy, EvmPolicy, FinalityPolicy, FinalityRule, FinalityTag};
pub use deployment::{Deployment, DeploymentMode, HubDeployment, SolanaDeployment, VaultDeployment};
pub use evidence::{ConfirmedTx, Evidence, Fact, FactKind, FactPlace, RefundCause};
pub use forwarding_funds::{ForwardingAction, ForwardingBalance, ForwardingPlan};
pub use forwarding_order::{FORWARDING_ORDER_TYPE, ForwardingOrder};
pub use ids::{FiatOrderId, FiatQuoteId, IdError, OrderId, QuoteId, RouteId, is_filler_name};
pub use intent_terms::{IntentTerms, TERMS_TYPE, TERMS_TYPEHASH, TERMS_VERSION};
pub use joined_route::{JoinedOrder, JoinedTerms};
pub use order::{
    Action, Decision, DepositBalance, EventKind, IllegalTransition, IntentState, Order, OrderContext,
    OrderEvent, OrderStatus, RefundMethod, Step, UnknownStatus, advance,
};
pub use provider_order::{
    CustodyNotice, JoinedContext, MAX_TOOL, ProviderContext, ProviderOffer, ProviderOrder, ProviderStep,
    ProviderTerms, advance_provider, is_before_deposit,
};
pub use quote::{
    Ask, DepositWindow, ExactOutMethod, Fee, FeeKind, GasCharge, Parties, Quote, Referral, Route, Slippage,
    SlippageError, TradeType,
};
pub use quote_key::{QuoteKey, QuoteKeyError, QuoteKeys};
pub use rent::RentedAccount;
pub use row_key::{RowKey, RowKeys};
pub use sealed_route::{OpenRouteError, RouteSeal, RouteTerms, RouteTooLong};
pub use token::Token;
pub use token_id::{TokenId, TokenIdError};
pub use usd::{UsdAmount, UsdPrice, power_of_ten};
pub use warning::{Severity, Warning, WarningCode};
