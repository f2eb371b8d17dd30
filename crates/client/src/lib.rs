#![doc = include_str!("../README.md")]

pub mod answers;
mod call;
mod catalog;
mod client;
mod decimals;
mod deposits;
mod error;
mod event_signals;
mod execute;
mod fiat;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod http;
mod hub;
mod intents;
mod lines;
mod order_events;
mod order_updates;
mod orders;
mod qr;
mod quotes;
mod response;
mod stream_quotes;
mod token_identifier;
mod track_order;
mod track_purchase;
mod url;
mod wallet;
pub mod webhooks;

/// The JSON that the service speaks, as types.
pub use causeway_wire as wire;
pub use tokio_util::sync::CancellationToken;

pub use call::Method;
pub use catalog::{Balances, TokenQuery};
pub use client::{API_KEY_HEADER, Builder, Client, ConfigError, DEFAULT_TIMEOUT, VERSION_HEADER};
pub use decimals::known_decimals;
pub use error::{Details, Error, Refusal};
pub use execute::{
    Bound, Confirm, DepositMethod, ExecuteOptions, Limit, PriceReference, ProviderTrust, Step, TransferTrust,
    TrustedProvider, Unchecked, check_provider_transfer, check_transfer,
};
pub use fiat::FiatQuery;
pub use intents::IntentQuery;
pub use orders::OrderQuery;
pub use qr::{QrDeposit, TransferQr};
pub use token_identifier::{InvalidTokenIdentifier, TokenIdentifier};
pub use track_order::{PollingOptions, is_terminal};
pub use track_purchase::is_terminal_purchase;
pub use wallet::{EvmTransaction, LocalSolanaWallet, LocalWallet, Wallet, WalletError};
