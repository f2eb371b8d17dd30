use std::num::NonZeroUsize;

use alloy_primitives::{B256, U64, U256};
use alloy_sol_types::SolEvent as _;
use causeway_domain::ports::FinalBlock;
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

/// Finds the transaction that filled an order at that time, from the settler's log.
///
/// Providers limit the block range of log queries, so the block is first located by its time.
pub(super) async fn find_fill(
    client: &EvmClient,
    quorum: NonZeroUsize,
    settler: B256,
    order: B256,
    filled_at: u64,
    at: &FinalBlock,
) -> Result<B256, CallError> {
    let settler =
        evm_address(settler).ok_or_else(|| client.invalid_response("a settler's address is too wide"))?;
    let from = first_at(client, filled_at, at).await?;
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
async fn first_at(client: &EvmClient, time: u64, at: &FinalBlock) -> Result<u64, CallError> {
    let (mut older, mut found, mut step) = (0, at.number, FIRST_STEP);
    while let Some(number) = found.checked_sub(step) {
        if time_of(client, number).await? < time {
            older = number;
            break;
        }
        found = number;
        step = step.saturating_mul(2);
    }
    while found.saturating_sub(older) > 1 {
        let middle = older.midpoint(found);
        if time_of(client, middle).await? < time {
            older = middle;
        } else {
            found = middle;
        }
    }
    Ok(found)
}

/// A block's time; zero for a pruned block, which is older than any block that is kept.
async fn time_of(client: &EvmClient, number: u64) -> Result<u64, CallError> {
    Ok(client.block(BlockTag::Number(number)).await?.map_or(0, |block| block.timestamp))
}
