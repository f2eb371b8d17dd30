#![doc = include_str!("../README.md")]

mod build_deposit;
mod call_limit;
mod chain_cursors;
mod collect_attestations;
mod compare_gas;
mod count_fills;
mod deliver_webhooks;
mod enforce_retention;
mod erase_purchases;
mod event_keys;
mod executors;
pub mod fiat;
mod fillers;
mod follow_chain;
mod forwarding;
mod integrators;
mod intent_book;
mod liquidity;
mod market;
mod pauses;
mod poll_pending_transactions;
mod read_balances;
mod recover;
mod registry;
mod reputation;
mod request_quote;
mod return_rent;
mod return_threshold;
mod review_orders;
mod screening;
mod striped;
mod submit_deposit;
mod ticker;
mod warnings;
mod watch_addresses;
mod watch_orders;
mod work_orders;

pub use build_deposit::{
    BuildDeposit, BuildError, BuildParts, BuildRequest, Built, BuiltDeposit, OrderTiming, UnpaidLimits,
};
pub use chain_cursors::{ChainCursors, ClosedChain};
pub use collect_attestations::{AttestationCache, AttestationError, CollectedResult};
pub use compare_gas::{CompareGas, GasKind, GasTotals};
pub use count_fills::{CountFills, Fills, FillsByFiller};
pub use deliver_webhooks::{
    ConfiguredEndpoint, DEFAULT_WEBHOOK_RETRY_PERIOD, DeliverParts, DeliverWebhooks, EncodePurchaseWebhook,
    EncodeWebhook, EndpointReport, NewEndpoint, WebhookAdmin, WebhookAdminError,
};
pub use enforce_retention::{RetentionPolicy, enforce_retention};
pub use erase_purchases::erase_purchases;
pub use executors::ExecutorRegistry;
pub use fillers::{
    BreakerPolicy, BreakerState, FillerHealth, FillerLatency, FillerNameError, FillerReport, Fillers,
    MissingOffer, NoOffer, QuoteOptions, at_least, at_most,
};
pub use follow_chain::{FollowParts, follow_chain};
pub use forwarding::{ForwardFunds, ForwardingParts};
pub use integrators::{
    IntegratorError, IntegratorReport, Integrators, IssuedKey, NewIntegrator, OperateIntegrators,
};
pub use intent_book::{BookParts, sync_intent_book};
pub use liquidity::{Liquidity, LiquidityParts};
pub use market::{Decimal, Loss, Market, PricedToken};
pub use pauses::{OperatePauses, PauseError, Pauses};
pub use poll_pending_transactions::poll_pending_transactions;
pub use read_balances::{Balances, ReadBalances};
pub use recover::{
    Adopt, AdoptParts, Adopted, ChainRead, KnownFiller, RecoverChain, RecoverError, RecoverParts,
    RecoverProgress, Recovered, recover,
};
pub use registry::{ListedFiller, MadeFiller, MakeFiller, Registry, RegistryError, RegistryParts};
pub use reputation::{Reputation, Reputations, UpdateReputation};
pub use request_quote::{
    JoinParts, JoinRoutes, QuoteError, QuoteRequest, RequestQuote, Routes, is_one_click, rank_routes,
};
pub use return_rent::{RentParts, return_rent};
pub use review_orders::{OrderHistory, ReviewOrders, ReviewParts, StuckOrder, StuckPurchase, Wait};
pub use screening::{Screening, ScreeningError};
pub use submit_deposit::{Proof, SubmitDeposit, SubmitError, SubmitParts, SubmitRequest, Submitted};
pub use ticker::Ticker;
pub use warnings::{WarningParts, Warnings};
pub use watch_addresses::{WatchAddresses, WatchPolicy};
pub use watch_orders::{OrderSubscription, WatchOrders};
pub use work_orders::{SenderScreening, WorkOrders, WorkParts};
