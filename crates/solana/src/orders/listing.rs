use causeway_domain::ports::ChainError;

use crate::history::HistoryWalk;
use crate::program::EscrowProgram;
use crate::{Commitment, Mention, SolanaRpc};

/// Pages of one program's history that one scan reads; the next scan goes on there.
const MAX_PAGES_PER_SCAN: usize = 20;

/// The transactions of the programs up to a final slot, listed over as many scans as it takes. Anybody can mention a
/// program, so the list may be long; nodes list from the newest transaction back, so it is used once it is complete.
#[derive(Debug)]
pub(super) struct Listing {
    /// The newest final slot when it was begun.
    pub(super) reached: u64,
    walks: Vec<(EscrowProgram, HistoryWalk)>,
}

impl Listing {
    /// Lists each program from its own slot on.
    pub(super) fn new(reached: u64, programs: impl IntoIterator<Item = (EscrowProgram, u64)>) -> Self {
        let walk = |(program, from)| (program, HistoryWalk::of_successful(from));
        Self { reached, walks: programs.into_iter().map(walk).collect() }
    }

    /// Reads on; true when the list is complete.
    pub(super) async fn read_on(&mut self, rpc: &SolanaRpc) -> Result<bool, ChainError> {
        let at = (Commitment::Confirmed, Some(self.reached));
        let mut is_complete = true;
        for (program, walk) in &mut self.walks {
            is_complete &= rpc.walk(&program.id, walk, at, MAX_PAGES_PER_SCAN).await?;
        }
        Ok(is_complete)
    }

    pub(super) fn finish(self) -> Backlog {
        let finish = |(program, walk): (EscrowProgram, HistoryWalk)| (program, walk.finish());
        Backlog { reached: self.reached, listed: self.walks.into_iter().map(finish).collect() }
    }
}

/// Transactions that were listed, oldest first, and are reported over as many scans as it takes.
#[derive(Clone, Debug, Default)]
pub(super) struct Backlog {
    pub(super) reached: u64,
    pub(super) listed: Vec<(EscrowProgram, Vec<Mention>)>,
}

impl Backlog {
    /// What is left of the final transactions when everything up to `slot` was reported; the later ones are listed again.
    pub(super) fn after(mut self, slot: u64) -> Self {
        for (_, listed) in &mut self.listed {
            listed.retain(|mention| mention.slot > slot && mention.slot <= self.reached);
        }
        self
    }
}
