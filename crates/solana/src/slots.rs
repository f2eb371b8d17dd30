use std::fmt;
use std::ops::RangeInclusive;

use causeway_domain::SOLANA_CHAIN_ID;
use causeway_domain::ports::{BlockMark, ChainError};
use serde::Deserialize;
use serde_json::json;
use solana_hash::Hash;

use crate::RpcError;
use crate::commitment::Commitment;
use crate::rpc::{Call, SolanaRpc};

/// How far the chain is: the newest slot of a node, and the newest that cannot go back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heads {
    pub processed: u64,
    pub finalized: u64,
}

impl Heads {
    /// Slots that may still lie on a fork that dies.
    pub const fn unfinalized(&self) -> u64 {
        self.processed.saturating_sub(self.finalized)
    }
}

/// What a look at the chain means to somebody who follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// These slots are final now.
    Finalized(RangeInclusive<u64>),
    /// Nothing new is final.
    Unchanged,
    /// The node that answered knows less than we have seen; what we know stands.
    Behind { by: u64 },
    /// The newest slot went back to this one, because a fork died or another node answered; nothing final is touched.
    Forked { to: u64 },
}

/// Follows what is final on the chain; it only ever moves forward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotFollower {
    heads: Heads,
}

impl SlotFollower {
    /// Everything up to and including `finalized` has been dealt with.
    pub const fn after(finalized: u64) -> Self {
        Self { heads: Heads { processed: finalized, finalized } }
    }

    pub const fn heads(&self) -> Heads {
        self.heads
    }

    /// Takes in what a node says, and tells what is new.
    pub fn take(&mut self, seen: Heads) -> Step {
        let before = self.heads;
        self.heads.processed = seen.processed.max(seen.finalized).max(before.finalized);
        if seen.finalized > before.finalized {
            self.heads.finalized = seen.finalized;
            return Step::Finalized(before.finalized + 1..=seen.finalized);
        }
        if seen.finalized < before.finalized {
            self.heads.processed = before.processed;
            return Step::Behind { by: before.finalized - seen.finalized };
        }
        if seen.processed < before.processed {
            return Step::Forked { to: self.heads.processed };
        }
        Step::Unchanged
    }

    /// Looks at the chain once.
    pub async fn look(&mut self, rpc: &SolanaRpc) -> Result<Step, ChainError> {
        Ok(self.take(rpc.heads().await?))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireBlock {
    blockhash: String,
    #[serde(default)]
    block_time: Option<i64>,
}

impl SolanaRpc {
    /// The newest slot and the newest final one, as one endpoint sees them.
    pub async fn heads(&self) -> Result<Heads, ChainError> {
        let ask = |commitment| Call { method: "getSlot", params: json!([{ "commitment": commitment }]) };
        let calls = [ask(Commitment::Finalized), ask(Commitment::Processed)];
        let slots = self.ask_all(&calls, |_, slot: u64| Ok(slot)).await?;
        match slots[..] {
            // The second answer may come from a node that is behind the first.
            [finalized, processed] => Ok(Heads { processed: processed.max(finalized), finalized }),
            _ => Err(RpcError::Nonsense("not one answer to each question".to_owned()).into()),
        }
    }

    /// The newest final slot, which has a block.
    pub async fn final_slot(&self) -> Result<u64, ChainError> {
        Ok(self.call("getSlot", json!([{ "commitment": Commitment::Finalized }])).await?)
    }

    /// The block hash of a final slot, in which all endpoints that know it must agree; `None` if the slot was skipped.
    pub async fn agreed_block(&self, slot: u64) -> Result<Option<String>, ChainError> {
        let opinions = self.opinions(slot).await;
        agree(slot, opinions.map(|opinion| opinion.map(|block| block.map(|block| block.blockhash))))
    }

    /// A final slot's block with its time, in which all endpoints that know it must agree; `None` if the slot was skipped.
    pub async fn agreed_mark(&self, slot: u64) -> Result<Option<BlockMark>, ChainError> {
        let opinions = self.opinions(slot).await;
        let marks = opinions.map(|opinion| opinion?.map(|block| read_mark(slot, &block)).transpose());
        agree(slot, marks)
    }

    /// What each endpoint says of a final slot's block.
    pub(crate) async fn marks(&self, slot: u64) -> Vec<Result<Option<BlockMark>, RpcError>> {
        let opinions = self.opinions(slot).await;
        opinions.map(|opinion| opinion?.map(|block| read_mark(slot, &block)).transpose()).collect()
    }

    async fn opinions(&self, slot: u64) -> impl Iterator<Item = Result<Option<WireBlock>, RpcError>> + use<> {
        let options = json!({
            "commitment": Commitment::Finalized,
            "transactionDetails": "none",
            "rewards": false,
            "maxSupportedTransactionVersion": 0,
        });
        let call = Call { method: "getBlock", params: json!([slot, options]) };
        self.ask_everyone::<Option<WireBlock>>(call).await.into_iter()
    }
}

fn read_mark(slot: u64, block: &WireBlock) -> Result<BlockMark, RpcError> {
    let nonsense = |what: &str| RpcError::Nonsense(format!("slot {slot} has no {what}"));
    let hash: Hash = block.blockhash.parse().map_err(|_| nonsense("block hash"))?;
    let time = block.block_time.and_then(|time| u64::try_from(time).ok());
    Ok(BlockMark { number: slot, hash: hash.to_bytes().into(), time: time.ok_or_else(|| nonsense("time"))? })
}

pub(crate) const SLOT_SKIPPED: [i64; 2] = [-32_007, -32_009];

fn agree<T: PartialEq + fmt::Debug>(
    slot: u64,
    opinions: impl Iterator<Item = Result<Option<T>, RpcError>>,
) -> Result<Option<T>, ChainError> {
    let mut agreed: Option<Option<T>> = None;
    let mut error = RpcError::WrongChain("no endpoint serves it".to_owned());
    for opinion in opinions {
        let block = match opinion {
            Ok(Some(hash)) => Some(hash),
            Ok(None) => None,
            Err(RpcError::Refused { code, .. }) if SLOT_SKIPPED.contains(&code) => None,
            Err(other) => {
                error = other;
                continue;
            }
        };
        match &agreed {
            Some(first) if *first != block => {
                let name = |block: &Option<T>| {
                    block.as_ref().map_or_else(|| "skipped".to_owned(), |block| format!("{block:?}"))
                };
                let words = format!("slot {slot} is {} and {}", name(first), name(&block));
                return Err(ChainError::Disagreement(SOLANA_CHAIN_ID, words));
            }
            Some(_) => {}
            None => agreed = Some(block),
        }
    }
    agreed.ok_or_else(|| error.into())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn heads(processed: u64, finalized: u64) -> Heads {
        Heads { processed, finalized }
    }

    #[test]
    fn each_final_slot_is_told_once_and_in_order() {
        let mut follower = SlotFollower::after(100);
        assert_eq!(follower.take(heads(133, 101)), Step::Finalized(101..=101));
        assert_eq!(follower.take(heads(140, 101)), Step::Unchanged);
        assert_eq!(follower.take(heads(150, 118)), Step::Finalized(102..=118));
        assert_eq!(follower.heads().unfinalized(), 32);
    }

    #[test]
    fn a_dying_fork_is_told_and_touches_nothing_final() {
        let mut follower = SlotFollower::after(100);
        follower.take(heads(140, 110));
        assert_eq!(follower.take(heads(136, 110)), Step::Forked { to: 136 });
        assert_eq!(follower.heads(), heads(136, 110));
    }

    #[test]
    fn a_node_that_is_behind_takes_nothing_back() {
        let mut follower = SlotFollower::after(100);
        follower.take(heads(140, 110));
        assert_eq!(follower.take(heads(120, 90)), Step::Behind { by: 20 });
        assert_eq!(follower.heads(), heads(140, 110));
    }

    #[test]
    fn endpoints_that_contradict_each_other_about_a_final_slot_halt_the_chain() {
        let said = |text: &str| Ok(Some(text.to_owned()));
        let skipped = || Err(RpcError::Refused { code: -32_007, message: "skipped".to_owned(), data: None });
        let silent = || Err(RpcError::Unavailable("x".to_owned()));
        assert_eq!(agree(1, [said("a"), silent(), said("a")].into_iter()).unwrap(), Some("a".to_owned()));
        assert_eq!(agree(1, [skipped(), Ok(None)].into_iter()).unwrap(), None);
        for opinions in [[said("a"), said("b")], [said("a"), skipped()]] {
            let error = agree(1, opinions.into_iter()).unwrap_err();
            assert!(matches!(error, ChainError::Disagreement(..)), "{error}");
        }
        assert!(matches!(agree(1, [silent()].into_iter()), Err(ChainError::Unavailable(_))));
    }

    proptest! {
        #[test]
        fn told_slots_are_gapless_whatever_nodes_say(seen in prop::collection::vec(any::<(u64, u64)>(), 0..50)) {
            let mut follower = SlotFollower::after(0);
            let mut next = 1;
            for (processed, finalized) in seen {
                if let Step::Finalized(slots) = follower.take(heads(processed, finalized)) {
                    prop_assert_eq!(*slots.start(), next);
                    next = slots.end().saturating_add(1);
                }
                prop_assert!(follower.heads().processed >= follower.heads().finalized);
            }
        }
    }
}
