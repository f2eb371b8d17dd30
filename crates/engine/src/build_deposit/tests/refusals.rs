use std::sync::atomic::Ordering;

use causeway_domain::ports::{ChainError, DepositError, OrderStore as _};
use causeway_domain::{DepositWindow, Family, OpenRouteError, Quote, RawAmount, Referral, TokenId};
use jiff::SignedDuration;

use super::super::fake::{BASE, Scene, chain, evm, now, request, usdc, valid_before};
use super::raw;
use crate::build_deposit::*;

#[tokio::test]
async fn rule_5_receivers_that_the_chain_would_reject_are_rejected() {
    let scene = Scene::new().await;
    let quote = scene.quote(|_| {});
    let zero = Address::native(Family::Evm);
    let solana = Address::Solana([1; 32]);
    let recipients = [zero, evm(0xd1), evm(0xd2), evm(0xe1), evm(0xe2), solana];
    let refunds = [zero, usdc().address(), evm(0xe1), evm(0xe2), solana];
    let asked = |recipient, refund_to| BuildRequest { recipient, refund_to, ..request(&quote) };
    let requests = recipients.map(|address| ("recipient", asked(Some(address), None))).into_iter();
    let requests = requests.chain(refunds.map(|address| ("refundTo", asked(None, Some(address)))));
    for (named, request) in requests {
        let message = format!("{request:?}");
        let error = scene.take(request).await.unwrap_err();
        let BuildError::Field { field, expected } = error else { panic!("{error} for {message}") };
        assert_eq!(field, named, "{message}");
        assert!(expected.starts_with("expected an a"), "{expected}");
    }
    // The token that is delivered, where it is none of the chain's own.
    let swapped = scene.quote(|quote| std::mem::swap(&mut quote.ask.from, &mut quote.ask.to));
    let token = BuildRequest { recipient: Some(usdc().address()), ..request(&swapped) };
    assert!(matches!(scene.take(token).await, Err(BuildError::Field { field: "recipient", .. })));
    let paid = |referrer| move |quote: &mut Quote| quote.ask.referral = Referral::new(referrer, 30);
    let quote = scene.quote(paid(evm(0xe1)));
    assert!(matches!(scene.take(request(&quote)).await, Err(BuildError::Field { field: "referrer", .. })));
}

#[tokio::test]
async fn changed_values_after_the_first_build_are_rejected_by_name() {
    let scene = Scene::new().await;
    let quote = scene.quote(|_| {});
    let order = scene.take(request(&quote)).await.unwrap().order;
    let other = |recipient, refund_to, method| BuildRequest {
        recipient,
        refund_to,
        method: Some(method),
        ..request(&quote)
    };
    for (request, named) in [
        (other(Some(evm(1)), None, DepositMethod::ContractCall), vec!["recipient"]),
        (other(None, Some(evm(1)), DepositMethod::ContractCall), vec!["refundTo"]),
        (other(Some(evm(1)), None, DepositMethod::Permit2), vec!["recipient", "depositMethod"]),
    ] {
        let error = scene.take(request).await.unwrap_err();
        let BuildError::AlreadyBuilt { order: id, differs } = error else { panic!("{error}") };
        assert_eq!((id, differs), (order.id.clone(), named));
    }
    // Explicit values that equal the quote's are accepted.
    let same = other(Some(evm(0xb2)), Some(evm(0xc3)), DepositMethod::ContractCall);
    assert_eq!(scene.take(same).await.unwrap().order, scene.stored(&order).await);
}

#[tokio::test]
async fn impossible_build_is_rejected_with_a_reason_and_stores_nothing() {
    let scene = Scene::new().await;
    let quote = scene.quote(|_| {});
    let unknown = BuildRequest { quote: QuoteId::random().unwrap(), ..request(&quote) };
    assert!(matches!(scene.take(unknown).await, Err(BuildError::UnknownRoute(OpenRouteError::OtherQuote))));
    let nowhere = BuildRequest { route: "nobody".parse().unwrap(), ..request(&quote) };
    assert!(matches!(scene.take(nowhere).await, Err(BuildError::UnknownRoute(OpenRouteError::NotSealed))));
    let stranger = BuildRequest { from: evm(0xc3), ..request(&quote) };
    assert!(matches!(scene.take(stranger).await,
        Err(BuildError::UnexpectedFrom { expected, .. }) if expected == evm(0xa1)));
    let late = valid_before() + SignedDuration::from_millis(1);
    assert!(matches!(
        scene.build.build_at(request(&quote), late).await,
        Err(BuildError::QuoteExpired { .. })
    ));
    let much_later = valid_before() + SignedDuration::from_hours(24 * 365 * 10);
    assert!(matches!(
        scene.build.build_at(request(&quote), much_later).await,
        Err(BuildError::QuoteExpired { at }) if at == valid_before()
    ));
    assert!(!scene.is_taken(&quote).await);
    assert!(scene.build.build_at(request(&quote), valid_before()).await.is_ok(), "the last moment counts");

    let plain = scene.quote(|quote| quote.routes[0].deposit_methods = vec![DepositMethod::ContractCall]);
    let error = scene
        .take(BuildRequest { method: Some(DepositMethod::Permit2), ..request(&plain) })
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "the route does not offer PERMIT2; it offers CONTRACT_CALL");
    let others = scene.quote(|quote| quote.routes[0].parties = None);
    assert!(matches!(scene.take(request(&others)).await, Err(BuildError::OthersContracts { .. })));
    let elsewhere = scene.quote(|quote| quote.ask.to = TokenId::native(chain(1)));
    assert!(matches!(scene.take(request(&elsewhere)).await, Err(BuildError::ChainNotServed(_))));
}

#[tokio::test]
async fn failing_deposit_is_rejected_with_a_message_and_stores_nothing() {
    let scene = Scene::new().await;
    let quote = scene.quote(|_| {});
    let gas = |has: &str, needs: &str| {
        let wei = |text| RawAmount::from_decimal(text, 18).unwrap();
        DepositError::Gas { has: wei(has), needs: wei(needs) }
    };
    for (refusal, message) in [
        (
            DepositError::Balance { has: raw(1_500_000), needs: raw(25_000_000) },
            "the payer has 1.5 USDC, and the deposit takes 25",
        ),
        (
            gas("0.0001", "0.00025"),
            "the payer has 0.0001 ETH for the network's fees, and the transactions cost up to 0.00025",
        ),
        (DepositError::WouldFail("USDC is paused".to_owned()), "the deposit would fail: USDC is paused"),
        (DepositError::NotOffered, "the route does not offer CONTRACT_CALL; it offers PERMIT2, TRANSFER"),
        (ChainError::Unavailable(chain(BASE)).into(), "chain 8453 does not answer"),
    ] {
        *scene.origin.refusal.lock().unwrap() = Some(refusal);
        let error = scene.take(request(&quote)).await.unwrap_err();
        assert_eq!(error.to_string(), message);
        assert_eq!(error.is_retryable(), matches!(error, BuildError::Chain(_)), "{message}");
        assert!(!scene.is_taken(&quote).await, "{message}");
    }
    scene.origin.transfers.store(false, Ordering::Relaxed);
    let transfer = BuildRequest { method: Some(DepositMethod::Transfer), ..request(&quote) };
    assert!(matches!(scene.take(transfer).await, Err(BuildError::MethodNotOffered { .. })));
    assert!(!scene.is_taken(&quote).await);
}

#[tokio::test]
async fn a_payer_and_a_client_have_a_bounded_number_of_unpaid_builds() {
    let scene = Scene::new().await;
    let limits = UnpaidLimits { per_payer: 3, per_client: 2 };
    let unpaid = UnpaidBuilds::new(limits);
    let (client, local) = ("203.0.113.7".parse().ok(), "127.0.0.1".parse().ok());
    let mut orders = Vec::new();
    for _ in 0..3 {
        let quote = scene.quote(|_| {});
        orders.push(scene.take(request(&quote)).await.unwrap().order);
    }
    let store = scene.store.as_ref();
    let payer = orders[0].author;
    let refused = |result: Result<(), BuildError>| match result {
        Ok(()) => None,
        Err(BuildError::TooManyUnpaid { payer, limit }) => Some((payer, limit)),
        Err(error) => panic!("{error}"),
    };
    for order in &orders[..2] {
        assert_eq!(refused(unpaid.check(store, payer, client, now()).await), None);
        unpaid.add(order, client, now());
    }
    assert_eq!(refused(unpaid.check(store, payer, client, now()).await), Some((false, 2)));
    assert_eq!(refused(unpaid.check(store, payer, local, now()).await), None);
    unpaid.add(&orders[2], local, now());
    assert_eq!(refused(unpaid.check(store, payer, None, now()).await), Some((true, 3)));
    assert_eq!(refused(unpaid.check(store, evm(0xee), local, now()).await), None, "another payer");

    // One is paid, and later all deadlines pass.
    let paid = scene.stored(&orders[1]).await.transition_to(OrderStatus::Deposited, now()).unwrap();
    assert!(scene.store.update_order(&paid, &[]).await.unwrap());
    assert_eq!(refused(unpaid.check(store, payer, client, now()).await), None);
    unpaid.add(&orders[1], client, now());
    let later = now().checked_add(jiff::SignedDuration::from_hours(1)).unwrap();
    assert_eq!(refused(unpaid.check(store, payer, client, later).await), None);
}

#[tokio::test]
async fn who_builds_in_a_payers_name_does_not_shut_it_out_for_a_day() {
    let scene = Scene::new().await;
    let unpaid = UnpaidBuilds::new(UnpaidLimits { per_payer: 1, per_client: 1 });
    let quote = scene.quote(|quote| quote.ask.deposit_window = DepositWindow::new(86_400));
    let order = scene.take(request(&quote)).await.unwrap().order;
    assert_eq!(order.terms.open_deadline, u64::try_from(valid_before().as_second()).unwrap() + 86_400);
    unpaid.add(&order, None, now());
    let check = async |minutes| {
        let later = now().checked_add(jiff::SignedDuration::from_mins(minutes)).unwrap();
        unpaid.check(scene.store.as_ref(), order.author, None, later).await
    };
    assert!(matches!(check(14).await, Err(BuildError::TooManyUnpaid { payer: true, limit: 1 })));
    assert!(check(16).await.is_ok(), "nothing is kept busy for it any more");
}

#[tokio::test]
async fn route_with_a_deposit_is_not_built_again() {
    let scene = Scene::new().await;
    let quote = scene.quote(|_| {});
    let order = scene.take(request(&quote)).await.unwrap().order;
    let deposited = scene.stored(&order).await.transition_to(OrderStatus::Deposited, now()).unwrap();
    assert!(scene.store.update_order(&deposited, &[]).await.unwrap());
    let error = scene.take(request(&quote)).await.unwrap_err();
    assert!(matches!(error, BuildError::AlreadyTaken { status: OrderStatus::Deposited, .. }), "{error}");
}
