use std::num::NonZeroUsize;
use std::time::Duration;

use causeway_domain::ports::{
    Care, ChainContracts, ChainError, ChainView as _, EscrowState, FinalBlock, Sighting,
};
use causeway_solana::attest::{SolanaView, SolanaViewConfig};

use super::*;

impl Stage {
    fn view(&self) -> SolanaView {
        let config = SolanaViewConfig { quorum: NonZeroUsize::MIN, fresh_for: Duration::ZERO };
        SolanaView::new(self.play.rpc.clone(), config)
    }

    fn contracts(&self) -> ChainContracts {
        let program = self.play.deployment.program;
        ChainContracts {
            chain: SOLANA_CHAIN_ID,
            escrows: vec![program],
            settlers: vec![program],
            from_block: 0,
        }
    }
}

#[tokio::test]
async fn rule_11_an_attester_sees_what_stands_in_final_accounts() {
    let stage = Stage::new().await;
    let (view, program) = (stage.view(), stage.play.deployment.program);
    let terms = stage.within(Some(USDC), None).await;
    let before = view.final_block(Care::Large).await.unwrap();
    let found = async |at: &FinalBlock| view.escrow_state(program, terms.id(), at).await.unwrap();
    assert_eq!(found(&before).await, EscrowState::Unknown);
    assert_eq!(view.fill_record(program, terms.id(), &before).await.unwrap(), None);

    stage.open(&terms).await;
    let filler = stage.filler();
    stage.succeeds(&filler, "fill:1", &Deed::Fill { terms, through: None }).await;
    let at = view.final_block(Care::Usual).await.unwrap();
    assert!(at.number > before.number && at.time >= before.time);
    assert_eq!(found(&at).await, EscrowState::Open);
    let fill = view.fill_record(program, terms.id(), &at).await.unwrap().unwrap();
    assert_eq!(fill.reference.0, PROGRAM.fill_marker(terms.id()).to_bytes());
    assert!(fill.filled_at <= at.time);

    let claim = Deed::Claim { terms, filled_at: 0, fill_ref: B256::ZERO, signatures: Vec::new() };
    stage.succeeds(&filler, "claim:1", &claim).await;
    let at = view.final_block(Care::Usual).await.unwrap();
    assert_eq!(found(&at).await, EscrowState::Claimed);
    let sightings = view.sightings(&stage.contracts(), 0, at.number).await.unwrap();
    let id = terms.id();
    let wanted = [Sighting::Opened(Box::new(terms)), Sighting::Filled(id), Sighting::Ended(id)];
    assert_eq!(sightings, wanted);
    let far = at.number + 10_000;
    assert!(view.sightings(&stage.contracts(), far, far).await.is_err(), "nobody has come so far");
}

#[tokio::test]
async fn what_a_node_has_not_reached_is_not_known() {
    let stage = Stage::new().await;
    let view = stage.view();
    let at = view.final_block(Care::Large).await.unwrap();
    let later = FinalBlock { number: at.number + 10_000, ..at };
    let answer = view.escrow_state(stage.play.deployment.program, B256::ZERO, &later).await;
    assert!(matches!(answer, Err(ChainError::Unavailable(_))), "{answer:?}");
}
