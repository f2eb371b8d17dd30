use std::num::NonZeroUsize;
use std::time::Duration;

use causeway_domain::ports::{
    ChainContracts, ChainError, ChainView as _, EscrowState, FinalBlock, FinalityTier, ObservedEvent,
};
use causeway_solana::attest::{SolanaView, SolanaViewConfig};

use super::*;

impl OrderFixture {
    fn view(&self) -> SolanaView {
        let config = SolanaViewConfig { quorum: NonZeroUsize::MIN, fresh_for: Duration::ZERO };
        SolanaView::new(self.sandbox.rpc.clone(), config)
    }

    fn contracts(&self) -> ChainContracts {
        let program = self.sandbox.deployment.program;
        ChainContracts {
            chain: SOLANA_CHAIN_ID,
            escrows: vec![program],
            settlers: vec![program],
            from_block: 0,
        }
    }
}

#[tokio::test]
async fn rule_11_attester_reads_final_accounts() {
    let fixture = OrderFixture::new().await;
    let (view, program) = (fixture.view(), fixture.sandbox.deployment.program);
    let terms = fixture.terms_within_solana(Some(USDC), None).await;
    let before = view.final_block(FinalityTier::Large).await.unwrap();
    let found = async |at: &FinalBlock| view.escrow_state(program, terms.id(), at).await.unwrap();
    assert_eq!(found(&before).await, EscrowState::Unknown);
    assert_eq!(view.fill_record(program, terms.id(), &before).await.unwrap(), None);

    fixture.open(&terms).await;
    let filler = fixture.filler();
    fixture.assert_succeeds(&filler, "fill:1", &ChainAction::Fill { terms, through: None }).await;
    let at = view.final_block(FinalityTier::Standard).await.unwrap();
    assert!(at.number > before.number && at.time >= before.time);
    assert_eq!(found(&at).await, EscrowState::Open);
    let fill = view.fill_record(program, terms.id(), &at).await.unwrap().unwrap();
    assert_eq!(fill.reference.0, PROGRAM.fill_marker(terms.id()).to_bytes());
    assert!(fill.filled_at <= at.time);

    let claim = ChainAction::Claim { terms, filled_at: 0, fill_ref: B256::ZERO, signatures: Vec::new() };
    fixture.assert_succeeds(&filler, "claim:1", &claim).await;
    let at = view.final_block(FinalityTier::Standard).await.unwrap();
    assert_eq!(found(&at).await, EscrowState::Claimed);
    let observed_events = view.observed_events(&fixture.contracts(), 0, at.number).await.unwrap();
    let id = terms.id();
    let wanted =
        [ObservedEvent::Opened(Box::new(terms)), ObservedEvent::Filled(id), ObservedEvent::Ended(id)];
    assert_eq!(observed_events, wanted);
    let far = at.number + 10_000;
    assert!(
        view.observed_events(&fixture.contracts(), far, far).await.is_err(),
        "no node has reached that slot"
    );
}

#[tokio::test]
async fn state_of_an_unreached_block_is_unavailable() {
    let fixture = OrderFixture::new().await;
    let view = fixture.view();
    let at = view.final_block(FinalityTier::Large).await.unwrap();
    let later = FinalBlock { number: at.number + 10_000, ..at };
    let answer = view.escrow_state(fixture.sandbox.deployment.program, B256::ZERO, &later).await;
    assert!(matches!(answer, Err(ChainError::Unavailable(_))), "{answer:?}");
}
