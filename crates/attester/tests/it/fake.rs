use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use alloy_primitives::{Address, B256};
use async_trait::async_trait;
use causeway_attester::{Attester, AttesterConfig, StartError, known_contracts};
use causeway_domain::ports::{
    Care, ChainContracts, ChainError, ChainView, EscrowState, FillRecord, FinalBlock, Sighting,
};
use causeway_domain::{ChainId, Deployment, Terms};
use causeway_evm::Signer;

pub(crate) const ORIGIN: u64 = 1;
pub(crate) const DESTINATION: u64 = 10;
pub(crate) const DEADLINE: u64 = 1_000;

pub(crate) fn chain(id: u64) -> ChainId {
    ChainId::new(id).unwrap()
}

/// A chain of which a test says what it shows.
#[derive(Debug)]
pub(crate) struct FakeView {
    chain: ChainId,
    pub(crate) shows: Mutex<Shows>,
}

#[derive(Debug, Default)]
pub(crate) struct Shows {
    pub(crate) number: u64,
    pub(crate) time: u64,
    /// With less care the chain seems to be further.
    pub(crate) usual_time: Option<u64>,
    pub(crate) states: HashMap<B256, EscrowState>,
    pub(crate) fills: HashMap<B256, FillRecord>,
    pub(crate) logs: Vec<(u64, Sighting)>,
    /// Logs of earlier blocks are gone.
    pub(crate) logs_from: u64,
    pub(crate) away: bool,
    pub(crate) disagree: bool,
    pub(crate) looks: usize,
    /// About this order the chain never answers.
    pub(crate) hangs: Option<B256>,
}

impl FakeView {
    pub(crate) fn new(id: u64) -> Arc<Self> {
        let shows = Shows { number: 1, time: 100, ..Shows::default() };
        Arc::new(Self { chain: chain(id), shows: Mutex::new(shows) })
    }

    pub(crate) fn shows(&self) -> MutexGuard<'_, Shows> {
        self.shows.lock().unwrap()
    }
}

#[async_trait]
impl ChainView for FakeView {
    fn chain(&self) -> ChainId {
        self.chain
    }

    async fn final_block(&self, care: Care) -> Result<FinalBlock, ChainError> {
        let mut shows = self.shows();
        shows.looks += 1;
        if shows.away {
            return Err(ChainError::Unavailable(self.chain));
        }
        if shows.disagree {
            return Err(ChainError::Disagreement(self.chain, "two tales of block 1".to_owned()));
        }
        let time = shows.usual_time.filter(|_| care == Care::Usual).unwrap_or(shows.time);
        Ok(FinalBlock { number: shows.number, hash: B256::repeat_byte(0xbb), time })
    }

    async fn escrow_state(&self, _: B256, order: B256, _: &FinalBlock) -> Result<EscrowState, ChainError> {
        let hangs = self.shows().hangs == Some(order);
        if hangs {
            std::future::pending::<()>().await;
        }
        Ok(self.shows().states.get(&order).copied().unwrap_or(EscrowState::Unknown))
    }

    async fn fill_record(
        &self,
        _: B256,
        order: B256,
        _: &FinalBlock,
    ) -> Result<Option<FillRecord>, ChainError> {
        Ok(self.shows().fills.get(&order).copied())
    }

    async fn sightings(&self, _: &ChainContracts, from: u64, to: u64) -> Result<Vec<Sighting>, ChainError> {
        let shows = self.shows();
        if from < shows.logs_from {
            return Err(ChainError::Refused(self.chain, "pruned history unavailable".to_owned()));
        }
        let within = shows.logs.iter().filter(|(block, _)| (from..=to).contains(block));
        Ok(within.map(|(_, sighting)| sighting.clone()).collect())
    }
}

pub(crate) fn deployment(id: u64) -> Deployment {
    Deployment {
        chain: chain(id),
        escrow: Address::repeat_byte(0xe5),
        settler: Address::repeat_byte(0x5e),
        registry: Address::ZERO,
        deposit_factory: Address::ZERO,
        deposit_code_hash: B256::ZERO,
        permit2: None,
        min_grace: 60,
        transfers: false,
        from_block: 0,
        hub: None,
    }
}

pub(crate) fn terms(nonce: u8) -> Terms {
    let words = [B256::with_last_byte(1); Terms::WORDS];
    Terms {
        origin_chain_id: ORIGIN,
        escrow: deployment(ORIGIN).escrow.into_word(),
        destination_chain_id: DESTINATION,
        settler: deployment(DESTINATION).settler.into_word(),
        nonce: B256::repeat_byte(nonce),
        fill_deadline: DEADLINE,
        ..Terms::from_bytes(&words.concat()).unwrap()
    }
}

pub(crate) fn signer() -> Signer {
    Signer::from_bytes(&[0x42; 32]).unwrap()
}

/// An attester between two chains that a test plays.
pub(crate) struct Scene {
    pub(crate) origin: Arc<FakeView>,
    pub(crate) destination: Arc<FakeView>,
}

impl Scene {
    pub(crate) fn new() -> Self {
        Self { origin: FakeView::new(ORIGIN), destination: FakeView::new(DESTINATION) }
    }

    pub(crate) fn config() -> AttesterConfig {
        let contracts = known_contracts(&[deployment(ORIGIN), deployment(DESTINATION)]);
        AttesterConfig { poll: Duration::from_millis(5), ..AttesterConfig::new(contracts) }
    }

    pub(crate) fn attester(&self, folder: &Path) -> Attester {
        self.attester_with(Self::config(), folder).unwrap()
    }

    pub(crate) fn attester_with(
        &self,
        config: AttesterConfig,
        folder: &Path,
    ) -> Result<Attester, StartError> {
        let views: [Arc<dyn ChainView>; 2] = [self.origin.clone(), self.destination.clone()];
        Attester::open(config, Arc::new(signer()), views, folder)
    }

    pub(crate) fn open(&self, terms: &Terms) {
        let mut shows = self.origin.shows();
        shows.number += 1;
        let number = shows.number;
        shows.states.insert(terms.id(), EscrowState::Open);
        shows.logs.push((number, Sighting::Opened(Box::new(*terms))));
    }

    pub(crate) fn fill(&self, terms: &Terms, filled_at: u64) {
        let mut shows = self.destination.shows();
        shows.number += 1;
        let number = shows.number;
        shows.fills.insert(terms.id(), FillRecord { filled_at, reference: B256::repeat_byte(0xf1) });
        shows.logs.push((number, Sighting::Filled(terms.id())));
    }
}

/// Waits for something that a background task does, for as long as a slow machine may need.
pub(crate) async fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    for _ in 0..6_000 {
        if let Some(found) = look() {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{what} did not happen");
}
