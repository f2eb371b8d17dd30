//! Ports: small traits that adapters implement. One conformance suite per trait runs against every implementation.

mod attest;
mod chain;
mod chain_store;
mod claim_batches;
mod costs;
mod deposits;
mod fiat_store;
mod filler;
mod forwarding;
mod idempotency;
mod integrators;
mod intent_book;
mod inventory_store;
mod key_signer;
mod liquidity;
mod onramps;
mod operator_store;
mod order_executor;
mod order_store;
mod outbox;
mod pausable;
mod recovery;
mod rents;
mod request_budgets;
mod screen;
mod solana_call;
mod tx_sender;
mod webhooks;

use std::sync::Arc;

use async_trait::async_trait;
use thiserror::Error;

pub use attest::{
    AttestationRefusal, AttestationSigner, AttestationVerifier, Attestations, AttesterRegistry, BatchRefusal,
    ChainContracts, ChainView, CollectBatchError, CollectError, EpochAttesters, EscrowState, FillRecord,
    FinalBlock, FinalityTier, ObservedEvent, SigningError,
};
pub use chain::{BalanceReader, ChainError, ContractCall, ContractReader};
pub use chain_store::{Arrival, ChainCursor, ChainFollower, ChainStore, ChainUpdate, Rent};
pub use claim_batches::{ClaimBatch, ClaimBatchPut, ClaimBatchStore};
pub use costs::{AllTokensSupported, GasFeed, TokenPolicy, VaultRate, VaultRates};
pub use deposits::{
    AccountKind, AddressWatch, BroadcastError, DepositBuilder, DepositCheckError, DepositError,
    DepositMismatch, DepositTxStatus, KnownPayers, PaymentCheck, PermitKind, PermitRequest, SendPurpose,
    WalletAction, WalletTransaction,
};
pub use fiat_store::{Erased, Erasure, FiatCreation, FiatLease, FiatOrderQuery, FiatStore, RampToken};
pub use filler::{Answer, Filler, FillerAsk, FillerError, MAX_FILLER_QUOTE, Offer, Refusal};
pub use forwarding::{ForwardingSigner, WalletCheck};
pub use idempotency::{IdempotencyStore, KeptAnswer, KeyUse, KeyedRequest};
pub use integrators::{
    ApiKey, ApiKeyText, ApiScope, Integrator, IntegratorStore, KeyRotation, NoRandomKey, QuoteCount,
    UnknownScope,
};
pub use intent_book::{IntentBook, IntentEntry};
pub use inventory_store::{
    InventoryStore, Loss, LossKind, Outflow, OutflowSum, Reservation, ReservationKind, ReservationLimit,
    Reserved,
};
pub use key_signer::{
    KeySigner, KeySignerError, SigningEffect, SigningRequest, TransactionEffect, contract_of,
};
pub use liquidity::{
    LiquidityProvider, MAX_CALL_DATA, NamedContract, ProviderAddress, ProviderAsk, ProviderDeposit,
    ProviderPayment, ProviderPaymentError, ProviderPayments, ProviderReport, ProviderReturn, ProviderState,
    ProviderTransaction, RegisteredContract, pack_call, packed_data,
};
pub use onramps::{
    OnRamp, PayoutWatch, RampAsk, RampError, RampNotice, RampOffer, RampProfile, RampRefusal, RampReport,
    RampSession, RampState, WebhookError,
};
pub use operator_store::{
    AuditEvent, FeeRecord, FillerProtocol, FillerRecord, OperatorStore, Pause, Pruned, UnknownProtocol,
};
pub use order_executor::OrderExecutor;
pub use order_store::{
    Creation, FillCount, OpenTransfer, OrderQuery, OrderSearch, OrderStore, Owed, SearchTerm, StuckKind,
    StuckReason,
};
pub use outbox::{Attempt, Outbox, OutboxPut, Outgoing, OutgoingEnd};
pub use pausable::{Pausable, PausableError};
pub use recovery::{ChainHistory, OpenedBy};
pub use rents::{RentReader, RentState};
pub use request_budgets::{BudgetLease, Leased, RequestBudgets};
pub use screen::{Hit, OrderKind, Screen, ScreenError, ScreenRequest};
pub use solana_call::{SolanaAccount, SolanaCall, SolanaInstruction};
pub use tx_sender::{
    ActionError, BatchedClaim, ChainAction, FeeObserver, FinalTransaction, MAX_ATTEMPTS, OnChainStatus,
    Progress, TxSender, attempt_purposes,
};
pub use webhooks::{
    AttemptOutcome, Delivery, DeliveryAttempt, DeliveryCount, DeliveryEnd, EndpointError, EndpointName,
    EndpointSource, Subject, SubjectKind, Subscription, WebhookEndpoint, WebhookSecret, WebhookStore,
    WebhookTransport,
};

use crate::{TokenId, UsdPrice};

/// An error of a store.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The database is unreachable, locked or full; the same call may succeed later.
    #[error("the store is unavailable")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A row cannot be decoded; a retry does not help.
    #[error("the store holds a record that cannot be read: {0}")]
    Corrupt(String),
    /// The call conflicts with stored data.
    #[error("{0}")]
    Conflict(&'static str),
}

impl StoreError {
    /// The same error, for each caller that shared the call.
    pub fn shared(error: &Arc<Self>) -> Self {
        match error.as_ref() {
            Self::Unavailable(_) => Self::Unavailable(Box::new(Arc::clone(error))),
            Self::Corrupt(what) => Self::Corrupt(what.clone()),
            Self::Conflict(what) => Self::Conflict(what),
        }
    }

    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }
}

/// A health check of a dependency.
#[async_trait]
pub trait Health: Send + Sync {
    async fn check(&self) -> Result<(), StoreError>;
}

/// What a price rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PriceBasis {
    /// How many sources have a fresh price.
    pub sources: usize,
    /// The age of the oldest of them, in seconds.
    pub age_seconds: u64,
    /// The difference between the highest and the lowest, in millionths of the median, rounded up.
    pub spread_millionths: u64,
}

/// Token prices in US dollars.
pub trait PriceFeed: Send + Sync {
    /// The price of one whole token, if it is known and fresh.
    fn usd_price(&self, token: &TokenId) -> Option<UsdPrice>;

    /// What the price of a token rests on; `None` where it has none, or is not read from sources.
    fn price_basis(&self, token: &TokenId) -> Option<PriceBasis> {
        let _ = token;
        None
    }

    /// Why a token has no price now, for people; `None` where it has one or the reason is unknown.
    fn unpriced(&self, token: &TokenId) -> Option<String> {
        let _ = token;
        None
    }
}
