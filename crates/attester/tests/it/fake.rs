use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use alloy_primitives::{Address, B256};
use async_trait::async_trait;
use causeway_attester::{Attester, AttesterConfig, StartError, known_contracts};
use causeway_domain::ports::{
    ChainContracts, ChainError, ChainView, EscrowState, FillRecord, FinalBlock, FinalityTier, ObservedEvent,
};
use causeway_domain::{ChainId, Deployment, IntentTerms};
use causeway_evm::{EvmAccountKey, Signer};

pub(crate) const ORIGIN: u64 = 1;
pub(crate) const DESTINATION: u64 = 10;
pub(crate) const DEADLINE: u64 = 1_000;

pub(crate) fn chain(id: u64) -> ChainId {
    ChainId::new(id).unwrap()
}

/// A chain whose state a test sets.
#[derive(Debug)]
pub(crate) struct FakeView {
    chain: ChainId,
    pub(crate) state: Mutex<FakeChainState>,
}

#[derive(Debug, Default)]
pub(crate) struct FakeChainState {
    pub(crate) number: u64,
    pub(crate) time: u64,
    /// The final time at the standard tier, if it is ahead of the large tier.
    pub(crate) standard_time: Option<u64>,
    pub(crate) states: HashMap<B256, EscrowState>,
    pub(crate) fills: HashMap<B256, FillRecord>,
    pub(crate) logs: Vec<(u64, ObservedEvent)>,
    /// Logs of earlier blocks are gone.
    pub(crate) logs_from: u64,
    pub(crate) unavailable: bool,
    pub(crate) disagree: bool,
    pub(crate) reads: usize,
    /// Reads of this order never return.
    pub(crate) hangs_on: Option<B256>,
}

impl FakeView {
    pub(crate) fn new(id: u64) -> Arc<Self> {
        let state = FakeChainState { number: 1, time: 100, ..FakeChainState::default() };
        Arc::new(Self { chain: chain(id), state: Mutex::new(state) })
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, FakeChainState> {
        self.state.lock().unwrap()
    }
}

#[async_trait]
impl ChainView for FakeView {
    fn chain(&self) -> ChainId {
        self.chain
    }

    async fn final_block(&self, tier: FinalityTier) -> Result<FinalBlock, ChainError> {
        let mut state = self.state();
        state.reads += 1;
        if state.unavailable {
            return Err(ChainError::Unavailable(self.chain));
        }
        if state.disagree {
            return Err(ChainError::Disagreement(self.chain, "two hashes of block 1".to_owned()));
        }
        let time = state.standard_time.filter(|_| tier == FinalityTier::Standard).unwrap_or(state.time);
        Ok(FinalBlock { number: state.number, hash: B256::repeat_byte(0xbb), time })
    }

    async fn escrow_state(&self, _: B256, order: B256, _: &FinalBlock) -> Result<EscrowState, ChainError> {
        let hangs_on = self.state().hangs_on == Some(order);
        if hangs_on {
            std::future::pending::<()>().await;
        }
        Ok(self.state().states.get(&order).copied().unwrap_or(EscrowState::Unknown))
    }

    async fn fill_record(
        &self,
        _: B256,
        order: B256,
        _: &FinalBlock,
    ) -> Result<Option<FillRecord>, ChainError> {
        Ok(self.state().fills.get(&order).copied())
    }

    async fn observed_events(
        &self,
        _: &ChainContracts,
        from: u64,
        to: u64,
    ) -> Result<Vec<ObservedEvent>, ChainError> {
        let state = self.state();
        if from < state.logs_from {
            return Err(ChainError::Refused(self.chain, "pruned history unavailable".to_owned()));
        }
        let within = state.logs.iter().filter(|(block, _)| (from..=to).contains(block));
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

pub(crate) fn terms(nonce: u8) -> IntentTerms {
    let mut words = [B256::with_last_byte(1); IntentTerms::WORDS];
    words[0] = B256::with_last_byte(2);
    IntentTerms {
        origin_chain_id: ORIGIN,
        escrow: deployment(ORIGIN).escrow.into_word(),
        destination_chain_id: DESTINATION,
        settler: deployment(DESTINATION).settler.into_word(),
        nonce: B256::repeat_byte(nonce),
        fill_deadline: DEADLINE,
        ..IntentTerms::from_bytes(&words.concat()).unwrap()
    }
}

pub(crate) fn signer() -> Signer {
    Signer::from_bytes(&[0x42; 32]).unwrap()
}

/// An attester between two fake chains.
pub(crate) struct Fixture {
    pub(crate) origin: Arc<FakeView>,
    pub(crate) destination: Arc<FakeView>,
}

impl Fixture {
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
        Attester::open(config, Arc::new(EvmAccountKey::from(signer())), views, folder)
    }

    pub(crate) fn open(&self, terms: &IntentTerms) {
        let mut state = self.origin.state();
        state.number += 1;
        let number = state.number;
        state.states.insert(terms.id(), EscrowState::Open);
        state.logs.push((number, ObservedEvent::Opened(Box::new(*terms))));
    }

    pub(crate) fn fill(&self, terms: &IntentTerms, filled_at: u64) {
        let mut state = self.destination.state();
        state.number += 1;
        let number = state.number;
        state.fills.insert(terms.id(), FillRecord { filled_at, reference: B256::repeat_byte(0xf1) });
        state.logs.push((number, ObservedEvent::Filled(terms.id())));
    }
}

/// Waits for something that a background task does, for as long as a slow machine may need.
pub(crate) async fn eventually<T>(what: &str, mut check: impl FnMut() -> Option<T>) -> T {
    for _ in 0..6_000 {
        if let Some(found) = check() {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{what} did not happen");
}
