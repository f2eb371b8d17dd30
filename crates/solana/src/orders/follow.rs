use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use async_trait::async_trait;
use causeway_domain::ports::{BlockMark, Care, ChainError, Follow, News};
use causeway_domain::{ChainId, Leisure, SOLANA_CHAIN_ID, SolanaDeployment};
use solana_address::Address;
use solana_signature::Signature;
use tokio::time::{Instant, sleep, sleep_until};

use super::facts::facts;
use crate::program::EscrowProgram;
use crate::{Bookmark, Commitment, Mention, SolanaRpc};

/// Slots that are read again at every look, because nodes list what is in a block a moment after the block.
const AGAIN: u64 = 64;
/// A backlog is told in pieces of about so many transactions, so that a long one needs no more memory than a short one.
const AT_ONCE: usize = 2_000;
/// A mark that is older than this may lie in blocks that nodes have forgotten.
const REMEMBERED: u64 = 5_000;

/// How the chain is followed for orders.
#[derive(Clone, Debug)]
pub struct SolanaFollowConfig {
    /// How long to wait between two looks at the chain.
    pub poll: Duration,
    /// How it is looked at while nobody waits for it, if otherwise.
    pub leisure: Option<Leisure>,
}

/// Follows our program and tells what its final accounts show about orders.
#[derive(Debug)]
pub struct SolanaOrderFollower {
    rpc: SolanaRpc,
    programs: Vec<(EscrowProgram, u64)>,
    config: SolanaFollowConfig,
    /// Everything up to there was told.
    mark: Option<BlockMark>,
    /// Whether the mark is known to lie on this chain.
    is_checked: bool,
    /// What was told of the slots that are read again, and whether for good.
    told: HashMap<Signature, (u64, Stage)>,
    queue: VecDeque<News>,
    due: Instant,
    looked: Option<Instant>,
    halted: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Seen,
    Final,
}

/// What one look brought.
#[derive(Default)]
struct Look {
    stands: Vec<causeway_domain::Fact>,
    seen: Vec<causeway_domain::Fact>,
    told: Vec<(Signature, (u64, Stage))>,
}

impl SolanaOrderFollower {
    /// Follows these programs, of every version that may still have orders, from the given mark on.
    pub fn new(
        rpc: SolanaRpc,
        deployments: &[SolanaDeployment],
        config: SolanaFollowConfig,
        after: Option<BlockMark>,
    ) -> Self {
        let program = |there: &SolanaDeployment| {
            (EscrowProgram::new(Address::new_from_array(there.program.0)), there.from_slot)
        };
        Self {
            rpc,
            programs: deployments.iter().map(program).collect(),
            config,
            mark: after,
            is_checked: after.is_none(),
            told: HashMap::new(),
            queue: VecDeque::new(),
            due: Instant::now(),
            looked: None,
            halted: None,
        }
    }

    async fn look(&mut self) -> Result<(), ChainError> {
        if let Some(words) = &self.halted {
            return Err(ChainError::Disagreement(SOLANA_CHAIN_ID, words.clone()));
        }
        let looked = self.try_look().await;
        if let Err(ChainError::Disagreement(_, words)) = &looked {
            self.halted = Some(words.clone());
        }
        looked
    }

    /// Changes nothing before its last question is answered, so that a dropped look is as if it had not been.
    async fn try_look(&mut self) -> Result<(), ChainError> {
        let newest = self.rpc.final_slot().await?;
        self.check_mark(newest).await?;
        if self.mark.is_some_and(|mark| newest < mark.number) {
            // This node is behind; what it would tell is known.
            return Ok(());
        }
        let mut listed = Vec::new();
        for (program, first) in &self.programs {
            listed.push((*program, self.list(*program, *first, newest).await?));
        }
        let reached = newest;
        let newest = self.piece(newest, &listed);
        let moved = self.mark.is_none_or(|mark| mark.number < newest);
        let mark = match self.mark {
            Some(mark) if !moved => mark,
            // A final slot without a block cannot be: the endpoint that is asked next is behind.
            _ => self.rpc.agreed_mark(newest).await?.ok_or(ChainError::Unavailable(SOLANA_CHAIN_ID))?,
        };
        let mut look = Look::default();
        for (program, listed) in &listed {
            self.look_at(*program, listed, (newest, reached), &mut look).await?;
        }
        if newest < reached {
            self.due = Instant::now();
        }

        let floor = mark.number.saturating_sub(AGAIN);
        self.mark = Some(mark);
        self.told.extend(look.told);
        self.told.retain(|_, (slot, _)| *slot >= floor);
        if !look.seen.is_empty() {
            self.queue.push_back(News::Seen(look.seen));
        }
        if moved || !look.stands.is_empty() {
            self.queue.push_back(News::Stands { care: Care::Large, mark, facts: look.stands });
        }
        Ok(())
    }

    /// The program's transactions since the last look, oldest first.
    async fn list(
        &self,
        program: EscrowProgram,
        first: u64,
        newest: u64,
    ) -> Result<Vec<Mention>, ChainError> {
        let slot = self.mark.map_or(first, |mark| mark.number.saturating_sub(AGAIN).max(first));
        let bookmark = Bookmark { slot, signature: None };
        self.rpc.mentions_at(&program.id, bookmark, Commitment::Confirmed, Some(newest)).await
    }

    fn is_new(&self, mention: &Mention, stage: Stage) -> bool {
        let before = self.told.get(&mention.signature).map(|(_, stage)| *stage);
        mention.failure.is_none() && before != Some(stage) && before != Some(Stage::Final)
    }

    /// The slot up to which there are not too many transactions to tell at once; never behind what was told.
    fn piece(&self, newest: u64, listed: &[(EscrowProgram, Vec<Mention>)]) -> u64 {
        let last = |listed: &Vec<Mention>| {
            let mut fresh = listed.iter().filter(|one| one.slot <= newest && self.is_new(one, Stage::Final));
            fresh.nth(AT_ONCE).map(|mention| mention.slot)
        };
        let cut = listed.iter().filter_map(|(_, listed)| last(listed)).min().unwrap_or(newest);
        self.mark.map_or(cut, |mark| cut.max(mark.number)).min(newest)
    }

    async fn look_at(
        &self,
        program: EscrowProgram,
        listed: &[Mention],
        (newest, reached): (u64, u64),
        look: &mut Look,
    ) -> Result<(), ChainError> {
        let (stand, seen): (Vec<&Mention>, Vec<&Mention>) =
            listed.iter().partition(|mention| mention.slot <= newest);
        let pick = |mentions: Vec<&Mention>, stage| -> Vec<Signature> {
            mentions.into_iter().filter(|one| self.is_new(one, stage)).map(|one| one.signature).collect()
        };

        let told = self.rpc.told_for_good(program, &pick(stand, Stage::Final)).await?;
        look.stands.extend(facts(&self.rpc, program, &told, Commitment::Finalized, Some(reached)).await?);
        look.told.extend(told.iter().map(|told| (told.signature, (told.slot, Stage::Final))));
        if newest < reached {
            // The rest is told in its turn.
            return Ok(());
        }

        let told = self.rpc.told(program, &pick(seen, Stage::Seen), Commitment::Confirmed).await?;
        let told: Vec<_> = told.into_iter().flatten().collect();
        look.seen.extend(facts(&self.rpc, program, &told, Commitment::Confirmed, None).await?);
        look.told.extend(told.iter().map(|told| (told.signature, (told.slot, Stage::Seen))));
        Ok(())
    }

    /// Whether the mark from before a restart lies on this chain.
    async fn check_mark(&mut self, newest: u64) -> Result<(), ChainError> {
        let Some(mark) = self.mark.filter(|mark| !self.is_checked && mark.number <= newest) else {
            return Ok(());
        };
        match self.rpc.agreed_mark(mark.number).await {
            Ok(Some(there)) if there.hash != mark.hash => {
                let words = format!("slot {} was {} and is {} now", mark.number, mark.hash, there.hash);
                return Err(ChainError::Disagreement(SOLANA_CHAIN_ID, words));
            }
            Ok(_) => {}
            Err(error @ ChainError::Disagreement(..)) => return Err(error),
            Err(error) if newest.saturating_sub(mark.number) < REMEMBERED => return Err(error),
            Err(error) => tracing::debug!(%error, slot = mark.number, "an old mark cannot be compared"),
        }
        self.is_checked = true;
        Ok(())
    }

    fn rests(&self) -> bool {
        let Some((leisure, looked)) = self.config.leisure.as_ref().zip(self.looked) else { return false };
        leisure.rests(SOLANA_CHAIN_ID, looked.elapsed())
    }
}

#[async_trait]
impl Follow for SolanaOrderFollower {
    fn chain(&self) -> ChainId {
        SOLANA_CHAIN_ID
    }

    async fn next(&mut self) -> Result<News, ChainError> {
        loop {
            if let Some(news) = self.queue.pop_front() {
                return Ok(news);
            }
            sleep_until(self.due).await;
            while self.rests() {
                // Somebody may begin to wait at any moment.
                sleep(self.config.poll).await;
            }
            let now = Instant::now();
            (self.looked, self.due) = (Some(now), now + self.config.poll);
            self.look().await?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RpcConfig;
    use crate::program::SANDBOX_PROGRAM;

    const PROGRAM: EscrowProgram = EscrowProgram::new(SANDBOX_PROGRAM);

    /// Nobody is asked anything.
    fn follower(after: Option<u64>) -> SolanaOrderFollower {
        let rpc = SolanaRpc::new(RpcConfig::new(vec!["http://127.0.0.1:1".parse().unwrap()])).unwrap();
        let after = after.map(|number| BlockMark { number, hash: alloy_primitives::B256::ZERO, time: 0 });
        let config = SolanaFollowConfig { poll: Duration::from_secs(1), leisure: None };
        SolanaOrderFollower::new(rpc, &[], config, after)
    }

    /// So many transactions, three in each slot from 100 on.
    fn backlog(count: u16) -> Vec<(EscrowProgram, Vec<Mention>)> {
        let mention = |number: u16| {
            let mut signature = [0; 64];
            signature[..2].copy_from_slice(&number.to_be_bytes());
            let slot = 100 + u64::from(number) / 3;
            Mention { signature: signature.into(), slot, failure: None, block_time: None }
        };
        vec![(PROGRAM, (0..count).map(mention).collect())]
    }

    #[test]
    fn a_long_backlog_is_told_in_pieces_that_end_with_a_whole_slot() {
        assert_eq!(follower(None).piece(9_999, &backlog(2_000)), 9_999, "all at once");
        let mut follower = follower(None);
        let all = backlog(6_000);
        let mut pieces = Vec::new();
        loop {
            let end = follower.piece(9_999, &all);
            pieces.push(end);
            if end == 9_999 {
                break;
            }
            let told = all[0].1.iter().filter(|one| one.slot <= end);
            follower.told.extend(told.map(|one| (one.signature, (one.slot, Stage::Final))));
        }
        assert_eq!(pieces, [766, 1_433, 9_999]);
    }

    #[test]
    fn a_piece_never_ends_before_what_was_told() {
        assert_eq!(follower(Some(5_000)).piece(9_999, &backlog(6_000)), 5_000);
    }
}
