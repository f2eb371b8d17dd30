use causeway_domain::ports::ChainError;
use serde::Deserialize;
use serde_json::{Value, json};
use solana_address::Address;
use solana_signature::Signature;

use crate::RpcError;
use crate::commitment::Commitment;
use crate::rpc::{Call, SolanaRpc};
use crate::transaction::explain;

/// Little is new from one look to the next, so the first page is small; a backlog is read in full pages.
const FIRST_PAGE: usize = 64;
const FULL_PAGE: usize = 1_000;
/// A backlog beyond this is not read in one go; who follows the chain moves its start instead.
const MAX_PAGES: usize = 200;

/// A transaction that mentions an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    pub signature: Signature,
    pub slot: u64,
    /// Why it failed, in words, if it did.
    pub failure: Option<String>,
    /// Seconds since 1970, where the node knows them.
    pub block_time: Option<i64>,
}

/// Up to where an address's transactions have been dealt with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bookmark {
    pub slot: u64,
    /// The last one dealt with; `None` when only the slot to start at is known.
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
    /// The final transactions that mention `address` since the bookmark, oldest first.
    ///
    /// Those of the bookmark's own slot come again, all but its signature: nodes do not agree on the order within
    /// a slot, so who follows must not mind a repetition. If the bookmarked signature cannot be found again the call
    /// fails rather than leave a gap.
    pub async fn mentions_since(
        &self,
        address: &Address,
        bookmark: Bookmark,
    ) -> Result<Vec<Mention>, ChainError> {
        self.mentions_at(address, bookmark, Commitment::Finalized, None).await
    }

    /// The same at another commitment, from a node that has reached `not_before`.
    pub async fn mentions_at(
        &self,
        address: &Address,
        bookmark: Bookmark,
        commitment: Commitment,
        not_before: Option<u64>,
    ) -> Result<Vec<Mention>, ChainError> {
        let mut walk = Walk::new(bookmark);
        for page in 0..MAX_PAGES {
            let limit = if page == 0 { FIRST_PAGE } else { FULL_PAGE };
            let mentions =
                self.mentions_page(address, walk.before(), limit, (commitment, not_before)).await?;
            if walk.take(mentions, limit)? {
                return Ok(walk.finish());
            }
        }
        let words = format!("more than {} transactions since slot {}", MAX_PAGES * FULL_PAGE, bookmark.slot);
        Err(RpcError::Refused { code: 0, message: words, data: None }.into())
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
        self.ask(call, |page: Vec<WireMention>| {
            if page.len() > limit || !page.is_sorted_by(|newer, older| newer.slot >= older.slot) {
                return Err("signatures that are too many or not in order".to_owned());
            }
            page.into_iter().map(Mention::try_from).collect()
        })
        .await
    }
}

/// The way back from the newest transaction to the bookmark.
struct Walk {
    bookmark: Bookmark,
    found: Vec<Mention>,
    saw_bookmark: bool,
}

impl Walk {
    fn new(bookmark: Bookmark) -> Self {
        Self { bookmark, found: Vec::new(), saw_bookmark: bookmark.signature.is_none() }
    }

    fn before(&self) -> Option<Signature> {
        self.found.last().map(|mention| mention.signature)
    }

    /// Takes a page, newest first; true when the bookmark is reached.
    fn take(&mut self, page: Vec<Mention>, limit: usize) -> Result<bool, RpcError> {
        let full = page.len() == limit;
        for mention in page {
            self.saw_bookmark |= Some(mention.signature) == self.bookmark.signature;
            if mention.slot < self.bookmark.slot {
                // Whatever lies before an older slot has been dealt with.
                self.saw_bookmark = true;
                return Ok(true);
            }
            self.found.push(mention);
        }
        if full {
            return Ok(false);
        }
        // A node that does not know where to go on answers with an empty page, which looks like the end.
        if self.saw_bookmark {
            return Ok(true);
        }
        let words = "its history does not reach back to the last transaction that was dealt with";
        Err(RpcError::Nonsense(words.to_owned()))
    }

    fn finish(mut self) -> Vec<Mention> {
        self.found.retain(|mention| Some(mention.signature) != self.bookmark.signature);
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

    fn numbers(walk: Walk) -> Vec<u8> {
        walk.finish().iter().map(|mention| mention.signature.as_ref()[0]).collect()
    }

    #[test]
    fn what_is_new_comes_oldest_first_without_the_bookmark() {
        let mut walk = Walk::new(Bookmark { slot: 10, signature: Some(signature(1)) });
        assert_eq!(walk.take(vec![mention(4, 12), mention(3, 11)], 2), Ok(false));
        assert_eq!(walk.before(), Some(signature(3)));
        assert_eq!(walk.take(vec![mention(1, 10), mention(0, 9)], 2), Ok(true));
        assert_eq!(numbers(walk), [3, 4]);
    }

    #[test]
    fn others_of_the_bookmarks_slot_come_again_rather_than_get_lost() {
        let mut walk = Walk::new(Bookmark { slot: 10, signature: Some(signature(2)) });
        assert_eq!(walk.take(vec![mention(3, 10), mention(2, 10), mention(1, 10)], 5), Ok(true));
        assert_eq!(numbers(walk), [1, 3]);
    }

    #[test]
    fn a_history_that_ends_before_the_bookmark_is_not_believed() {
        let mut walk = Walk::new(Bookmark { slot: 10, signature: Some(signature(1)) });
        assert_eq!(walk.take(vec![mention(4, 12)], 1), Ok(false));
        assert!(matches!(walk.take(Vec::new(), 1), Err(RpcError::Nonsense(_))));
    }

    #[test]
    fn a_new_address_may_have_a_short_history() {
        let mut walk = Walk::new(Bookmark { slot: 10, signature: None });
        assert_eq!(walk.take(vec![mention(4, 12)], 64), Ok(true));
        assert_eq!(numbers(walk), [4]);
    }
}
