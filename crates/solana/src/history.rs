use causeway_domain::ports::ChainError;
use serde::Deserialize;
use serde_json::{Value, json};
use solana_address::Address;
use solana_signature::Signature;

use crate::RpcError;
use crate::commitment::Commitment;
use crate::rpc::{Call, SolanaRpc};
use crate::transaction::explain;

/// Little changes between two polls, so the first page is small; a backlog is read in full pages.
const FIRST_PAGE: usize = 64;
const FULL_PAGE: usize = 1_000;
/// A longer backlog is refused. Anybody can mention an address for 5,000 lamports, so that it takes about 50 SOL.
const MAX_PAGES: usize = 10_000;

/// A transaction that mentions an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    pub signature: Signature,
    pub slot: u64,
    /// Why it failed, if it did.
    pub failure: Option<String>,
    /// Unix seconds, if the node knows them.
    pub block_time: Option<i64>,
}

/// Up to where the transactions of an address have been processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryCursor {
    pub slot: u64,
    /// The last processed transaction; `None` when only the start slot is known.
    pub signature: Option<Signature>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireMention {
    signature: String,
    slot: u64,
    #[serde(default)]
    err: Option<Value>,
    #[serde(default)]
    block_time: Option<i64>,
}

impl TryFrom<WireMention> for Mention {
    type Error = String;

    fn try_from(wire: WireMention) -> Result<Self, Self::Error> {
        let signature =
            wire.signature.parse().map_err(|_| format!("`{}` is not a signature", wire.signature))?;
        let failure = wire.err.as_ref().map(explain);
        Ok(Self { signature, slot: wire.slot, failure, block_time: wire.block_time })
    }
}

impl SolanaRpc {
    /// The final transactions that mention `address` since the cursor, oldest first.
    ///
    /// Other transactions of the cursor's slot are repeated, because nodes disagree on the order within a slot.
    /// The call fails if the cursor's signature cannot be found, so that no gap can occur.
    pub async fn mentions_since(
        &self,
        address: &Address,
        cursor: HistoryCursor,
    ) -> Result<Vec<Mention>, ChainError> {
        self.mentions_at(address, cursor, Commitment::Finalized, None).await
    }

    /// The same at another commitment, from a node that has reached slot `not_before`.
    pub async fn mentions_at(
        &self,
        address: &Address,
        cursor: HistoryCursor,
        commitment: Commitment,
        not_before: Option<u64>,
    ) -> Result<Vec<Mention>, ChainError> {
        let mut walk = HistoryWalk::new(cursor);
        if self.walk(address, &mut walk, (commitment, not_before), MAX_PAGES).await? {
            return Ok(walk.finish());
        }
        let reason = format!("more than {} transactions since slot {}", MAX_PAGES * FULL_PAGE, cursor.slot);
        Err(RpcError::Refused { code: 0, message: reason, data: None }.into())
    }

    /// Reads at most so many pages more of a walk; true when it has reached its cursor. A walk that was not finished,
    /// or that failed, goes on where it stopped.
    pub(crate) async fn walk(
        &self,
        address: &Address,
        walk: &mut HistoryWalk,
        at: (Commitment, Option<u64>),
        pages: usize,
    ) -> Result<bool, ChainError> {
        for _ in 0..pages {
            if walk.is_done {
                break;
            }
            let limit = if walk.last.is_none() { FIRST_PAGE } else { FULL_PAGE };
            let mentions = self.mentions_page(address, walk.last, limit, at).await?;
            walk.add_page(mentions, limit)?;
        }
        Ok(walk.is_done)
    }

    async fn mentions_page(
        &self,
        address: &Address,
        before: Option<Signature>,
        limit: usize,
        (commitment, not_before): (Commitment, Option<u64>),
    ) -> Result<Vec<Mention>, RpcError> {
        let mut options = json!({ "limit": limit, "commitment": commitment });
        if let Value::Object(options) = &mut options {
            options.extend(before.map(|before| ("before".to_owned(), before.to_string().into())));
            options.extend(not_before.map(|slot| ("minContextSlot".to_owned(), slot.into())));
        }
        let call = Call { method: "getSignaturesForAddress", params: json!([address.to_string(), options]) };
        self.request(call, |page: Vec<WireMention>| {
            if page.len() > limit || !page.is_sorted_by(|newer, older| newer.slot >= older.slot) {
                return Err("too many signatures, or not in order".to_owned());
            }
            page.into_iter().map(Mention::try_from).collect()
        })
        .await
    }
}

/// Walks back from the newest transaction to the cursor, in as many steps as its owner likes.
#[derive(Debug)]
pub(crate) struct HistoryWalk {
    cursor: HistoryCursor,
    found: Vec<Mention>,
    /// The oldest transaction that was read.
    last: Option<Signature>,
    saw_cursor: bool,
    skips_failed: bool,
    is_done: bool,
}

impl HistoryWalk {
    fn new(cursor: HistoryCursor) -> Self {
        let saw_cursor = cursor.signature.is_none();
        Self { cursor, found: Vec::new(), last: None, saw_cursor, skips_failed: false, is_done: false }
    }

    /// A walk back to a slot that keeps successful transactions only.
    pub(crate) fn of_successful(slot: u64) -> Self {
        Self { skips_failed: true, ..Self::new(HistoryCursor { slot, signature: None }) }
    }

    /// Adds a page, newest first; true when the cursor is reached.
    fn add_page(&mut self, page: Vec<Mention>, limit: usize) -> Result<bool, RpcError> {
        self.is_done = self.has_reached_cursor(page, limit)?;
        Ok(self.is_done)
    }

    fn has_reached_cursor(&mut self, page: Vec<Mention>, limit: usize) -> Result<bool, RpcError> {
        let full = page.len() == limit;
        for mention in page {
            self.last = Some(mention.signature);
            self.saw_cursor |= Some(mention.signature) == self.cursor.signature;
            if mention.slot < self.cursor.slot {
                // Everything before an older slot has been processed.
                self.saw_cursor = true;
                return Ok(true);
            }
            if mention.failure.is_none() || !self.skips_failed {
                self.found.push(mention);
            }
        }
        if full {
            return Ok(false);
        }
        // A node that does not know `before` returns an empty page, which looks like the end.
        if self.saw_cursor {
            return Ok(true);
        }
        let reason = "its history does not reach back to the last processed transaction";
        Err(RpcError::InvalidResponse(reason.to_owned()))
    }

    /// What was found, oldest first.
    pub(crate) fn finish(mut self) -> Vec<Mention> {
        self.found.retain(|mention| Some(mention.signature) != self.cursor.signature);
        self.found.reverse();
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(number: u8) -> Signature {
        Signature::from([number; 64])
    }

    fn mention(number: u8, slot: u64) -> Mention {
        Mention { signature: signature(number), slot, failure: None, block_time: None }
    }

    fn numbers(walk: HistoryWalk) -> Vec<u8> {
        walk.finish().iter().map(|mention| mention.signature.as_ref()[0]).collect()
    }

    #[test]
    fn new_transactions_come_oldest_first_without_the_cursor() {
        let mut walk = HistoryWalk::new(HistoryCursor { slot: 10, signature: Some(signature(1)) });
        assert_eq!(walk.add_page(vec![mention(4, 12), mention(3, 11)], 2), Ok(false));
        assert_eq!(walk.last, Some(signature(3)));
        assert_eq!(walk.add_page(vec![mention(1, 10), mention(0, 9)], 2), Ok(true));
        assert_eq!(numbers(walk), [3, 4]);
    }

    #[test]
    fn other_transactions_of_the_cursors_slot_are_repeated() {
        let mut walk = HistoryWalk::new(HistoryCursor { slot: 10, signature: Some(signature(2)) });
        assert_eq!(walk.add_page(vec![mention(3, 10), mention(2, 10), mention(1, 10)], 5), Ok(true));
        assert_eq!(numbers(walk), [1, 3]);
    }

    #[test]
    fn history_that_ends_before_the_cursor_is_rejected() {
        let mut walk = HistoryWalk::new(HistoryCursor { slot: 10, signature: Some(signature(1)) });
        assert_eq!(walk.add_page(vec![mention(4, 12)], 1), Ok(false));
        assert!(matches!(walk.add_page(Vec::new(), 1), Err(RpcError::InvalidResponse(_))));
    }

    #[test]
    fn a_new_address_may_have_a_short_history() {
        let mut walk = HistoryWalk::new(HistoryCursor { slot: 10, signature: None });
        assert_eq!(walk.add_page(vec![mention(4, 12)], 64), Ok(true));
        assert_eq!(numbers(walk), [4]);
    }
    #[test]
    fn a_walk_may_keep_successful_transactions_only() {
        let mut walk = HistoryWalk::of_successful(10);
        let failed = Mention { failure: Some("no".to_owned()), ..mention(3, 11) };
        assert_eq!(walk.add_page(vec![mention(4, 12), failed], 2), Ok(false));
        assert_eq!(walk.last, Some(signature(3)), "the next page begins after it");
        assert_eq!(walk.add_page(vec![mention(2, 10), mention(1, 9)], 2), Ok(true));
        assert_eq!(numbers(walk), [2, 4]);
    }
}
