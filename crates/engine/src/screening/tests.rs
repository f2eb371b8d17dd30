use std::sync::Arc;

use causeway_domain::Referral;
use causeway_domain::ports::{OperatorStore as _, OrderKind};

use super::ScreeningError;
use super::fake::{FakeScreen, fake_screen, screening};
use crate::build_deposit::fake::{Scene, evm, request, usdc};
use crate::{BuildError, BuildRequest};

fn screened(scene: Scene, door: &Arc<FakeScreen>) -> Scene {
    let screening = screening(door, &scene.store);
    scene.with_screening(screening)
}

#[tokio::test]
async fn swap_is_screened_for_payer_recipient_and_refund_address_before_it_is_stored() {
    for against in [evm(0xa1), evm(0xb2), evm(0xc3)] {
        let door = fake_screen(Some(against), false);
        let scene = screened(Scene::new().await, &door);
        let quote = scene.quote(|_| {});
        let error = scene.take(request(&quote)).await.unwrap_err();
        assert!(matches!(error, BuildError::Screening(ScreeningError::Refused)), "{error}");
        assert!(!scene.is_taken(&quote).await, "nothing was written");
        let kept = scene.store.audit(None, 10).await.unwrap();
        assert_eq!((kept.len(), kept[0].kind.as_str()), (1, "screening.hit"));
        assert_eq!(kept[0].subject, against.to_string());
        assert!(kept[0].detail.contains("list: listed. A swap of 25000000 of"), "{}", kept[0].detail);
        let asked = door.asked.lock().unwrap().pop().unwrap();
        assert_eq!((asked.kind, asked.asset, asked.wallets.len()), (OrderKind::Swap, usdc(), 3));
    }
}

#[tokio::test]
async fn repeated_hits_of_one_wallet_are_one_line_that_counts_them() {
    let door = fake_screen(Some(evm(0xa1)), false);
    let scene = screened(Scene::new().await, &door);
    let quote = scene.quote(|_| {});
    for _ in 0..9 {
        scene.take(request(&quote)).await.unwrap_err();
    }
    let kept = scene.store.audit(None, 10).await.unwrap();
    assert_eq!(kept.len(), 1);
    assert!(kept[0].detail.contains("It is the last of 8 since"), "{}", kept[0].detail);
}

#[tokio::test]
async fn the_referrer_of_a_swap_is_screened_too() {
    let door = fake_screen(Some(evm(0xd4)), false);
    let scene = screened(Scene::new().await, &door);
    let quote = scene.quote(|quote| quote.ask.referral = Referral::new(evm(0xd4), 30));
    let error = scene.take(request(&quote)).await.unwrap_err();
    assert!(matches!(error, BuildError::Screening(ScreeningError::Refused)), "{error}");
}

#[tokio::test]
async fn address_listed_later_gets_nothing_more_to_sign() {
    let scene = Scene::new().await;
    let quote = scene.quote(|_| {});
    scene.take(request(&quote)).await.unwrap();
    let scene = screened(scene, &fake_screen(Some(evm(0xb2)), false));
    assert!(matches!(scene.take(request(&quote)).await, Err(BuildError::Screening(_))));
}

#[tokio::test]
async fn unavailable_screening_rejects_orders_as_retryable() {
    let scene = screened(Scene::new().await, &fake_screen(None, true));
    let quote = scene.quote(|_| {});
    let error = scene.take(request(&quote)).await.unwrap_err();
    assert!(error.is_retryable(), "{error}");
    assert!(!scene.is_taken(&quote).await);
}

#[tokio::test]
async fn duplicate_addresses_are_screened_once() {
    let door = fake_screen(None, false);
    let scene = screened(Scene::new().await, &door);
    let quote = scene.quote(|_| {});
    let payer = Some(evm(0xa1));
    let same = BuildRequest { recipient: payer, refund_to: payer, ..request(&quote) };
    scene.take(same).await.unwrap();
    assert_eq!(door.asked.lock().unwrap()[0].wallets, [evm(0xa1)]);
}
