use alloy_primitives::{B256, U256};
use async_trait::async_trait;
use jiff::Timestamp;
use thiserror::Error;

use super::{ChainError, CollectError, EscrowState, IntentEntry, StoreError};
use crate::{Address, ChainId, ForwardingOrder, IntentTerms, RawAmount, SignatureBytes, TokenId};

/// A transaction that an order needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChainAction {
    /// Open with the payer's permit.
    OpenFor { terms: IntentTerms, permit: Vec<u8> },
    /// Open with the payer's EIP-3009 authorization of the input token.
    OpenWithAuthorization { terms: IntentTerms, signature: Vec<u8> },
    /// Open with the payer's EIP-2612 permit of the input token and signature of the order, in one as the payer submitted them.
    OpenWithPermit { terms: IntentTerms, signature: Vec<u8> },
    /// Move the deposit address's balance into the escrow.
    Sweep { terms: IntentTerms },
    /// Send the deposit address's balance to the refund address; the zero address is the native coin.
    ReturnBalance { terms: IntentTerms, tokens: Vec<Address> },
    /// Open the terms with what they take of the forwarding address's balance, signed by the maker.
    OpenForwarding { forwarding: Box<ForwardingOrder>, terms: IntentTerms, signature: SignatureBytes },
    /// Send the forwarding address's balance to its refund address; signed by the maker before expiry.
    ReturnForwarding {
        forwarding: Box<ForwardingOrder>,
        tokens: Vec<Address>,
        signature: Option<SignatureBytes>,
    },
    /// Deliver. Where the output is a vault share, `through` is the vault's asset and the maximum to spend.
    Fill { terms: IntentTerms, through: Option<(Address, U256)> },
    /// Claim the payment for a fill; without signatures where both sides are on one chain.
    Claim { terms: IntentTerms, filled_at: u64, fill_ref: B256, signatures: Vec<SignatureBytes> },
    /// Claim the payments for the fills of a list, with signatures over the whole list; without signatures where both sides
    /// of all orders are on one chain. The orders share escrow, token, payee and epoch.
    ClaimBatch { claims: Vec<BatchedClaim>, signatures: Vec<SignatureBytes> },
    /// Refund the deposit: as the filler, or as anybody once that is allowed.
    Refund { terms: IntentTerms },
    /// Send the sender's own funds to an address, outside of any order.
    Pay { token: TokenId, to: Address, amount: RawAmount },
    /// Refund the deposit by attestation.
    RefundUnfilled { terms: IntentTerms, destination_time: u64, signatures: Vec<SignatureBytes> },
    /// Record intents in the hub's book, in this order.
    RecordIntents { entries: Vec<IntentEntry> },
    /// Close the account of an ended order and return its rent to `payer`.
    CloseOrder { terms: IntentTerms, payer: Address },
    /// Close the fill record of an order and return its rent.
    CloseFill { terms: IntentTerms, payer: Address },
}

/// One order of a [`ChainAction::ClaimBatch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchedClaim {
    pub terms: IntentTerms,
    pub filled_at: u64,
    pub fill_ref: B256,
}

/// How often an action is sent whose transaction reverted in a final block.
pub const MAX_ATTEMPTS: u32 = 5;

/// The purposes of an action's attempts in the outbox, first to last: a retry appends its number.
pub fn attempt_purposes(first: &str) -> impl Iterator<Item = String> + Send + '_ {
    (1..=MAX_ATTEMPTS)
        .map(move |number| if number == 1 { first.to_owned() } else { format!("{first}:{number}") })
}

/// The progress of a chain action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// A precondition is in progress.
    Waiting,
    /// Signed, stored and sent.
    Sent(String),
    /// Succeeded in a final block.
    Succeeded(String),
    /// Reverted in a final block.
    Reverted(String),
}

/// Why a chain action failed.
#[derive(Debug, Error)]
pub enum ActionError {
    #[error(transparent)]
    Chain(#[from] ChainError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Attesters(#[from] CollectError),
    /// The simulation failed with this message; nothing was sent.
    #[error("the simulation failed: {0}")]
    WouldFail(String),
    /// The simulated delivery fails although the filler has the funds; nothing was sent.
    #[error("the recipient cannot be paid: {0}")]
    Unpayable(String),
    /// Retry later: gas is too expensive, a dependency is unavailable.
    #[error("{0}")]
    Temporary(String),
    /// A retry does not help.
    #[error("{0}")]
    Permanent(String),
}

/// The current state of an order on one chain, independent of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnChainStatus {
    /// `Unknown` where the escrow is on another chain.
    pub escrow: EscrowState,
    /// Whether the settler has filled it; `false` where the settler is on another chain.
    pub is_filled: bool,
    /// Whether no transaction of this key can still land that the outbox does not know. It is `false` for a while after a
    /// start, because the store may have been restored from an old backup.
    pub is_settled: bool,
}

/// Persists, broadcasts and replaces the transactions of one key on one chain, each purpose once.
#[async_trait]
pub trait TxSender: Send + Sync {
    fn chain(&self) -> ChainId;
    /// The address of the key.
    fn account(&self) -> Address;
    /// Sends the action, or returns its progress. The same purpose is sent once, even across restarts.
    async fn send(
        &self,
        purpose: &str,
        action: &ChainAction,
        now: Timestamp,
    ) -> Result<Progress, ActionError>;
    /// The progress of that purpose; `None` while nothing was sent. Sends nothing.
    async fn progress(&self, purpose: &str) -> Result<Option<Progress>, ActionError>;
    /// Why the recipient of this delivery cannot be paid now, whatever the sender holds; `None` where it can, or where that is
    /// not known. Sends nothing.
    async fn unpayable_reason(&self, delivery: &ChainAction) -> Result<Option<String>, ActionError> {
        let _ = delivery;
        Ok(None)
    }
    /// The most that the transactions of that purpose can have cost in fees, in units of the native coin; `None` where
    /// nothing was sent.
    async fn max_fees(&self, purpose: &str) -> Result<Option<U256>, ActionError> {
        let _ = purpose;
        Ok(None)
    }
    /// How many of these orders, from the first on, one transaction can claim with that many signatures. They share escrow,
    /// token, payee and epoch. One means that each is claimed alone.
    fn claims_that_fit(&self, orders: &[IntentTerms], signatures: usize) -> usize {
        let _ = (orders, signatures);
        1
    }
    /// The state of an order on chain. It is safe to base decisions on; retry after an error.
    async fn on_chain_status(&self, terms: &IntentTerms) -> Result<OnChainStatus, ActionError> {
        let _ = terms;
        Err(ActionError::Temporary(format!(
            "the order status is not readable with this key on chain {}",
            self.chain()
        )))
    }
    /// Rebroadcasts lost transactions, replaces stuck ones and records ended ones. Free while nothing is pending.
    async fn poll_pending(&self, now: Timestamp) -> Result<(), ActionError>;
}

/// A transaction of ours that succeeded in a final block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinalTransaction {
    pub chain: ChainId,
    /// As it was sent under.
    pub purpose: String,
    /// What it cost in network fees, data fees included, in the smallest units of the chain's coin.
    pub fee: U256,
}

/// Learns what transactions have cost. Each is reported once, by the process that recorded its end.
#[async_trait]
pub trait FeeObserver: Send + Sync {
    async fn transaction_final(&self, transaction: &FinalTransaction);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_attempt_has_a_purpose_of_its_own() {
        let purposes: Vec<String> = attempt_purposes("claim:0xab").collect();
        assert_eq!(purposes, ["claim:0xab", "claim:0xab:2", "claim:0xab:3", "claim:0xab:4", "claim:0xab:5"]);
    }
}
