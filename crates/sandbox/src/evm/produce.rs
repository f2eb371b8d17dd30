use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::block::{SealedBlock, Slot, next_base_fee};
use super::chain::{BlockProducer, EvmChain, Inner};
use super::draft::{Draft, Plan, draft};
use super::journal::Record;
use super::ledger::RecentBlock;
use super::pool::Run;
use super::write::Write;

/// The pause after a block could not be stored.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

impl EvmChain {
    /// Makes blocks while polled: soon after a transaction arrives, and empty ones in between.
    pub async fn run(&self) {
        loop {
            let wait = self.inner.due_in();
            if wait > Duration::ZERO {
                tokio::select! {
                    () = self.inner.wake.notified() => {}
                    () = tokio::time::sleep(wait) => {}
                }
                continue;
            }
            let inner = Arc::clone(&self.inner);
            let made = tokio::task::spawn_blocking(move || inner.make_block(Vec::new(), true)).await;
            if let Err(error) = made.unwrap_or_else(|panic| Err(io::Error::other(panic))) {
                tracing::error!(chain = self.inner.chain_id, %error, "block production failed, retrying");
                tokio::time::sleep(RETRY_PAUSE).await;
            }
        }
    }
}

impl Inner {
    fn due_in(&self) -> Duration {
        let head = self.head();
        let base_fee = next_base_fee(&head.block.header, self.options.min_base_fee);
        let ready = self.pool.lock().first_ready(&head.world, base_fee);
        self.clock.lock().due_in(&self.options.timing, ready, Instant::now())
    }

    /// Makes the next block, durable when this returns.
    pub(crate) fn make_block(&self, writes: Vec<Write>, take_pool: bool) -> io::Result<Arc<SealedBlock>> {
        let mut producer = self.producer.lock();
        let head = self.head();
        let made_at = Instant::now();
        let timestamp = self.clock.lock().timestamp(head.block.header.timestamp);
        let runs = if take_pool { self.pool.lock().ready(&head.world, made_at) } else { Vec::new() };
        let plan = self.plan(timestamp, self.ledger.read().branch(), Arc::new(writes), runs);
        let Draft { recent, invalid } =
            draft(&head.block, &head.world, plan, &|number| self.block_hash(number));

        let full = !recent.block.body.is_empty();
        producer.append(&[recent.clone().into_record()], full || !recent.writes.is_empty())?;
        let block = Arc::clone(&recent.block);
        let world = recent.world.clone();
        self.ledger.write().push(recent);
        self.clock.lock().block_made(block.header.timestamp, made_at);
        {
            let mut pool = self.pool.lock();
            for hash in invalid {
                pool.remove(hash);
            }
            pool.sweep(&world, made_at);
        }
        self.compact_if_due(&mut producer);
        if full {
            self.mark_active();
        }
        Ok(block)
    }

    pub(crate) fn plan(&self, timestamp: u64, branch: u64, writes: Arc<Vec<Write>>, runs: Vec<Run>) -> Plan {
        let slot = Slot { timestamp, branch, min_base_fee: self.options.min_base_fee };
        Plan { chain_id: self.chain_id, slot, writes, runs }
    }

    /// Replaces the newest `depth` blocks by as many without transactions; writes stay.
    pub(crate) fn replace_blocks(&self, depth: u64) -> io::Result<Vec<RecentBlock>> {
        let mut producer = self.producer.lock();
        let (mut top, replaced, branch) = {
            let ledger = self.ledger.read();
            let head = ledger.head().block.number();
            let to = head.saturating_sub(depth);
            let replaced: Vec<RecentBlock> =
                (to + 1..=head).filter_map(|n| ledger.recent(n).cloned()).collect();
            let Some(top) = ledger.recent(to).cloned() else {
                return Err(io::Error::other("the state to rewind to is no longer kept"));
            };
            (top, replaced, ledger.branch() + 1)
        };
        let to = top.block.number();
        let mut records = vec![Record::Rewind { number: to }];
        let mut others = Vec::with_capacity(replaced.len());
        for old in &replaced {
            let plan = self.plan(old.block.header.timestamp, branch, Arc::clone(&old.writes), Vec::new());
            let recent = draft(&top.block, &top.world, plan, &|number| self.block_hash(number)).recent;
            records.push(recent.clone().into_record());
            others.push(recent.clone());
            top = recent;
        }
        producer.append(&records, true)?;
        {
            let mut ledger = self.ledger.write();
            ledger.rewind(to);
            for recent in others {
                ledger.push(recent);
            }
        }
        self.compact_if_due(&mut producer);
        self.mark_active();
        Ok(replaced)
    }

    fn compact_if_due(&self, producer: &mut BlockProducer) {
        let Some((journal, start)) = producer.journal.as_mut().filter(|(journal, _)| journal.is_due()) else {
            return;
        };
        if let Err(error) = journal.compact(start, &self.ledger.read()) {
            tracing::warn!(chain = self.chain_id, %error, "journal compaction failed");
        }
    }
}

impl BlockProducer {
    fn append(&mut self, records: &[Record], sync: bool) -> io::Result<()> {
        match &mut self.journal {
            Some((journal, _)) => journal.append(records, sync),
            None => Ok(()),
        }
    }
}
