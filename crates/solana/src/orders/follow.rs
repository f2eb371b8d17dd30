use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use async_trait::async_trait;
use causeway_domain::ports::{ChainCursor, ChainError, ChainFollower, ChainUpdate, FinalityTier};
use causeway_domain::{ChainId, Fact, FactKind, IdlePolling, IntentTerms, SOLANA_CHAIN_ID, SolanaDeployment};
use solana_address::Address;
use solana_signature::Signature;
use tokio::time::{Instant, sleep, sleep_until};

use super::closed::OpenedOrders;
use super::confirm::confirmed_transactions;
use super::escrow_transactions::EscrowTransaction;
use super::facts::facts;
use super::listing::{Backlog, Listing};
use crate::program::EscrowProgram;
use crate::{Commitment, Mention, SolanaRpc};

/// Slots that every scan reads again, because nodes list the transactions of a block shortly after the block.
const REREAD_SLOTS: u64 = 64;
/// A longer backlog is split into several scans, to bound memory.
const MAX_TRANSACTIONS_PER_SCAN: usize = 2_000;
/// Nodes may have pruned the block of an older cursor, in slots.
const MAX_VERIFIABLE_CURSOR_AGE: u64 = 5_000;
/// After so many failed scans in a row, what was listed is listed again.
const FAILURES_BEFORE_NEW_LIST: u32 = 3;
/// After so many failed scans in a row, histories of closed orders that do not answer count as unreadable.
const FAILURES_BEFORE_SKIPPING: u32 = 5;
/// After so many failed scans in a row, transactions that enough endpoints do not have are dropped.
const FAILURES_BEFORE_DROPPING: u32 = 10;
/// Terms that are kept in memory.
const MAX_REMEMBERED_ORDERS: usize = 10_000;

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
    /// A list that is being read.
    listing: Option<Listing>,
    /// A list that is being reported.
    backlog: Option<Backlog>,
    /// The terms of orders that were opened lately, and their accounts in the order of their opening.
    opened: HashMap<Address, IntentTerms>,
    opening_order: VecDeque<Address>,
    /// Scans that failed in a row.
    failures: u32,
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
    final_facts: Vec<Fact>,
    confirmed: Vec<Fact>,
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
            listing: None,
            backlog: None,
            opened: HashMap::new(),
            opening_order: VecDeque::new(),
            failures: 0,
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
        match &result {
            Ok(()) => self.failures = 0,
            Err(ChainError::Disagreement(_, reason)) => self.halted = Some(reason.clone()),
            Err(_) => {
                self.failures = self.failures.saturating_add(1);
                if self.failures.is_multiple_of(FAILURES_BEFORE_NEW_LIST) {
                    // A node may have listed what is not there.
                    (self.listing, self.backlog) = (None, None);
                }
            }
        }
        result
    }

    /// Reports only after the last call, so that a dropped scan has no effect but a longer list.
    async fn try_scan(&mut self) -> Result<(), ChainError> {
        let Some(backlog) = self.backlog().await? else { return Ok(()) };
        let reached = backlog.reached;
        let newest = self.scan_end(reached, &backlog.listed);
        let moved = self.cursor.is_none_or(|cursor| cursor.number < newest);
        let cursor = match self.cursor {
            Some(cursor) if !moved => cursor,
            // A final slot always has a block; the answering endpoint lags behind.
            _ => self.rpc.agreed_cursor(newest).await?.ok_or(ChainError::Unavailable(SOLANA_CHAIN_ID))?,
        };
        let mut scan = Scan::default();
        for (program, listed) in &backlog.listed {
            self.scan_program(*program, listed, (newest, reached), &mut scan).await?;
        }
        self.backlog = (newest < reached).then(|| backlog.after(newest));
        if self.backlog.is_some() {
            self.next_scan = Instant::now();
        }

        let floor = cursor.number.saturating_sub(REREAD_SLOTS);
        self.cursor = Some(cursor);
        self.remember(&scan.final_facts);
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

    /// What is to be reported: the rest of a long list, or a new one. `None` while a list is incomplete, and when there
    /// is nothing new.
    async fn backlog(&mut self) -> Result<Option<Backlog>, ChainError> {
        if let Some(backlog) = &self.backlog {
            return Ok(Some(backlog.clone()));
        }
        if self.listing.is_none() {
            let newest = self.rpc.final_slot().await?;
            self.check_cursor(newest).await?;
            if self.cursor.is_some_and(|cursor| newest < cursor.number) {
                // This node lags behind; it has nothing new.
                return Ok(None);
            }
            let cursor = self.cursor.map(|cursor| cursor.number.saturating_sub(REREAD_SLOTS));
            let from = |(program, first): &(EscrowProgram, u64)| (*program, cursor.unwrap_or(0).max(*first));
            self.listing = Some(Listing::new(newest, self.programs.iter().map(from)));
        }
        let Some(listing) = &mut self.listing else { return Ok(None) };
        if listing.read_on(&self.rpc).await? {
            return Ok(self.listing.take().map(Listing::finish));
        }
        self.next_scan = Instant::now();
        Ok(None)
    }

    /// Keeps the terms of orders that were opened, in case that their accounts are closed before their end is read.
    fn remember(&mut self, facts: &[Fact]) {
        for fact in facts {
            if let FactKind::Opened(terms) = &fact.kind {
                let program = EscrowProgram::new(Address::new_from_array(terms.escrow.0));
                let order = program.order(terms.id());
                if self.opened.insert(order, **terms).is_none() {
                    self.opening_order.push_back(order);
                }
            }
        }
        while self.opening_order.len() > MAX_REMEMBERED_ORDERS {
            if let Some(oldest) = self.opening_order.pop_front() {
                self.opened.remove(&oldest);
            }
        }
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

        let slots: HashMap<Signature, u64> = listed.iter().map(|one| (one.signature, one.slot)).collect();
        let reported = |transactions: &[EscrowTransaction], stage| -> Vec<(Signature, (u64, Stage))> {
            let slot = |signature| slots.get(signature).copied().unwrap_or_default();
            transactions.iter().map(|one| (one.signature, (slot(&one.signature), stage))).collect()
        };
        let opened =
            OpenedOrders { terms: &self.opened, must_answer: self.failures < FAILURES_BEFORE_SKIPPING };

        let transactions =
            self.rpc.final_escrow_transactions(program, &pick(final_mentions, Stage::Final)).await?;
        let may_drop = self.failures >= FAILURES_BEFORE_DROPPING;
        let transactions =
            confirmed_transactions(&self.rpc, program, transactions, (reached, may_drop)).await?;
        let at = (Commitment::Finalized, Some(reached));
        scan.final_facts.extend(facts(&self.rpc, program, &transactions, at, opened).await?);
        scan.reported.extend(reported(&transactions, Stage::Final));
        if newest < reached {
            // The next scan reports the rest.
            return Ok(());
        }

        let transactions = self
            .rpc
            .escrow_transactions(program, &pick(confirmed, Stage::Confirmed), Commitment::Confirmed)
            .await?;
        let transactions: Vec<_> = transactions.into_iter().flatten().collect();
        let at = (Commitment::Confirmed, None);
        scan.confirmed.extend(facts(&self.rpc, program, &transactions, at, opened).await?);
        scan.reported.extend(reported(&transactions, Stage::Confirmed));
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
mod tests;
