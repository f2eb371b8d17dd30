use std::collections::{BTreeMap, VecDeque};

use super::Node;
use super::faucet::faucet;
use super::tick::system_time;
use crate::solana::config::{SolanaConfig, SolanaError};
use crate::solana::genesis::Genesis;
use crate::solana::journal::Journal;
use crate::solana::ledger::{History, Ledger, Machine, Slots};

impl Node {
    /// Resumes the chain of the data folder, or starts one from the genesis.
    pub(crate) fn open(config: &SolanaConfig, genesis: &Genesis) -> Result<Self, SolanaError> {
        let (ledger, ahead, journal) = match &config.data_dir {
            None => (new_ledger(config, genesis)?, 0, None),
            Some(folder) => {
                if config.fresh {
                    Journal::remove(folder)?;
                }
                let (ledger, ahead) = match Journal::read(folder)? {
                    None => (new_ledger(config, genesis)?, 0),
                    Some(recovered) => {
                        let ahead = recovered.ahead;
                        (recovered.resume(genesis, config.history, system_time())?, ahead)
                    }
                };
                let journal = Journal::create(folder, &ledger, ahead, genesis.fingerprint())?;
                (ledger, ahead, Some(journal))
            }
        };
        Ok(Self {
            ledger,
            stale: BTreeMap::new(),
            paused: config.paused,
            stopped: false,
            drop_next: 0,
            delay: 0,
            ahead,
            pending: VecDeque::new(),
            faucet: faucet()?,
            journal,
        })
    }
}

fn new_ledger(config: &SolanaConfig, genesis: &Genesis) -> Result<Ledger, SolanaError> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(|error| SolanaError::Refused(format!("no randomness: {error}")))?;
    let mut machine = Machine::new();
    machine.put(genesis.accounts())?;
    Ok(Ledger::new(machine, Slots::new(seed, system_time()), History::new(config.history)))
}
