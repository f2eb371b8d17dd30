use std::collections::BTreeSet;
use std::sync::Arc;

use alloy_consensus::transaction::Recovered;
use alloy_consensus::{Header, TxEnvelope};
use alloy_eips::eip2718::{Decodable2718, Encodable2718};
use alloy_primitives::{Address, B256, Bytes, Log};
use alloy_rlp::{Decodable, Encodable, RlpDecodable, RlpEncodable};

use crate::evm::block::{Mined, SealedBlock};
use crate::evm::change::{AccountChange, Change};
use crate::evm::ledger::{Ledger, RecentBlock};
use crate::evm::world_state::WorldState;
use crate::evm::write::{Write, WriteRecord};

/// How many accounts of a whole state go into one entry.
const ACCOUNTS_PER_ENTRY: usize = 1_000;

/// A journal record.
#[derive(Clone, Debug)]
pub(crate) enum Record {
    /// The first entry: which chain this is, and its first block.
    Start { version: u64, chain_id: u64, genesis: B256, header: Box<Header> },
    /// A part of the oldest kept state.
    State(Change),
    /// A block from before that state.
    OldBlock(Arc<SealedBlock>),
    /// The block of that state; everything after it follows.
    Base { block: Arc<SealedBlock>, branch: u64, complete_from: u64 },
    /// A block with what it changed.
    Block { block: Arc<SealedBlock>, change: Arc<Change>, writes: Arc<Vec<Write>>, branch: u64 },
    /// A block without transactions or writes: the rest of it follows from its parent.
    Empty { timestamp: u64, base_fee: u64, branch: u64 },
    /// The blocks after this number are replaced by those that follow.
    Rewind { number: u64 },
}

#[derive(RlpEncodable, RlpDecodable)]
struct Start {
    version: u64,
    chain_id: u64,
    genesis: B256,
    header: Header,
}

#[derive(RlpEncodable, RlpDecodable)]
struct Base {
    block: BlockRecord,
    branch: u64,
    complete_from: u64,
}

#[derive(RlpEncodable, RlpDecodable)]
struct Full {
    block: BlockRecord,
    change: Change,
    writes: Vec<WriteRecord>,
    branch: u64,
}

#[derive(RlpEncodable, RlpDecodable)]
struct Empty {
    timestamp: u64,
    base_fee: u64,
    branch: u64,
}

#[derive(RlpEncodable, RlpDecodable)]
struct BlockRecord {
    header: Header,
    body: Vec<MinedRecord>,
}

#[derive(RlpEncodable, RlpDecodable)]
struct MinedRecord {
    sender: Address,
    tx: Bytes,
    success: bool,
    gas_used: u64,
    logs: Vec<Log>,
}

impl From<&SealedBlock> for BlockRecord {
    fn from(block: &SealedBlock) -> Self {
        let mined = |mined: &Mined| MinedRecord {
            sender: mined.tx.signer(),
            tx: mined.tx.inner().encoded_2718().into(),
            success: mined.success,
            gas_used: mined.gas_used,
            logs: mined.logs.clone(),
        };
        Self { header: block.header.clone(), body: block.body.iter().map(mined).collect() }
    }
}

impl TryFrom<BlockRecord> for Arc<SealedBlock> {
    type Error = alloy_rlp::Error;

    fn try_from(record: BlockRecord) -> Result<Self, Self::Error> {
        let mined = |record: MinedRecord| {
            let tx = TxEnvelope::decode_2718_exact(&record.tx)
                .map_err(|_| alloy_rlp::Error::Custom("a stored transaction does not decode"))?;
            let tx = Recovered::new_unchecked(tx, record.sender);
            Ok(Mined { tx, success: record.success, gas_used: record.gas_used, logs: record.logs })
        };
        let body = record.body.into_iter().map(mined).collect::<Result<_, Self::Error>>()?;
        Ok(Arc::new(SealedBlock::new(record.header, body)))
    }
}

impl Record {
    /// The base record of a ledger.
    pub(super) fn base(ledger: &Ledger) -> Self {
        Self::Base {
            block: Arc::clone(&ledger.base().block),
            branch: ledger.branch(),
            complete_from: ledger.complete_from(),
        }
    }

    /// A whole state, in parts of a moderate size.
    pub(super) fn state(world: &WorldState) -> impl Iterator<Item = Self> {
        let mut accounts: Vec<_> = world.accounts().collect();
        accounts.sort_unstable_by_key(|(address, _)| **address);
        let mut written_codes = BTreeSet::new();
        let mut parts = Vec::new();
        for part in accounts.chunks(ACCOUNTS_PER_ENTRY) {
            let mut change = Change::default();
            for (address, account) in part {
                let slots = account.slots.iter().map(|(key, value)| (*key, *value)).collect();
                change.accounts.insert(**address, AccountChange { core: Some(account.core()), slots });
                if written_codes.insert(account.code_hash) {
                    change.codes.insert(account.code_hash, account.code.original_bytes());
                }
            }
            parts.push(Self::State(change));
        }
        parts.into_iter()
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        Self::encode_all(std::slice::from_ref(self))
    }

    pub(super) fn encode_all(records: &[Self]) -> Vec<u8> {
        let mut out = Vec::new();
        for record in records {
            record.encode_into(&mut out);
        }
        out
    }

    fn encode_into(&self, out: &mut Vec<u8>) {
        let mut put = |kind: u8, payload: &dyn Encodable| {
            out.push(kind);
            payload.encode(out);
        };
        match self {
            Self::Start { version, chain_id, genesis, header } => put(
                0,
                &Start {
                    version: *version,
                    chain_id: *chain_id,
                    genesis: *genesis,
                    header: Header::clone(header),
                },
            ),
            Self::State(change) => put(1, change),
            Self::OldBlock(block) => put(2, &BlockRecord::from(&**block)),
            Self::Base { block, branch, complete_from } => {
                let block = BlockRecord::from(&**block);
                put(3, &Base { block, branch: *branch, complete_from: *complete_from });
            }
            Self::Block { block, change, writes, branch } => put(
                4,
                &Full {
                    block: BlockRecord::from(&**block),
                    change: Change::clone(change),
                    writes: writes.iter().map(WriteRecord::from).collect(),
                    branch: *branch,
                },
            ),
            Self::Empty { timestamp, base_fee, branch } => {
                put(5, &Empty { timestamp: *timestamp, base_fee: *base_fee, branch: *branch });
            }
            Self::Rewind { number } => put(6, number),
        }
    }

    /// Reads the next record of an entry.
    pub(super) fn decode(entry: &mut &[u8]) -> alloy_rlp::Result<Self> {
        let (kind, rest) = entry.split_first().ok_or(alloy_rlp::Error::InputTooShort)?;
        *entry = rest;
        Ok(match kind {
            0 => {
                let Start { version, chain_id, genesis, header } = Start::decode(entry)?;
                Self::Start { version, chain_id, genesis, header: Box::new(header) }
            }
            1 => Self::State(Change::decode(entry)?),
            2 => Self::OldBlock(BlockRecord::decode(entry)?.try_into()?),
            3 => {
                let Base { block, branch, complete_from } = Base::decode(entry)?;
                Self::Base { block: block.try_into()?, branch, complete_from }
            }
            4 => {
                let Full { block, change, writes, branch } = Full::decode(entry)?;
                let (block, change) = (block.try_into()?, Arc::new(change));
                let writes = writes.into_iter().map(Write::try_from).collect::<Result<_, _>>()?;
                Self::Block { block, change, writes: Arc::new(writes), branch }
            }
            5 => {
                let Empty { timestamp, base_fee, branch } = Empty::decode(entry)?;
                Self::Empty { timestamp, base_fee, branch }
            }
            6 => Self::Rewind { number: u64::decode(entry)? },
            _ => return Err(alloy_rlp::Error::Custom("unknown kind of record")),
        })
    }
}

impl RecentBlock {
    /// The block as the journal keeps it.
    pub(crate) fn into_record(self) -> Record {
        if self.block.body.is_empty() && self.writes.is_empty() {
            return Record::Empty {
                timestamp: self.block.header.timestamp,
                base_fee: self.block.base_fee(),
                branch: self.branch,
            };
        }
        Record::Block { block: self.block, change: self.change, writes: self.writes, branch: self.branch }
    }
}
