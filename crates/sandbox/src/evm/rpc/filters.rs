use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use alloy_primitives::{B256, U128, hex};
use alloy_rpc_types_eth::Filter;
use serde_json::Value;

use super::faces::{hashes, json};
use super::logs::{append_matching, check_filter, read_filter};
use super::params::Params;
use super::seen::{BlockArg, Reader};
use crate::evm::block::SealedBlock;
use crate::evm::filters::Interest;
use crate::evm::ledger::Event;
use crate::evm::words::server_error;
use crate::jsonrpc::RpcError;

impl Reader<'_> {
    pub(super) fn new_log_filter(self, params: &Params) -> Result<Value, RpcError> {
        let filter = params.read(0, read_filter)?;
        check_filter(&filter)?;
        Ok(self.install(Interest::Logs(Box::new(filter))))
    }

    pub(super) fn install(self, interest: Interest) -> Value {
        let mark = match interest {
            Interest::Pending => self.inner.pool().arrival_mark(),
            Interest::Logs(_) | Interest::Blocks => self.inner.ledger().event_mark(),
        };
        let id = self.inner.filters().install(interest, mark, self.inner.chain_id, Instant::now());
        Value::String(hex::encode_prefixed(id.to_be_bytes::<16>()))
    }

    pub(super) fn uninstall(self, params: &Params) -> Result<Value, RpcError> {
        Ok(Value::Bool(filter_id(params)?.is_some_and(|id| self.inner.filters().uninstall(id))))
    }

    /// What happened since the filter was last asked.
    pub(super) fn get_filter_changes(self, params: &Params) -> Result<Value, RpcError> {
        let (id, interest, mark) = self.poll(params)?;
        let (answer, mark) = match interest {
            Interest::Pending => {
                let (arrived, mark) = self.inner.pool().arrivals_since(mark);
                (hashes(&arrived)?, mark)
            }
            Interest::Blocks => self.new_blocks(mark)?,
            Interest::Logs(filter) => self.new_logs(&filter, mark)?,
        };
        self.inner.filters().advance(id, mark);
        Ok(answer)
    }

    /// Everything that a log filter is about, whether it was told before or not.
    pub(super) fn get_filter_logs(self, params: &Params) -> Result<Value, RpcError> {
        match self.poll(params)? {
            (_, Interest::Logs(filter), _) => json(self.find_logs(&filter)?),
            _ => Err(not_found()),
        }
    }

    fn poll(self, params: &Params) -> Result<(U128, Interest, u64), RpcError> {
        let id = filter_id(params)?.ok_or_else(not_found)?;
        let (interest, mark) = self.inner.filters().poll(id, Instant::now()).ok_or_else(not_found)?;
        Ok((id, interest, mark))
    }

    fn new_blocks(self, mut mark: u64) -> Result<(Value, u64), RpcError> {
        let seen = self.seen();
        let mut added = Vec::new();
        for (at, event) in seen.ledger.events_since(mark) {
            match event {
                Event::Added { number, .. } if *number > seen.head => break,
                Event::Added { hash, .. } => added.push(*hash),
                Event::Removed(_) => {}
            }
            mark = at + 1;
        }
        Ok((hashes(&added)?, mark))
    }

    /// New logs, and those of replaced blocks once more with `removed`.
    fn new_logs(self, filter: &Filter, mut mark: u64) -> Result<(Value, u64), RpcError> {
        let seen = self.seen();
        let number = |tag: alloy_rpc_types_eth::BlockNumberOrTag| match BlockArg::from(tag) {
            BlockArg::Number(number) => Some(number),
            BlockArg::Earliest => Some(0),
            _ => None,
        };
        let from = filter.block_option.get_from_block().copied().and_then(number).unwrap_or(0);
        let to = filter.block_option.get_to_block().copied().and_then(number).unwrap_or(u64::MAX);
        // A block that came and went since the last time is told twice, as it would have been meanwhile.
        let gone: HashMap<B256, &Arc<SealedBlock>> = seen
            .ledger
            .events_since(mark)
            .filter_map(|(_, event)| match event {
                Event::Removed(block) => Some((block.hash, block)),
                Event::Added { .. } => None,
            })
            .collect();
        let mut found = Vec::new();
        for (at, event) in seen.ledger.events_since(mark) {
            let (block, removed) = match event {
                Event::Added { number, .. } if *number > seen.head => break,
                Event::Added { number, hash } => {
                    let standing = seen.ledger.block(*number).filter(|block| block.hash == *hash);
                    (standing.or(gone.get(hash).copied()), false)
                }
                Event::Removed(block) => (Some(block), true),
            };
            if let Some(block) = block.filter(|block| (from..=to).contains(&block.number())) {
                append_matching(block, filter, removed, &mut found);
            }
            mark = at + 1;
        }
        Ok((json(found)?, mark))
    }
}

/// A filter's name; `None` for text that cannot be one.
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
