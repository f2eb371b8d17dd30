use alloy_primitives::{Address as EvmAddress, B256, Bytes, U256};
use async_trait::async_trait;
use serde_json::Value;
use thiserror::Error;

use super::ChainError;
use crate::{Address, ChainId, RawAmount, Terms, TokenId};

/// One thing that a wallet is asked to do, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WalletAction {
    SwitchChain(ChainId),
    /// An EVM transaction to sign and send.
    Send {
        purpose: SendPurpose,
        transaction: WalletTransaction,
    },
    /// A Solana transaction to sign and send, or to sign and hand to us: its wire form with empty signatures. It is the deposit.
    SignSolana {
        transaction: Vec<u8>,
    },
}

/// What a transaction of the wallet is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendPurpose {
    /// Sets an allowance to zero, because the token changes none that is not.
    ResetAllowance,
    /// Allows the escrow, or Permit2, to take exactly this much.
    Approve {
        spender: EvmAddress,
        amount: U256,
    },
    Deposit,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalletTransaction {
    pub from: EvmAddress,
    pub to: EvmAddress,
    pub data: Bytes,
    pub value: U256,
    /// Where it could be estimated.
    pub gas: Option<u64>,
}

/// Why a deposit cannot be made now, in words for the payer.
#[derive(Debug, Error)]
pub enum DepositError {
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// The payer has too little of the input.
    #[error("the payer has {has} of the {needs} raw units that the deposit takes")]
    Balance { has: RawAmount, needs: RawAmount },
    /// The payer cannot pay for the transactions.
    #[error("the payer has {has} of the {needs} wei that the transactions cost")]
    Gas { has: RawAmount, needs: RawAmount },
    /// The chain would refuse the deposit, for this reason in words.
    #[error("{0}")]
    WouldFail(String),
    #[error("this way of depositing is not offered on this chain or for this token")]
    NotOffered,
}

/// What a transaction that somebody names turns out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Visible {
    /// The chain has not shown it yet.
    NotYet,
    /// It waits to be taken into a block, or is in one, and is this deposit.
    ThisDeposit,
    /// It is there and is something else; in what it differs.
    Other(String),
}

/// Why something signed is not this deposit; in words that say in what it differs.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct NotThisDeposit(pub String);

/// Why a signed transaction could not be brought to a chain.
#[derive(Debug, Error)]
pub enum BroadcastError {
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// In the chain's own words.
    #[error("{0}")]
    Refused(String),
    /// It was not taken, and never can be any more: another must be built and signed.
    #[error(
        "transaction {tx} has expired before the chain took it; build the deposit again and sign the newest one"
    )]
    Expired { tx: String },
}

/// Makes and recognises the deposits of one origin chain.
#[async_trait]
pub trait DepositDesk: Send + Sync {
    fn chain(&self) -> ChainId;
    fn escrow(&self) -> B256;
    /// The contract that delivers on this chain.
    fn settler(&self) -> B256;
    /// The shortest time, in seconds, between an order's fill deadline and its unsigned refund.
    fn min_grace(&self) -> u64;
    /// The attesters' epoch that new orders name.
    async fn epoch(&self) -> Result<u64, ChainError>;
    /// What the payer's wallet has to do, tried against the chain first.
    async fn actions(&self, terms: &Terms) -> Result<Vec<WalletAction>, DepositError>;
    /// The typed data of a permit over all terms, and what must be allowed to Permit2 before, if anything.
    async fn permit(&self, terms: &Terms) -> Result<(Value, Vec<WalletAction>), DepositError>;
    /// Where a plain transfer for this order goes; `None` where transfers are not offered.
    fn address_for(&self, intent: B256) -> Option<Address>;
    /// Looks at a transaction that is said to be the deposit.
    async fn look_at(&self, terms: &Terms, tx: &str) -> Result<Visible, ChainError>;
    /// Whether the permit is the payer's over these very terms and would be taken now.
    async fn check_permit(&self, terms: &Terms, permit: &[u8]) -> Result<(), CheckError>;
    /// The hash of a signed transaction, if it is the deposit that was built, by the payer. `built` is a transaction that
    /// the payer was given, where [`WalletAction::SignSolana`] gave one.
    async fn check_signed(
        &self,
        terms: &Terms,
        built: Option<&[u8]>,
        raw: &[u8],
    ) -> Result<String, CheckError>;
    /// Brings signed bytes to the chain; what is known there already counts as brought.
    async fn broadcast(&self, raw: &[u8]) -> Result<(), BroadcastError>;
}

/// Why a proof of a deposit is not accepted.
#[derive(Debug, Error)]
pub enum CheckError {
    #[error(transparent)]
    Chain(#[from] ChainError),
    #[error(transparent)]
    NotThis(#[from] NotThisDeposit),
}

/// Watches plain addresses, many at a time.
#[async_trait]
pub trait AddressWatch: Send + Sync {
    fn chain(&self) -> ChainId;
    /// What each address held of its tokens as of that block, in the order of the question.
    async fn balances_at(
        &self,
        wanted: &[(Address, TokenId)],
        block: u64,
    ) -> Result<Vec<RawAmount>, ChainError>;
    /// The same with the block as of which it was told: the asked one, or a later one where a chain tells its newest state only.
    async fn balances_since(
        &self,
        wanted: &[(Address, TokenId)],
        block: u64,
    ) -> Result<(Vec<RawAmount>, u64), ChainError> {
        Ok((self.balances_at(wanted, block).await?, block))
    }
    /// The newest transaction between two blocks, both included, that brought that token there, where it can be found.
    async fn brought_by(
        &self,
        address: Address,
        token: TokenId,
        from: u64,
        to: u64,
    ) -> Result<Option<String>, ChainError>;
}
