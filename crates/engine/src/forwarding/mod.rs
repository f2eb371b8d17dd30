//! What arrives at a forwarding address: quoted anew and swapped at the promised rate, or returned (rule 21). Purchases and
//! joined routes decide what is done with it; this does it.

mod read;
mod return_balance;
mod swap;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use causeway_catalog::Catalog;
use causeway_domain::ports::{
    ActionError, AddressWatch, ChainStore, ForwardingSigner, GasFeed, OrderStore, PriceFeed, SigningError,
    StoreError, TxSender,
};
use causeway_domain::{ChainId, DepositMethod, Route};
use jiff::SignedDuration;
use thiserror::Error;

pub(crate) use swap::SwapAsk;

use return_balance::ReturnHistory;

use crate::build_deposit::{BuildDeposit, BuildError};
use crate::chain_cursors::ChainCursors;
use crate::request_quote::{QuoteError, RequestQuote};

/// What [`ForwardFunds`] works with.
pub struct ForwardingParts {
    pub orders: Arc<dyn OrderStore>,
    pub facts: Arc<dyn ChainStore>,
    pub request_quote: RequestQuote,
    pub build: BuildDeposit,
    /// Watches forwarding addresses, by chain.
    pub watches: HashMap<ChainId, Arc<dyn AddressWatch>>,
    pub forwarding_signers: HashMap<ChainId, Arc<dyn ForwardingSigner>>,
    pub relayers: HashMap<ChainId, Arc<dyn TxSender>>,
    pub prices: Arc<dyn PriceFeed>,
    pub gas: Arc<dyn GasFeed>,
    pub catalog: Arc<Catalog>,
    pub cursors: Arc<ChainCursors>,
    /// How long received money waits for a route before it is returned.
    pub swap_within: SignedDuration,
}

impl fmt::Debug for ForwardingParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ForwardingParts").finish_non_exhaustive()
    }
}

/// Swaps or returns what arrives at forwarding addresses.
#[derive(Debug)]
pub struct ForwardFunds {
    parts: ForwardingParts,
    returns: ReturnHistory,
}

/// Why funds were neither swapped nor returned.
#[derive(Debug, Error)]
pub(crate) enum ForwardingError {
    #[error(transparent)]
    Quote(#[from] QuoteError),
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    ChainAction(#[from] ActionError),
    #[error(transparent)]
    Signing(#[from] SigningError),
}

impl ForwardFunds {
    pub fn new(parts: ForwardingParts) -> Self {
        Self { parts, returns: ReturnHistory::default() }
    }

    /// How long received money waits for a route before it is returned.
    pub(crate) const fn patience(&self) -> SignedDuration {
        self.parts.swap_within
    }
}

/// Whether a route can start from a forwarding address: it takes a plain transfer and uses our own contracts.
pub(crate) fn can_forward(route: &Route) -> bool {
    route.parties.is_some() && route.deposit_methods.contains(&DepositMethod::Transfer)
}
