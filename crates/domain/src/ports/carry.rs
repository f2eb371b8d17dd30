use alloy_primitives::{B256, U256};
use async_trait::async_trait;
use jiff::Timestamp;
use thiserror::Error;

use super::{ChainError, CollectError, EscrowState, IntentEntry, StoreError};
use crate::{Address, ChainId, Jump, RawAmount, SignatureBytes, Terms, TokenId};

/// A thing to do on a chain for an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Open with the payer's permit.
    OpenFor { terms: Terms, permit: Vec<u8> },
    /// Move the deposit address's balance into the escrow.
    Sweep { terms: Terms },
    /// Send what lies at the deposit address to the refund address; the zero address is the chain's own coin.
    GiveBack { terms: Terms, tokens: Vec<Address> },
    /// Open the terms with all that lies at the jump's address, by the maker's word.
    Jump { jump: Box<Jump>, terms: Terms, signature: SignatureBytes },
    /// Send what lies at the jump's address to the jump's refund address; by the maker's word while the input is still awaited.
    GiveBackJump { jump: Box<Jump>, tokens: Vec<Address>, signature: Option<SignatureBytes> },
    /// Deliver. Where the output is a vault's share, `through` is the vault's asset and the most of it that may be spent.
    Fill { terms: Terms, through: Option<(Address, U256)> },
    /// Be paid for a delivery; without signatures where both sides lie on one chain.
    Claim { terms: Terms, filled_at: u64, fill_ref: B256, signatures: Vec<SignatureBytes> },
    /// Give the deposit back: as the filler, or as anybody once that is allowed.
    Refund { terms: Terms },
    /// Send of the carrier's own to an address, outside of any order.
    Pay { token: TokenId, to: Address, amount: RawAmount },
    /// Give the deposit back by the attesters' word.
    RefundUnfilled { terms: Terms, destination_time: u64, signatures: Vec<SignatureBytes> },
    /// Tell the hub's book of intents, in this order.
    RecordIntents { entries: Vec<IntentEntry> },
    /// Close the account of an order that has ended: its rent goes to `payer`, who paid it.
    CloseOrder { terms: Terms, payer: Address },
    /// Close the record of an order's delivery likewise.
    CloseFill { terms: Terms, payer: Address },
}

/// How far a deed has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Something must happen first, and is under way.
    Waiting,
    /// Signed, stored and sent.
    OnItsWay(String),
    /// In a block that stands.
    Succeeded(String),
    /// In a block that stands, and did nothing.
    Reverted(String),
}

/// Why a deed is not done.
#[derive(Debug, Error)]
pub enum DeedError {
    #[error(transparent)]
    Chain(#[from] ChainError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Attesters(#[from] CollectError),
    /// The chain would refuse it now, in its own words; nothing was sent.
    #[error("the chain would refuse it: {0}")]
    WouldFail(String),
    /// The chain would refuse the delivery although the filler has all that it takes; nothing was sent.
    #[error("the recipient cannot be paid: {0}")]
    Unpayable(String),
    /// Not now, for a reason that passes: gas is too dear, a part is away.
    #[error("{0}")]
    Later(String),
    /// Never, whatever is tried.
    #[error("{0}")]
    Never(String),
}

/// What one chain says of an order at this moment, whoever did it and whatever the store remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truth {
    /// At its escrow; unknown where that lies on another chain.
    pub escrow: EscrowState,
    /// Whether the settler has delivered it; never where that lies on another chain.
    pub is_filled: bool,
    /// Whether nothing can come into a block any more that this key has signed and the outbox does not know. It may for a while
    /// after a start, because the store may have been put back from a copy that is older than the chain.
    pub is_settled: bool,
}

/// One key's hand on one chain: sends what it is told to, each purpose once, and sees it through.
#[async_trait]
pub trait Carrier: Send + Sync {
    fn chain(&self) -> ChainId;
    /// Whose key it is.
    fn account(&self) -> Address;
    /// Does the deed, or tells how far it has come: what has the same purpose is done once, whatever happens in between.
    async fn carry(&self, purpose: &str, deed: &Deed, now: Timestamp) -> Result<Progress, DeedError>;
    /// How far the deed of that purpose has come; `None` while nothing was sent for it. Sends nothing.
    async fn progress(&self, purpose: &str) -> Result<Option<Progress>, DeedError>;
    /// What the chain says of an order now. An order may be decided about by this alone: an error tells nothing, and is waited
    /// out.
    async fn truth(&self, terms: &Terms) -> Result<Truth, DeedError> {
        let _ = terms;
        Err(DeedError::Later(format!("nobody looks at orders with this key on chain {}", self.chain())))
    }
    /// Sends again what was lost, replaces what is stuck, and records what has ended. Costs nothing while nothing is open.
    async fn tend(&self, now: Timestamp) -> Result<(), DeedError>;
}
