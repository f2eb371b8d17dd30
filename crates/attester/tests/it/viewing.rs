use alloy_primitives::B256;
use causeway_attester::known_contracts;
use causeway_domain::ports::{Care, ChainError, EscrowState, FillRecord, Sighting};
use causeway_sandbox::evm::Reorged;

use crate::play::{PlayChain, genesis, now, order, view_of};

#[tokio::test]
async fn a_chain_shows_what_stands_in_its_final_blocks_and_nothing_newer() {
    let roles = genesis().roles().clone();
    let attesters: Vec<_> = roles.attesters.iter().map(|wallet| wallet.address).collect();
    let (origin, destination) = tokio::join!(PlayChain::start(1, now()), PlayChain::start(10, now()));
    let (at_origin, at_destination) = tokio::join!(origin.deploy(&attesters), destination.deploy(&attesters));
    let wallets = genesis().wallets().to_vec();
    let terms = order(&at_origin, &at_destination, "viewing");
    let (id, user, filler) = (terms.id(), wallets[0], wallets[1]);

    let view = origin.view();
    let state = async || {
        let block = view.final_block(Care::Usual).await.unwrap();
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
        let block = view.final_block(Care::Large).await.unwrap();
        view.fill_record(terms.settler, id, &block).await.unwrap()
    };
    // Far enough from the start that the search for the fill's block has to step.
    destination.chain.mine(300, 1).await.unwrap();
    destination.chain.pause();
    let delivery =
        destination.send(&filler, at_destination.settler, 990_000, PlayChain::fill_call(&terms)).await;
    destination.chain.mine(2, 1).await.unwrap();
    assert_eq!(record().await, None, "one block deep is not final");
    destination.chain.mine(200, 1).await.unwrap();
    let receipt = destination.receipt(delivery).await;
    let block = destination.client.agreed_block(receipt.block_number).await.unwrap().unwrap();
    assert_eq!(record().await, Some(FillRecord { filled_at: block.timestamp, reference: delivery }));
    let other = view.final_block(Care::Usual).await.unwrap();
    assert_eq!(view.fill_record(terms.settler, B256::ZERO, &other).await.unwrap(), None);

    let known = known_contracts([&at_origin, &at_destination]);
    let seen = view.sightings(&known[&at_destination.chain], 0, other.number).await.unwrap();
    assert_eq!(seen, [Sighting::Filled(id)]);
    origin.chain.resume();
    let refund = refund_call(&terms);
    let ended = origin.land(&filler, at_origin.escrow, 0, refund).await;
    let view = origin.view();
    let seen = view.sightings(&known[&at_origin.chain], 0, ended.block_number).await.unwrap();
    assert_eq!(seen, [Sighting::Opened(Box::new(terms)), Sighting::Ended(id)]);
    origin.settle().await;
    let block = view.final_block(Care::Usual).await.unwrap();
    assert_eq!(view.escrow_state(terms.escrow, id, &block).await.unwrap(), EscrowState::Refunded);
}

#[tokio::test]
async fn endpoints_that_tell_different_chains_are_never_believed_again() {
    let (one, other) = tokio::join!(PlayChain::start(10, now()), PlayChain::start(10, now() - 50));
    one.settle().await;
    other.settle().await;
    let view = view_of(one.client.chain_id(), [one.url.clone(), other.url.clone()]);
    for _ in 0..2 {
        let error = view.final_block(Care::Usual).await.unwrap_err();
        assert!(matches!(error, ChainError::Disagreement(..)), "{error}");
    }
}

#[tokio::test]
async fn one_endpoint_is_not_two() {
    let chain = PlayChain::start(10, now()).await;
    chain.settle().await;
    let gone = "http://127.0.0.1:1".parse().unwrap();
    let view = view_of(chain.client.chain_id(), [chain.url.clone(), gone]);
    let error = view.final_block(Care::Usual).await.unwrap_err();
    assert!(matches!(error, ChainError::Unavailable(_)), "{error}");
}

#[tokio::test]
async fn a_reorg_below_finality_halts() {
    let chain = PlayChain::start(10, now()).await;
    chain.chain.pause();
    chain.chain.mine(10, 1).await.unwrap();
    let view = chain.view();
    let before = view.final_block(Care::Usual).await.unwrap();
    chain.chain.reorg(1, Reorged::Drop).await.unwrap();
    chain.chain.mine(1, 1).await.unwrap();
    let after = view.final_block(Care::Usual).await.unwrap();
    assert_eq!(after.number, before.number + 1, "a reorg above it changes nothing");
    chain.chain.reorg(6, Reorged::Drop).await.unwrap();
    chain.chain.mine(4, 1).await.unwrap();
    for _ in 0..2 {
        let error = view.final_block(Care::Usual).await.unwrap_err();
        assert!(matches!(error, ChainError::Disagreement(..)), "{error}");
    }
}

fn open_call(terms: &causeway_domain::Terms) -> Vec<u8> {
    use alloy_sol_types::SolCall as _;
    let order = causeway_evm::contracts::onchain_envelope(terms).unwrap();
    causeway_evm::contracts::Escrow::openCall { order }.abi_encode()
}

fn refund_call(terms: &causeway_domain::Terms) -> Vec<u8> {
    use alloy_sol_types::SolCall as _;
    causeway_evm::contracts::Escrow::refundCall { order: terms.into() }.abi_encode()
}
