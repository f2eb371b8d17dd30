use std::ops::Deref;
use std::sync::Arc;

use alloy_primitives::B256;
use parking_lot::RwLockReadGuard;
use serde_json::Value;

use super::params::{hash, hex_quantity};
use crate::evm::block::SealedBlock;
use crate::evm::chain::Inner;
use crate::evm::data_fee::DataFee;
use crate::evm::errors::server_error;
use crate::evm::ledger::{Ledger, RecentBlock};
use crate::jsonrpc::RpcError;

/// How many blocks the final block is behind the newest.
const FINALITY: u64 = 2;
/// The error code for pruned data.
const PRUNED: i64 = 4444;

/// Which block a call is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockArg {
    Latest,
    Pending,
    Final,
    Earliest,
    Number(u64),
    Hash(B256),
}

impl BlockArg {
    /// A tag or a number.
    pub(super) fn number_or_tag(value: &Value) -> Result<Self, String> {
        match value.as_str() {
            Some("latest") => Ok(Self::Latest),
            Some("pending") => Ok(Self::Pending),
            Some("safe" | "finalized") => Ok(Self::Final),
            Some("earliest") => Ok(Self::Earliest),
            Some(_) => hex_quantity(value, "rpc.BlockNumber").map(Self::Number),
            None => Err("json: cannot unmarshal non-string into Go value of type rpc.BlockNumber".into()),
        }
    }

    /// A tag, a number, a hash, or an object that names one of the latter two.
    pub(super) fn any(value: &Value) -> Result<Self, String> {
        let named = match value {
            Value::Object(fields) => match (fields.get("blockHash"), fields.get("blockNumber")) {
                (Some(_), Some(_)) => {
                    return Err(
                        "cannot specify both BlockHash and BlockNumber, choose one or the other".into()
                    );
                }
                (Some(by_hash), None) => return hash(by_hash).map(Self::Hash),
                (None, Some(number)) => number,
                (None, None) => return Err("neither blockHash nor blockNumber is given".into()),
            },
            Value::String(text) if text.len() == 66 => return hash(value).map(Self::Hash),
            _ => value,
        };
        Self::number_or_tag(named)
    }
}

/// Reads the chain as visible to the caller: current, or some blocks ago.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) inner: &'a Inner,
    pub(super) stale: u64,
    pub(super) frozen: Option<&'a Ledger>,
}

impl<'a> Reader<'a> {
    pub(super) fn view(self) -> ChainView<'a> {
        let ledger = self.frozen.map_or_else(|| LedgerRef::Live(self.inner.ledger.read()), LedgerRef::Frozen);
        let newest = ledger.head().block.number();
        // The head cannot be older than the kept states.
        let head = newest.saturating_sub(self.stale).max(ledger.base().block.number());
        ChainView { ledger, head }
    }

    /// Whether pending transactions apply to the visible chain.
    pub(super) const fn is_up_to_date(self) -> bool {
        self.stale == 0 && self.frozen.is_none()
    }

    /// The block and state that a call reads.
    pub(super) fn state(self, at: BlockArg) -> Result<RecentBlock, RpcError> {
        if at == BlockArg::Pending && self.is_up_to_date() {
            return Ok(self.inner.pending());
        }
        let view = self.view();
        let number = match at {
            BlockArg::Hash(hash) => {
                view.number_of(hash).ok_or_else(|| server_error("header for hash not found"))?
            }
            other => view.number(other),
        };
        if number > view.head {
            return Err(server_error("header not found"));
        }
        view.ledger.recent(number).cloned().ok_or_else(|| {
            let root = view.ledger.block(number).map(|block| block.header.state_root).unwrap_or_default();
            server_error(format!(
                "missing trie node {root:x} (path ) state {root} is not available, not found"
            ))
        })
    }
}

/// The live chain, or the chain of a frozen node.
pub(super) enum LedgerRef<'a> {
    Live(RwLockReadGuard<'a, Ledger>),
    Frozen(&'a Ledger),
}

impl Deref for LedgerRef<'_> {
    type Target = Ledger;

    fn deref(&self) -> &Ledger {
        match self {
            Self::Live(ledger) => ledger,
            Self::Frozen(ledger) => ledger,
        }
    }
}

/// The chain up to the newest visible block.
pub(super) struct ChainView<'a> {
    pub(super) ledger: LedgerRef<'a>,
    pub(super) head: u64,
}

impl ChainView<'_> {
    /// The block number of a tag.
    pub(super) fn number(&self, at: BlockArg) -> u64 {
        match at {
            BlockArg::Latest | BlockArg::Pending | BlockArg::Hash(_) => self.head,
            BlockArg::Final => self.head.saturating_sub(FINALITY),
            BlockArg::Earliest => 0,
            BlockArg::Number(number) => number,
        }
    }

    /// How the chain charges for data, which never changes.
    pub(super) fn data_fee(&self) -> DataFee {
        DataFee::of(&self.ledger.head().world)
    }

    pub(super) fn number_of(&self, hash: B256) -> Option<u64> {
        self.ledger.number_of(hash).filter(|number| *number <= self.head)
    }

    /// A block; `None` if it does not exist, an error if it is pruned.
    pub(super) fn block(&self, at: BlockArg) -> Result<Option<&Arc<SealedBlock>>, RpcError> {
        if let BlockArg::Hash(hash) = at {
            return Ok(self.number_of(hash).and_then(|number| self.ledger.block(number)));
        }
        let number = self.number(at);
        if number > self.head {
            return Ok(None);
        }
        self.ledger.block(number).map(Some).ok_or_else(pruned)
    }

    /// The block of a transaction, and its index there.
    pub(super) fn transaction(&self, hash: B256) -> Option<(&Arc<SealedBlock>, usize)> {
        let (number, index) = self.ledger.tx_location(hash).filter(|(number, _)| *number <= self.head)?;
        Some((self.ledger.block(number)?, index))
    }
}

pub(super) fn pruned() -> RpcError {
    RpcError::new(PRUNED, "pruned history unavailable")
}
