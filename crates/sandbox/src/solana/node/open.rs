use std::collections::{BTreeMap, VecDeque};

use super::Node;
use super::faucet::faucet;
use super::tick::machine_time;
use crate::solana::config::{SolanaConfig, SolanaError};
use crate::solana::genesis::Genesis;
use crate::solana::journal::Journal;
use crate::solana::ledger::{History, Ledger, Machine, Slots};

impl Node {
    /// Continues the chain of the data folder, or starts one from the genesis.
    pub(crate) fn open(config: &SolanaConfig, genesis: &Genesis) -> Result<Self, SolanaError> {
        let (ledger, ahead, journal) = match &config.data_dir {
            None => (begin(config, genesis)?, 0, None),
            Some(folder) => {
                if config.fresh {
                    Journal::remove(folder)?;
                }
                let (ledger, ahead) = match Journal::read(folder)? {
                    None => (begin(config, genesis)?, 0),
                    Some(past) => {
                        let ahead = past.ahead;
                        (past.resume(genesis, config.history, machine_time())?, ahead)
                    }
                };
                let journal = Journal::begin(folder, &ledger, ahead, genesis.fingerprint())?;
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
            waiting: VecDeque::new(),
            faucet: faucet()?,
            journal,
        })
    }
}

fn begin(config: &SolanaConfig, genesis: &Genesis) -> Result<Ledger, SolanaError> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(|error| SolanaError::Refused(format!("no randomness: {error}")))?;
    let mut machine = Machine::new();
    machine.put(genesis.accounts())?;
    Ok(Ledger::new(machine, Slots::new(seed, machine_time()), History::new(config.history)))
}
