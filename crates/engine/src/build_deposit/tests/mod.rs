mod pausing;
mod providers;
mod refusals;
mod solana;
mod summary;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use alloy_primitives::{B256, U256};
use causeway_domain::ports::{FinalityTier, OrderStore as _};
use causeway_domain::{IntentTerms, RawAmount, Referral};
use futures::future::join_all;
use tokio::sync::Barrier;

use super::fake::{ARBITRUM, BASE, Scene, evm, quote_keys, request, usdc, valid_before};
use super::*;

const METHODS: [DepositMethod; 3] =
    [DepositMethod::ContractCall, DepositMethod::Permit2, DepositMethod::Transfer];

fn raw(units: u64) -> RawAmount {
    RawAmount::new(U256::from(units))
}

#[tokio::test]
async fn rule_1_every_term_comes_from_the_quote_or_the_deposit_builder() {
    let scene = Scene::new().await;
    let quote = scene.quote(|quote| quote.ask.referral = Referral::new(evm(0x44), 30));
    let built = scene.take(BuildRequest { recipient: Some(evm(0xb9)), ..request(&quote) }).await.unwrap();
    let terms = built.order.terms;
    let valid_before = u64::try_from(valid_before().as_second()).unwrap();
    let expected = IntentTerms {
        origin_chain_id: BASE,
        escrow: evm(0xe1).to_word(),
        user: evm(0xa1).to_word(),
        nonce: terms.nonce,
        input_token: usdc().address().to_word(),
        amount_in: U256::from(25_000_000),
        refund_to: evm(0xc3).to_word(),
        filler: evm(0xf1).to_word(),
        payee: evm(0xf2).to_word(),
        referrer: evm(0x44).to_word(),
        referrer_fee: U256::from(75_000),
        destination_chain_id: ARBITRUM,
        settler: evm(0xd2).to_word(),
        output_token: B256::ZERO,
        amount_out: U256::from(9_800_000_000_000_000_u64),
        recipient: evm(0xb9).to_word(),
        open_deadline: valid_before + 600,
        fill_deadline: valid_before + 600 + 1_200 + 900,
        refund_at: valid_before + 600 + 1_200 + 900 + 6 * 3_600,
        epoch: 3,
    };
    assert_eq!(terms, expected);
    assert_eq!(built.order.intent_id, terms.id());
    assert_eq!(scene.stored(&built.order).await.terms, terms);
}

#[tokio::test]
async fn rule_2_nonce_authenticates_all_other_terms() {
    let scene = Scene::new().await;
    let terms = scene.order(DepositMethod::ContractCall).await.terms;
    assert!(quote_keys().have_sealed(&terms));
    assert!(!quote_keys().have_sealed(&IntentTerms { amount_out: terms.amount_out + U256::ONE, ..terms }));
    assert_ne!(scene.order(DepositMethod::ContractCall).await.terms.nonce, terms.nonce);
}

#[tokio::test]
async fn rule_3_grace_period_is_at_least_the_escrows_minimum() {
    let scene = Scene::new().await;
    *scene.origin.min_grace.lock().unwrap() = 100_000;
    let terms = scene.order(DepositMethod::ContractCall).await.terms;
    assert_eq!(terms.refund_at - terms.fill_deadline, 100_000);
}

#[tokio::test]
async fn building_again_returns_the_same_deposit_with_the_current_allowance() {
    for method in METHODS {
        let scene = Scene::new().await;
        let quote = scene.quote(|_| {});
        let asked = BuildRequest { method: Some(method), ..request(&quote) };
        let first = scene.take(asked.clone()).await.unwrap();
        let second = scene.take(asked.clone()).await.unwrap();
        assert_eq!((&second.order, &second.deposit), (&first.order, &first.deposit));
        assert_eq!(second.summary, first.summary);
        scene.origin.allowed.store(true, Ordering::Relaxed);
        let third = scene.take(asked).await.unwrap();
        let saved = if method == DepositMethod::Transfer { 0 } else { 2 };
        assert_eq!(third.summary.len(), first.summary.len() - saved, "{method:?}");
        assert_eq!(third.order.terms, first.order.terms);
        assert_eq!(*scene.executor.held.lock().unwrap(), [first.order.id], "held once");
    }
}

#[tokio::test]
async fn concurrent_builds_agree_on_one_order() {
    let scene = Scene::new().await;
    let quote = scene.quote(|_| {});
    // All have seen that nothing was built yet before the first of them writes.
    *scene.origin.gate.lock().unwrap() = Some((Arc::new(Barrier::new(8)), 8));
    let built = join_all((0..8).map(|_| scene.take(request(&quote)))).await;
    let built: Vec<Built> = built.into_iter().map(Result::unwrap).collect();
    assert_eq!(scene.origin.simulations.load(Ordering::Relaxed), 8 + 7, "the losers look again");
    for one in &built {
        assert_eq!((one.order.intent_id, &one.order.id), (built[0].order.intent_id, &built[0].order.id));
        assert_eq!(one.deposit, built[0].deposit);
    }
    assert_eq!(scene.executor.held.lock().unwrap().len(), 1);
    // A concurrent build with other values is rejected.
    let quote = scene.quote(|_| {});
    *scene.origin.gate.lock().unwrap() = Some((Arc::new(Barrier::new(2)), 2));
    let other = BuildRequest { recipient: Some(evm(1)), ..request(&quote) };
    let (one, two) = tokio::join!(scene.take(request(&quote)), scene.take(other));
    assert!(
        matches!(
            (&one, &two),
            (Ok(_), Err(BuildError::AlreadyBuilt { .. })) | (Err(BuildError::AlreadyBuilt { .. }), Ok(_))
        ),
        "{one:?} {two:?}"
    );
}

#[tokio::test]
async fn only_transfers_are_announced_before_a_submission() {
    let scene = Scene::new().await;
    for method in METHODS {
        let order = scene.order(method).await;
        let stored = scene.stored(&order).await;
        let is_transfer = method == DepositMethod::Transfer;
        assert_eq!(stored.announced, is_transfer, "{method:?}");
        assert_eq!(stored.deposit_address.is_some(), is_transfer);
        assert_eq!(
            stored.due_at,
            moment(order.terms.open_deadline + 1),
            "processed once the deadline has passed"
        );
        let events = scene.store.order_events(&order.id).await.unwrap();
        assert_eq!(events.len(), 1);
        assert_eq!(events[0].detail, format!("Built as {}.", method.as_str()));
    }
}

#[tokio::test]
async fn deposits_over_a_thousand_dollars_or_of_unknown_value_need_the_large_tier() {
    let scene = Scene::new().await;
    for (price, amount, tier) in [
        (Some("1"), 1_000_000_000, FinalityTier::Standard),
        (Some("1"), 1_000_010_000, FinalityTier::Large),
        (Some("1.01"), 1_000_000_000, FinalityTier::Large),
        (Some("0.5"), 2_000_000_000, FinalityTier::Standard),
        (None, 1, FinalityTier::Large),
    ] {
        *scene.prices.0.lock().unwrap() =
            price.map(|price| (usdc(), price.parse().unwrap())).into_iter().collect();
        let quote = scene.quote(|quote| quote.routes[0].amount_in = raw(amount));
        assert_eq!(
            scene.take(request(&quote)).await.unwrap().order.finality_tier,
            tier,
            "{amount} at {price:?}"
        );
    }
}

#[tokio::test]
async fn failed_hold_does_not_prevent_a_build() {
    let scene = Scene::new().await;
    scene.executor.is_away.store(true, Ordering::Relaxed);
    let order = scene.order(DepositMethod::ContractCall).await;
    assert_eq!(*scene.executor.held.lock().unwrap(), [order.id]);
}
