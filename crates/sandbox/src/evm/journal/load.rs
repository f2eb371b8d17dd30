use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use alloy_consensus::Header;

use super::file::{Journal, split_entry};
use super::record::Record;
use crate::evm::block::{SealedBlock, Slot, next_header};
use crate::evm::change::Change;
use crate::evm::genesis::Genesis;
use crate::evm::ledger::{Ledger, RecentBlock};
use crate::evm::world_state::WorldState;

/// The journal format version.
const VERSION: u64 = 2;

/// Why a chain cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("cannot use the chain's file {path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("{path} was written for other accounts, another chain or another version: start with --fresh")]
    OtherGenesis { path: PathBuf },
    #[error("{path} is damaged: {reason}; start with --fresh")]
    Damaged { path: PathBuf, reason: String },
}

/// A loaded or new chain.
pub(crate) struct Opened {
    pub(crate) ledger: Ledger,
    /// The journal and its first record; none for a chain that lives in memory only.
    pub(crate) journal: Option<(Journal, Record)>,
}

/// Opens the chain stored at `path`, or starts it.
pub(crate) fn open(genesis: &Genesis, path: Option<&Path>, fresh: bool) -> Result<Opened, OpenError> {
    let world = genesis.world();
    let root = world.commitment().root();
    let block = Arc::new(genesis.block(root));
    let Some(path) = path else {
        return Ok(Opened { ledger: begin(block, world), journal: None });
    };
    let io_error = |source| OpenError::Io { path: path.to_owned(), source };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(io_error)?;
    }
    if fresh || !path.try_exists().map_err(io_error)? {
        let start = Record::Start {
            version: VERSION,
            chain_id: genesis.chain_id.get(),
            genesis: root,
            header: Box::new(block.header.clone()),
        };
        let journal = Journal::create(path, [start.encode()]).map_err(io_error)?;
        return Ok(Opened { ledger: begin(block, world), journal: Some((journal, start)) });
    }
    let bytes = std::fs::read(path).map_err(io_error)?;
    let damaged = |reason: String| OpenError::Damaged { path: path.to_owned(), reason };
    let (entry, rest) = split_entry(&bytes).ok_or_else(|| damaged("it has no start record".into()))?;
    let start = Record::decode(&mut &*entry).map_err(|error| damaged(error.to_string()))?;
    let block = match &start {
        Record::Start { version: VERSION, chain_id, genesis: written, header }
            if *chain_id == genesis.chain_id.get() && *written == root =>
        {
            Arc::new(SealedBlock::new(Header::clone(header), Vec::new()))
        }
        _ => return Err(OpenError::OtherGenesis { path: path.to_owned() }),
    };
    let mut replay = Replay { ledger: begin(Arc::clone(&block), world), genesis: block, parts: None };
    let (mut rest, mut entries) = (rest, 0);
    while let Some((mut entry, after)) = split_entry(rest) {
        while !entry.is_empty() {
            let record = Record::decode(&mut entry).map_err(|error| damaged(error.to_string()))?;
            replay.take(record).map_err(|reason| damaged(reason.into()))?;
        }
        (rest, entries) = (after, entries + 1);
    }
    let head = replay.ledger.head();
    if head.world.commitment().root() != head.block.header.state_root {
        return Err(damaged("its state does not match its newest block".into()));
    }
    if !rest.is_empty() {
        tracing::warn!(path = %path.display(), bytes = rest.len(), "incomplete end of the chain file cut off");
    }
    let journal = Journal::resume(path, (bytes.len() - rest.len()) as u64, entries).map_err(io_error)?;
    Ok(Opened { ledger: replay.ledger, journal: Some((journal, start)) })
}

fn begin(block: Arc<SealedBlock>, world: WorldState) -> Ledger {
    Ledger::new(Arc::clone(&block), bare(block, world, 0))
}

/// A block without recorded changes.
fn bare(block: Arc<SealedBlock>, world: WorldState, branch: u64) -> RecentBlock {
    RecentBlock { block, world, change: Arc::default(), writes: Arc::default(), branch }
}

/// The state and blocks at the start of a compacted journal, until they are complete.
#[derive(Default)]
struct Parts {
    world: WorldState,
    codes: Change,
    kept: Vec<Arc<SealedBlock>>,
}

struct Replay {
    ledger: Ledger,
    genesis: Arc<SealedBlock>,
    parts: Option<Parts>,
}

impl Replay {
    fn take(&mut self, record: Record) -> Result<(), &'static str> {
        match record {
            Record::Start { .. } => return Err("it has two start records"),
            Record::State(mut change) => {
                let parts = self.parts.get_or_insert_default();
                parts.codes.codes.append(&mut change.codes);
                parts.codes.accounts = change.accounts;
                parts.world.apply(&parts.codes);
            }
            Record::OldBlock(block) => self.parts.get_or_insert_default().kept.push(block),
            Record::Base { block, branch, complete_from } => {
                let parts = self.parts.take().ok_or("its state is missing")?;
                self.ledger = Ledger::new(Arc::clone(&self.genesis), bare(block, parts.world, branch));
                for block in parts.kept {
                    self.ledger.insert_block(block);
                }
                self.ledger.restore_counters(branch, complete_from);
            }
            Record::Block { block, change, writes, branch } => {
                let head = self.ledger.head();
                if block.header.parent_hash != head.block.hash {
                    return Err("a block does not follow the one before it");
                }
                let mut world = head.world.clone();
                world.apply(&change);
                self.ledger.push(RecentBlock { block, world, change, writes, branch });
            }
            Record::Empty { timestamp, base_fee, branch } => {
                let head = self.ledger.head();
                let mut header = next_header(&head.block, Slot { timestamp, branch, min_base_fee: 0 });
                header.base_fee_per_gas = Some(base_fee);
                let block = Arc::new(SealedBlock::new(header, Vec::new()));
                let recent = bare(block, head.world.clone(), branch);
                self.ledger.push(recent);
            }
            Record::Rewind { number } => {
                self.ledger.rewind(number);
                if self.ledger.head().block.number() != number {
                    return Err("it rewinds further than its history");
                }
            }
        }
        Ok(())
    }
}
