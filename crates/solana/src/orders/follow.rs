use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use async_trait::async_trait;
use causeway_domain::ports::{ChainCursor, ChainError, ChainFollower, ChainUpdate, FinalityTier};
use causeway_domain::{ChainId, IdlePolling, SOLANA_CHAIN_ID, SolanaDeployment};
use solana_address::Address;
use solana_signature::Signature;
use tokio::time::{Instant, sleep, sleep_until};

use super::facts::facts;
use crate::program::EscrowProgram;
use crate::{Commitment, HistoryCursor, Mention, SolanaRpc};

/// Slots that every scan reads again, because nodes list the transactions of a block shortly after the block.
const REREAD_SLOTS: u64 = 64;
/// A longer backlog is split into several scans, to bound memory.
const MAX_TRANSACTIONS_PER_SCAN: usize = 2_000;
/// Nodes may have pruned the block of an older cursor, in slots.
const MAX_VERIFIABLE_CURSOR_AGE: u64 = 5_000;

/// How the follower polls the chain.
#[derive(Clone, Debug)]
pub struct SolanaFollowConfig {
    /// The interval between two scans.
    pub poll: Duration,
    /// The slower polling while no order waits for the chain, if any.
    pub idle_polling: Option<IdlePolling>,
}

/// Follows the escrow program and reports the facts of its accounts.
#[derive(Debug)]
pub struct SolanaOrderFollower {
    rpc: SolanaRpc,
    programs: Vec<(EscrowProgram, u64)>,
    config: SolanaFollowConfig,
    /// Everything up to this block was reported.
    cursor: Option<ChainCursor>,
    /// Whether the cursor was verified to be on this chain.
    is_checked: bool,
    /// The reported transactions of slots that are read again.
    reported: HashMap<Signature, (u64, Stage)>,
    queue: VecDeque<ChainUpdate>,
    next_scan: Instant,
    last_scan: Option<Instant>,
    halted: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Confirmed,
    Final,
}

/// The result of one scan.
#[derive(Default)]
struct Scan {
    final_facts: Vec<causeway_domain::Fact>,
    confirmed: Vec<causeway_domain::Fact>,
    reported: Vec<(Signature, (u64, Stage))>,
}

impl SolanaOrderFollower {
    /// Follows the programs of every version that may still have orders, starting after the given cursor.
    pub fn new(
        rpc: SolanaRpc,
        deployments: &[SolanaDeployment],
        config: SolanaFollowConfig,
        after: Option<ChainCursor>,
    ) -> Self {
        let program = |deployment: &SolanaDeployment| {
            (EscrowProgram::new(Address::new_from_array(deployment.program.0)), deployment.from_slot)
        };
        Self {
            rpc,
            programs: deployments.iter().map(program).collect(),
            config,
            cursor: after,
            is_checked: after.is_none(),
            reported: HashMap::new(),
            queue: VecDeque::new(),
            next_scan: Instant::now(),
            last_scan: None,
            halted: None,
        }
    }

    async fn scan(&mut self) -> Result<(), ChainError> {
        if let Some(reason) = &self.halted {
            return Err(ChainError::Disagreement(SOLANA_CHAIN_ID, reason.clone()));
        }
        let result = self.try_scan().await;
        if let Err(ChainError::Disagreement(_, reason)) = &result {
            self.halted = Some(reason.clone());
        }
        result
    }

    /// Changes state only after the last call, so that a dropped scan has no effect.
    async fn try_scan(&mut self) -> Result<(), ChainError> {
        let newest = self.rpc.final_slot().await?;
        self.check_cursor(newest).await?;
        if self.cursor.is_some_and(|cursor| newest < cursor.number) {
            // This node lags behind; it has nothing new.
            return Ok(());
        }
        let mut listed = Vec::new();
        for (program, first) in &self.programs {
            listed.push((*program, self.list(*program, *first, newest).await?));
        }
        let reached = newest;
        let newest = self.scan_end(newest, &listed);
        let moved = self.cursor.is_none_or(|cursor| cursor.number < newest);
        let cursor = match self.cursor {
            Some(cursor) if !moved => cursor,
            // A final slot always has a block; the answering endpoint lags behind.
            _ => self.rpc.agreed_cursor(newest).await?.ok_or(ChainError::Unavailable(SOLANA_CHAIN_ID))?,
        };
        let mut scan = Scan::default();
        for (program, listed) in &listed {
            self.scan_program(*program, listed, (newest, reached), &mut scan).await?;
        }
        if newest < reached {
            self.next_scan = Instant::now();
        }

        let floor = cursor.number.saturating_sub(REREAD_SLOTS);
        self.cursor = Some(cursor);
        self.reported.extend(scan.reported);
        self.reported.retain(|_, (slot, _)| *slot >= floor);
        if !scan.confirmed.is_empty() {
            self.queue.push_back(ChainUpdate::Unfinalized(scan.confirmed));
        }
        if moved || !scan.final_facts.is_empty() {
            self.queue.push_back(ChainUpdate::Final {
                tier: FinalityTier::Large,
                cursor,
                facts: scan.final_facts,
            });
        }
        Ok(())
    }

    /// The program's transactions since the last scan, oldest first.
    async fn list(
        &self,
        program: EscrowProgram,
        first: u64,
        newest: u64,
    ) -> Result<Vec<Mention>, ChainError> {
        let slot = self.cursor.map_or(first, |cursor| cursor.number.saturating_sub(REREAD_SLOTS).max(first));
        let start = HistoryCursor { slot, signature: None };
        self.rpc.mentions_at(&program.id, start, Commitment::Confirmed, Some(newest)).await
    }

    fn is_new(&self, mention: &Mention, stage: Stage) -> bool {
        let before = self.reported.get(&mention.signature).map(|(_, stage)| *stage);
        mention.failure.is_none() && before != Some(stage) && before != Some(Stage::Final)
    }

    /// The last slot of this scan, which bounds its number of transactions; never before the cursor.
    fn scan_end(&self, newest: u64, listed: &[(EscrowProgram, Vec<Mention>)]) -> u64 {
        let last = |listed: &Vec<Mention>| {
            let mut fresh = listed.iter().filter(|one| one.slot <= newest && self.is_new(one, Stage::Final));
            fresh.nth(MAX_TRANSACTIONS_PER_SCAN).map(|mention| mention.slot)
        };
        let cut = listed.iter().filter_map(|(_, listed)| last(listed)).min().unwrap_or(newest);
        self.cursor.map_or(cut, |cursor| cut.max(cursor.number)).min(newest)
    }

    async fn scan_program(
        &self,
        program: EscrowProgram,
        listed: &[Mention],
        (newest, reached): (u64, u64),
        scan: &mut Scan,
    ) -> Result<(), ChainError> {
        let (final_mentions, confirmed): (Vec<&Mention>, Vec<&Mention>) =
            listed.iter().partition(|mention| mention.slot <= newest);
        let pick = |mentions: Vec<&Mention>, stage| -> Vec<Signature> {
            mentions.into_iter().filter(|one| self.is_new(one, stage)).map(|one| one.signature).collect()
        };

        let transactions =
            self.rpc.final_escrow_transactions(program, &pick(final_mentions, Stage::Final)).await?;
        scan.final_facts
            .extend(facts(&self.rpc, program, &transactions, Commitment::Finalized, Some(reached)).await?);
        scan.reported.extend(
            transactions.iter().map(|transaction| (transaction.signature, (transaction.slot, Stage::Final))),
        );
        if newest < reached {
            // The next scan reports the rest.
            return Ok(());
        }

        let transactions = self
            .rpc
            .escrow_transactions(program, &pick(confirmed, Stage::Confirmed), Commitment::Confirmed)
            .await?;
        let transactions: Vec<_> = transactions.into_iter().flatten().collect();
        scan.confirmed.extend(facts(&self.rpc, program, &transactions, Commitment::Confirmed, None).await?);
        scan.reported.extend(
            transactions
                .iter()
                .map(|transaction| (transaction.signature, (transaction.slot, Stage::Confirmed))),
        );
        Ok(())
    }

    /// Verifies that the stored cursor is on this chain.
    async fn check_cursor(&mut self, newest: u64) -> Result<(), ChainError> {
        let Some(cursor) = self.cursor.filter(|cursor| !self.is_checked && cursor.number <= newest) else {
            return Ok(());
        };
        match self.rpc.agreed_cursor(cursor.number).await {
            Ok(Some(block)) if block.hash != cursor.hash => {
                let reason = format!("slot {} was {} and is {} now", cursor.number, cursor.hash, block.hash);
                return Err(ChainError::Disagreement(SOLANA_CHAIN_ID, reason));
            }
            Ok(_) => {}
            Err(error @ ChainError::Disagreement(..)) => return Err(error),
            Err(error) if newest.saturating_sub(cursor.number) < MAX_VERIFIABLE_CURSOR_AGE => {
                return Err(error);
            }
            Err(error) => tracing::debug!(%error, slot = cursor.number, "old cursor cannot be verified"),
        }
        self.is_checked = true;
        Ok(())
    }

    fn is_idle(&self) -> bool {
        let Some((idle_polling, last_scan)) = self.config.idle_polling.as_ref().zip(self.last_scan) else {
            return false;
        };
        idle_polling.should_skip(SOLANA_CHAIN_ID, last_scan.elapsed())
    }
}

#[async_trait]
impl ChainFollower for SolanaOrderFollower {
    fn chain(&self) -> ChainId {
        SOLANA_CHAIN_ID
    }

    async fn next(&mut self) -> Result<ChainUpdate, ChainError> {
        loop {
            if let Some(news) = self.queue.pop_front() {
                return Ok(news);
            }
            sleep_until(self.next_scan).await;
            while self.is_idle() {
                // An order may start to wait at any moment.
                sleep(self.config.poll).await;
            }
            let now = Instant::now();
            (self.last_scan, self.next_scan) = (Some(now), now + self.config.poll);
            self.scan().await?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RpcConfig;
    use crate::program::SANDBOX_PROGRAM;

    const PROGRAM: EscrowProgram = EscrowProgram::new(SANDBOX_PROGRAM);

    /// Its endpoint does not exist.
    fn follower(after: Option<u64>) -> SolanaOrderFollower {
        let rpc = SolanaRpc::new(RpcConfig::new(vec!["http://127.0.0.1:1".parse().unwrap()])).unwrap();
        let after = after.map(|number| ChainCursor { number, hash: alloy_primitives::B256::ZERO, time: 0 });
        let config = SolanaFollowConfig { poll: Duration::from_secs(1), idle_polling: None };
        SolanaOrderFollower::new(rpc, &[], config, after)
    }

    /// `count` transactions, three in each slot from 100 on.
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
    fn long_backlog_is_split_at_slot_boundaries() {
        assert_eq!(follower(None).scan_end(9_999, &backlog(2_000)), 9_999, "all at once");
        let mut follower = follower(None);
        let all = backlog(6_000);
        let mut scans = Vec::new();
        loop {
            let end = follower.scan_end(9_999, &all);
            scans.push(end);
            if end == 9_999 {
                break;
            }
            let reported = all[0].1.iter().filter(|one| one.slot <= end);
            follower.reported.extend(reported.map(|one| (one.signature, (one.slot, Stage::Final))));
        }
        assert_eq!(scans, [766, 1_433, 9_999]);
    }

    #[test]
    fn scan_never_ends_before_the_cursor() {
        assert_eq!(follower(Some(5_000)).scan_end(9_999, &backlog(6_000)), 5_000);
    }
}
