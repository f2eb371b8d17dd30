mod advance;

use std::sync::Arc;

pub use advance::{JoinedContext, ProviderContext, ProviderStep, advance_provider};

use crate::{Address, JoinedOrder, JoinedTerms, Slippage};

/// The longest name of a provider's tool, in bytes: it is sealed into the route's id.
pub const MAX_TOOL: usize = 64;

/// How much of a provider's own word for a status is kept.
const MAX_WORD_CHARS: usize = 80;

/// Who holds the payer's money until the output is delivered, and what happens when it is not, for the payer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CustodyNotice {
    pub held_by: String,
    pub refunds: String,
}

/// What a build has to know of a route that a provider settles, besides its amounts and addresses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProviderTerms {
    /// The bridge or exchange that the provider goes through.
    pub tool: String,
    pub slippage: Slippage,
}

/// The part of an offer that says that the provider settles it, and not our escrow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderOffer {
    pub terms: ProviderTerms,
    pub notice: Arc<CustodyNotice>,
    /// Present where a swap of our own follows.
    pub joined: Option<JoinedTerms>,
}

/// An order that a provider settles: our escrow, attesters and refunds have no part in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderOrder {
    pub terms: ProviderTerms,
    pub notice: CustodyNotice,
    /// The pinned contract that takes the input, or the provider's address that it is sent to.
    pub target: Address,
    /// The pinned contract that the payer allows to take it; absent for native coins, on Solana and for transfers.
    pub spender: Option<Address>,
    /// The provider's own word for the status, as last heard.
    pub word: Option<String>,
    /// The payment's transaction as the provider names it, where the service does not read the source chain.
    pub named_deposit: Option<String>,
    /// Present where the route is joined: what follows the provider's delivery.
    pub joined: Option<Box<JoinedOrder>>,
}

/// How far the clocks of two chains may be apart, in seconds.
const CLOCK_SKEW: u64 = 120;

/// Whether a transfer was made before the deposit, by the times of their blocks: then it belongs to something else.
pub const fn is_before_deposit(transfer: u64, deposit: u64) -> bool {
    transfer.saturating_add(CLOCK_SKEW) < deposit
}

impl ProviderOrder {
    /// Keeps the first transaction that the provider names as the payment, if it has the form of one.
    pub fn set_named_deposit(&mut self, tx: &str) {
        let is_hash = tx.len() == 64 && tx.bytes().all(|digit| digit.is_ascii_hexdigit());
        if self.named_deposit.is_none() && is_hash {
            self.named_deposit = Some(tx.to_ascii_lowercase());
        }
    }

    /// Keeps the provider's word for the status, cut to a line.
    pub fn set_word(&mut self, word: &str) {
        let word: String = word.chars().filter(|c| !c.is_control()).take(MAX_WORD_CHARS).collect();
        self.word = Some(word).filter(|word| !word.is_empty());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_22_a_transfer_from_before_the_deposit_is_another_ones() {
        let deposit = 1_000_000;
        for (transfer, is_before) in
            [(0, true), (deposit - 121, true), (deposit - 120, false), (deposit, false)]
        {
            assert_eq!(is_before_deposit(transfer, deposit), is_before, "{transfer}");
        }
        assert!(is_before_deposit(0, u64::MAX), "without a deposit nothing counts");
    }
}
