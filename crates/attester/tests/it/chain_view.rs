use alloy_primitives::B256;
use causeway_attester::known_contracts;
use causeway_domain::ports::{ChainError, EscrowState, FillRecord, FinalityTier, ObservedEvent};
use causeway_sandbox::evm::Reorged;

use crate::sandbox_chain::{SandboxChain, genesis, now, order, view_of};

#[tokio::test]
async fn a_view_shows_final_blocks_and_nothing_newer() {
    let roles = genesis().roles().clone();
    let attesters: Vec<_> = roles.attesters.iter().map(|wallet| wallet.address).collect();
    let (origin, destination) = tokio::join!(SandboxChain::start(1, now()), SandboxChain::start(10, now()));
    let (at_origin, at_destination) = tokio::join!(origin.deploy(&attesters), destination.deploy(&attesters));
    let wallets = genesis().wallets().to_vec();
    let terms = order(&at_origin, &at_destination, "viewing");
    let (id, user, filler) = (terms.id(), wallets[0], wallets[1]);

    let view = origin.view();
    let state = async || {
        let block = view.final_block(FinalityTier::Standard).await.unwrap();
        view.escrow_state(terms.escrow, id, &block).await.unwrap()
    };
    assert_eq!(state().await, EscrowState::Unknown);
    origin.chain.pause();
    let opened = origin.send(&user, at_origin.escrow, 1_000_000, open_call(&terms)).await;
    origin.chain.mine(2, 1).await.unwrap();
    assert_eq!(origin.receipt(opened).await.status, 1);
    assert_eq!(state().await, EscrowState::Unknown, "one block deep is not final");
    origin.chain.mine(1, 1).await.unwrap();
    assert_eq!(state().await, EscrowState::Open);

    let view = destination.view();
    let record = async || {
        let block = view.final_block(FinalityTier::Large).await.unwrap();
        view.fill_record(terms.settler, id, &block).await.unwrap()
    };
    // Far enough from the start that the search for the fill's block has to step.
    destination.chain.mine(300, 1).await.unwrap();
    destination.chain.pause();
    let delivery =
        destination.send(&filler, at_destination.settler, 990_000, SandboxChain::fill_call(&terms)).await;
    destination.chain.mine(2, 1).await.unwrap();
    assert_eq!(record().await, None, "one block deep is not final");
    destination.chain.mine(200, 1).await.unwrap();
    let receipt = destination.receipt(delivery).await;
    let block = destination.client.agreed_block(receipt.block_number).await.unwrap().unwrap();
    assert_eq!(record().await, Some(FillRecord { filled_at: block.timestamp, reference: delivery }));
    let other = view.final_block(FinalityTier::Standard).await.unwrap();
    assert_eq!(view.fill_record(terms.settler, B256::ZERO, &other).await.unwrap(), None);

    let known = known_contracts([&at_origin, &at_destination]);
    let seen = view.observed_events(&known[&at_destination.chain], 0, other.number).await.unwrap();
    assert_eq!(seen, [ObservedEvent::Filled(id)]);
    origin.chain.resume();
    let refund = refund_call(&terms);
    let ended = origin.send_ok(&filler, at_origin.escrow, 0, refund).await;
    let view = origin.view();
    let seen = view.observed_events(&known[&at_origin.chain], 0, ended.block_number).await.unwrap();
    assert_eq!(seen, [ObservedEvent::Opened(Box::new(terms)), ObservedEvent::Ended(id)]);
    origin.finalize().await;
    let block = view.final_block(FinalityTier::Standard).await.unwrap();
    assert_eq!(view.escrow_state(terms.escrow, id, &block).await.unwrap(), EscrowState::Refunded);
}

#[tokio::test]
async fn endpoints_that_disagree_halt_the_view() {
    let (one, other) = tokio::join!(SandboxChain::start(10, now()), SandboxChain::start(10, now() - 50));
    one.finalize().await;
    other.finalize().await;
    let view = view_of(one.client.chain_id(), [one.url.clone(), other.url.clone()]);
    for _ in 0..2 {
        let error = view.final_block(FinalityTier::Standard).await.unwrap_err();
        assert!(matches!(error, ChainError::Disagreement(..)), "{error}");
    }
}

#[tokio::test]
async fn a_quorum_of_two_needs_two_endpoints() {
    let chain = SandboxChain::start(10, now()).await;
    chain.finalize().await;
    let unreachable = "http://127.0.0.1:1".parse().unwrap();
    let view = view_of(chain.client.chain_id(), [chain.url.clone(), unreachable]);
    let error = view.final_block(FinalityTier::Standard).await.unwrap_err();
    assert!(matches!(error, ChainError::Unavailable(_)), "{error}");
}

#[tokio::test]
async fn a_reorg_below_finality_halts() {
    let chain = SandboxChain::start(10, now()).await;
    chain.chain.pause();
    chain.chain.mine(10, 1).await.unwrap();
    let view = chain.view();
    let before = view.final_block(FinalityTier::Standard).await.unwrap();
    chain.chain.reorg(1, Reorged::Drop).await.unwrap();
    chain.chain.mine(1, 1).await.unwrap();
    let after = view.final_block(FinalityTier::Standard).await.unwrap();
    assert_eq!(after.number, before.number + 1, "a reorg above it changes nothing");
    chain.chain.reorg(6, Reorged::Drop).await.unwrap();
    chain.chain.mine(4, 1).await.unwrap();
    for _ in 0..2 {
        let error = view.final_block(FinalityTier::Standard).await.unwrap_err();
        assert!(matches!(error, ChainError::Disagreement(..)), "{error}");
    }
}

fn open_call(terms: &causeway_domain::IntentTerms) -> Vec<u8> {
    use alloy_sol_types::SolCall as _;
    let order = causeway_evm::contracts::onchain_envelope(terms).unwrap();
    causeway_evm::contracts::Escrow::openCall { order }.abi_encode()
}

fn refund_call(terms: &causeway_domain::IntentTerms) -> Vec<u8> {
    use alloy_sol_types::SolCall as _;
    causeway_evm::contracts::Escrow::refundCall { order: terms.into() }.abi_encode()
}
