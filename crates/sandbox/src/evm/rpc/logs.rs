use alloy_primitives::B256;
use alloy_rpc_types_eth::{Filter, FilterBlockOption, FilterSet, Log as RpcLog};
use serde_json::Value;

use super::encode::{self, json};
use super::params::{Params, structured};
use super::view::{BlockArg, ChainView, Reader, pruned};
use crate::evm::block::SealedBlock;
use crate::evm::errors::server_error;
use crate::jsonrpc::RpcError;

/// The maximum block range of a query.
const MAX_RANGE: u64 = 10_000;
/// The maximum number of logs of a query.
const MAX_LOGS: usize = 10_000;
/// The maximum number of addresses, or topics in one position, of a query.
const MAX_FILTER_VALUES: usize = 1_000;
const LIMIT_EXCEEDED: i64 = -32005;

impl Reader<'_> {
    pub(super) fn get_logs(self, params: &Params) -> Result<Value, RpcError> {
        let filter = params.read(0, read_filter)?;
        check_filter(&filter)?;
        json(self.find_logs(&filter)?)
    }

    /// The logs that match a filter.
    pub(super) fn find_logs(self, filter: &Filter) -> Result<Vec<RpcLog>, RpcError> {
        let view = self.view();
        let (from, to) = match filter.block_option {
            FilterBlockOption::AtBlockHash(hash) => at_hash(&view, hash)?,
            FilterBlockOption::Range { from_block, to_block } => {
                let from = from_block.map_or(view.head, |tag| view.number(tag.into()));
                let to = to_block.map_or(view.head, |tag| view.number(tag.into()));
                span(from, to, view.head)?
            }
        };
        if from <= to && from < view.ledger.complete_from() {
            return Err(pruned());
        }
        let mut found = Vec::new();
        for block in view.ledger.range(from..=to) {
            append_matching(block, filter, false, &mut found);
            if found.len() > MAX_LOGS {
                let message = format!(
                    "query returned more than {MAX_LOGS} results; narrow fromBlock..toBlock, address or topics"
                );
                return Err(RpcError::new(LIMIT_EXCEEDED, message));
            }
        }
        Ok(found)
    }
}

fn at_hash(view: &ChainView<'_>, hash: B256) -> Result<(u64, u64), RpcError> {
    let number = view.number_of(hash).ok_or_else(|| server_error("unknown block"))?;
    Ok((number, number))
}

/// The part of a range that can hold blocks.
fn span(from: u64, to: u64, head: u64) -> Result<(u64, u64), RpcError> {
    if from > to {
        return Err(RpcError::invalid_params("invalid block range params"));
    }
    let blocks = (to - from).saturating_add(1);
    if blocks > MAX_RANGE {
        return Err(RpcError::invalid_params(format!(
            "exceed maximum block range: {MAX_RANGE}; {blocks} blocks were asked for, narrow fromBlock..toBlock"
        )));
    }
    Ok((from, to.min(head)))
}

/// Adds a block's logs that match a filter.
pub(super) fn append_matching(block: &SealedBlock, filter: &Filter, removed: bool, found: &mut Vec<RpcLog>) {
    if block.body.is_empty() || !filter.matches_bloom(block.header.logs_bloom) {
        return;
    }
    for (index, mined) in block.body.iter().enumerate() {
        let logs = encode::logs(block, index, mined, removed);
        found.extend(logs.into_iter().filter(|log| filter.matches(&log.inner)));
    }
}

impl From<alloy_rpc_types_eth::BlockNumberOrTag> for BlockArg {
    fn from(tag: alloy_rpc_types_eth::BlockNumberOrTag) -> Self {
        use alloy_rpc_types_eth::BlockNumberOrTag as Tag;
        match tag {
            Tag::Latest => Self::Latest,
            Tag::Pending => Self::Pending,
            Tag::Safe | Tag::Finalized => Self::Final,
            Tag::Earliest => Self::Earliest,
            Tag::Number(number) => Self::Number(number),
        }
    }
}

/// Parses a filter, with geth's messages for invalid combinations.
pub(super) fn read_filter(value: &Value) -> Result<Filter, String> {
    let has = |field: &str| value.get(field).is_some_and(|value| !value.is_null());
    if has("blockHash") && (has("fromBlock") || has("toBlock")) {
        return Err("cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other".into());
    }
    if value.get("topics").and_then(Value::as_array).is_some_and(|topics| topics.len() > 4) {
        return Err("exceed max topics".into());
    }
    structured(value)
}

pub(super) fn check_filter(filter: &Filter) -> Result<(), RpcError> {
    let most = filter.topics.iter().map(FilterSet::len).chain([filter.address.len()]).max();
    if most.is_some_and(|most| most > MAX_FILTER_VALUES) {
        return Err(RpcError::invalid_params("exceed max addresses or topics per search position"));
    }
    Ok(())
}
