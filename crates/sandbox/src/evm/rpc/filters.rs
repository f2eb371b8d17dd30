use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use alloy_primitives::{B256, U128, hex};
use alloy_rpc_types_eth::Filter;
use serde_json::Value;

use super::encode::{hashes, json};
use super::logs::{append_matching, check_filter, read_filter};
use super::params::Params;
use super::view::{BlockArg, Reader};
use crate::evm::block::SealedBlock;
use crate::evm::errors::server_error;
use crate::evm::filters::FilterKind;
use crate::evm::ledger::Event;
use crate::jsonrpc::RpcError;

impl Reader<'_> {
    pub(super) fn new_log_filter(self, params: &Params) -> Result<Value, RpcError> {
        let filter = params.read(0, read_filter)?;
        check_filter(&filter)?;
        Ok(self.install(FilterKind::Logs(Box::new(filter))))
    }

    pub(super) fn install(self, kind: FilterKind) -> Value {
        let cursor = match kind {
            FilterKind::Pending => self.inner.pool.lock().arrival_cursor(),
            FilterKind::Logs(_) | FilterKind::Blocks => self.inner.ledger.read().event_cursor(),
        };
        let id = self.inner.filters.lock().install(kind, cursor, self.inner.chain_id, Instant::now());
        Value::String(hex::encode_prefixed(id.to_be_bytes::<16>()))
    }

    pub(super) fn uninstall(self, params: &Params) -> Result<Value, RpcError> {
        Ok(Value::Bool(filter_id(params)?.is_some_and(|id| self.inner.filters.lock().uninstall(id))))
    }

    /// The events since the last poll.
    pub(super) fn get_filter_changes(self, params: &Params) -> Result<Value, RpcError> {
        let (id, kind, cursor) = self.poll(params)?;
        let (answer, cursor) = match kind {
            FilterKind::Pending => {
                let (arrived, cursor) = self.inner.pool.lock().arrivals_since(cursor);
                (hashes(&arrived)?, cursor)
            }
            FilterKind::Blocks => self.new_blocks(cursor)?,
            FilterKind::Logs(filter) => self.new_logs(&filter, cursor)?,
        };
        self.inner.filters.lock().advance(id, cursor);
        Ok(answer)
    }

    /// All logs that match a filter, reported before or not.
    pub(super) fn get_filter_logs(self, params: &Params) -> Result<Value, RpcError> {
        match self.poll(params)? {
            (_, FilterKind::Logs(filter), _) => json(self.find_logs(&filter)?),
            _ => Err(not_found()),
        }
    }

    fn poll(self, params: &Params) -> Result<(U128, FilterKind, u64), RpcError> {
        let id = filter_id(params)?.ok_or_else(not_found)?;
        let (kind, cursor) = self.inner.filters.lock().poll(id, Instant::now()).ok_or_else(not_found)?;
        Ok((id, kind, cursor))
    }

    fn new_blocks(self, mut cursor: u64) -> Result<(Value, u64), RpcError> {
        let view = self.view();
        let mut added = Vec::new();
        for (at, event) in view.ledger.events_since(cursor) {
            match event {
                Event::Added { number, .. } if *number > view.head => break,
                Event::Added { hash, .. } => added.push(*hash),
                Event::Removed(_) => {}
            }
            cursor = at + 1;
        }
        Ok((hashes(&added)?, cursor))
    }

    /// New logs, and those of replaced blocks once more with `removed`.
    fn new_logs(self, filter: &Filter, mut cursor: u64) -> Result<(Value, u64), RpcError> {
        let view = self.view();
        let number = |tag: alloy_rpc_types_eth::BlockNumberOrTag| match BlockArg::from(tag) {
            BlockArg::Number(number) => Some(number),
            BlockArg::Earliest => Some(0),
            _ => None,
        };
        let from = filter.block_option.get_from_block().copied().and_then(number).unwrap_or(0);
        let to = filter.block_option.get_to_block().copied().and_then(number).unwrap_or(u64::MAX);
        // A block that was added and removed since the last poll is reported twice.
        let removed_blocks: HashMap<B256, &Arc<SealedBlock>> = view
            .ledger
            .events_since(cursor)
            .filter_map(|(_, event)| match event {
                Event::Removed(block) => Some((block.hash, block)),
                Event::Added { .. } => None,
            })
            .collect();
        let mut found = Vec::new();
        for (at, event) in view.ledger.events_since(cursor) {
            let (block, removed) = match event {
                Event::Added { number, .. } if *number > view.head => break,
                Event::Added { number, hash } => {
                    let current = view.ledger.block(*number).filter(|block| block.hash == *hash);
                    (current.or(removed_blocks.get(hash).copied()), false)
                }
                Event::Removed(block) => (Some(block), true),
            };
            if let Some(block) = block.filter(|block| (from..=to).contains(&block.number())) {
                append_matching(block, filter, removed, &mut found);
            }
            cursor = at + 1;
        }
        Ok((json(found)?, cursor))
    }
}

/// A filter id; `None` for invalid text.
fn filter_id(params: &Params) -> Result<Option<U128>, RpcError> {
    params.read(0, |value| {
        let text = value.as_str().ok_or("json: cannot unmarshal non-string into Go value of type rpc.ID")?;
        let digits = text.strip_prefix("0x").filter(|digits| !digits.is_empty());
        Ok(digits.and_then(|digits| U128::from_str_radix(digits, 16).ok()))
    })
}

fn not_found() -> RpcError {
    server_error("filter not found")
}
