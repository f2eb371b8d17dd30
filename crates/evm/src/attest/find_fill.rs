use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use alloy_primitives::{B256, U64, U256};
use alloy_sol_types::SolEvent as _;
use causeway_domain::ports::FinalBlock;
use parking_lot::Mutex;
use serde_json::json;

use super::agree::{agreed, agreed_at};
use super::view::evm_address;
use crate::blocks::{BlockTag, Log};
use crate::client::EvmClient;
use crate::contracts::Settler;
use crate::error::CallError;
use crate::rpc::Call;

/// How many blocks with the same timestamp are searched.
const MAX_SAME_TIME_BLOCKS: u64 = 255;
/// The first backward step of the search; most fills are recent.
const FIRST_STEP: u64 = 64;
/// For how long the times of final blocks are remembered, and how many: one endpoint's word must not last.
const TIMES_TTL: Duration = Duration::from_secs(20);
const MAX_TIMES: usize = 4_096;

/// Times of final blocks, which many orders search through at once.
#[derive(Debug, Default)]
pub(super) struct BlockTimes(Mutex<Option<(Instant, HashMap<u64, u64>)>>);

impl BlockTimes {
    fn known(&self, number: u64) -> Option<u64> {
        let times = self.0.lock();
        times.as_ref().filter(|(begun, _)| begun.elapsed() < TIMES_TTL)?.1.get(&number).copied()
    }

    fn remember(&self, number: u64, time: u64) {
        let mut times = self.0.lock();
        let (begun, known) = times.get_or_insert_with(|| (Instant::now(), HashMap::new()));
        if begun.elapsed() >= TIMES_TTL || known.len() >= MAX_TIMES {
            known.clear();
            *begun = Instant::now();
        }
        known.insert(number, time);
    }

    /// A block's time; zero for a pruned block, which is older than any block that is kept.
    async fn of(&self, client: &EvmClient, number: u64) -> Result<u64, CallError> {
        if let Some(time) = self.known(number) {
            return Ok(time);
        }
        let time = client.block(BlockTag::Number(number)).await?.map_or(0, |block| block.timestamp);
        self.remember(number, time);
        Ok(time)
    }
}

/// Finds the transaction that filled an order at that time, from the settler's log.
///
/// Providers limit the block range of log queries, so the block is first located by its time.
pub(super) async fn find_fill(
    (client, times): (&EvmClient, &BlockTimes),
    quorum: NonZeroUsize,
    settler: B256,
    order: B256,
    filled_at: u64,
    at: &FinalBlock,
) -> Result<B256, CallError> {
    let settler =
        evm_address(settler).ok_or_else(|| client.invalid_response("a settler's address is too wide"))?;
    let from = first_at(client, times, filled_at, at).await?;
    let to = at.number.min(from.saturating_add(MAX_SAME_TIME_BLOCKS));
    let filter = json!([{
        "address": settler,
        "topics": [Settler::Filled::SIGNATURE_HASH, order],
        "fromBlock": U64::from(from),
        "toBlock": U64::from(to),
    }]);
    let ours = |logs: Vec<Log>| {
        let mut hashes = logs.iter().filter(|log| {
            let event = Settler::Filled::decode_raw_log_validate(log.topics.iter().copied(), &log.data);
            let same =
                |event: Settler::Filled| event.orderId == order && event.filledAt == U256::from(filled_at);
            log.address == settler && !log.removed && event.is_ok_and(same)
        });
        match (hashes.next(), hashes.next()) {
            (Some(log), None) => Some(log.transaction_hash),
            _ => None,
        }
    };
    let call = Call::new("eth_getLogs", filter);
    match agreed(client, quorum, &call, ours).await {
        Err(CallError::Disagreement { .. }) => agreed_at(client, quorum, &call, at, ours).await,
        found => found,
    }
}

/// The first block whose time is not before `time`: steps back from the final block until a block is older, then bisects.
async fn first_at(
    client: &EvmClient,
    times: &BlockTimes,
    time: u64,
    at: &FinalBlock,
) -> Result<u64, CallError> {
    let (mut older, mut found, mut step) = (0, at.number, FIRST_STEP);
    while let Some(number) = found.checked_sub(step) {
        if times.of(client, number).await? < time {
            older = number;
            break;
        }
        found = number;
        step = step.saturating_mul(2);
    }
    while found.saturating_sub(older) > 1 {
        let middle = older.midpoint(found);
        if times.of(client, middle).await? < time {
            older = middle;
        } else {
            found = middle;
        }
    }
    Ok(found)
}
