use std::sync::atomic::Ordering;

use causeway_domain::FiatQuoteId;
use causeway_domain::fiat::{FiatOrder, FiatQuote, FiatStatus, Strategy};
use causeway_domain::ports::{FiatStore as _, RampReport, RampState};
use jiff::{SignedDuration, Timestamp};

use crate::build_deposit::fake::{evm, usdc};
use crate::fiat::fake::{BRIEF, Behavior, FakeRamp, Scene, report, request, target};
use crate::fiat::{FiatCode, FiatOrderRequest};

#[tokio::test]
async fn ordering_a_quote_twice_returns_one_order_and_one_checkout() {
    let scene = Scene::new().await;
    let quote = scene.best(usdc()).await;
    let order = scene.order.order(request(&quote)).await.unwrap();
    assert_eq!((order.status, &order.strategy), (FiatStatus::Created, &Strategy::Direct));
    assert_eq!(order.deliver_to(), quote.ask.recipient);
    let again = scene.order.order(request(&quote)).await.unwrap();
    assert_eq!((again.id, again.widget_url), (order.id, order.widget_url));
    assert_eq!(scene.checkouts(), 1);
    let stranger = FiatOrderRequest { author: evm(0x66), ..request(&quote) };
    assert_eq!(scene.order.order(stranger).await.unwrap_err().code(), FiatCode::StateConflict);
}

#[tokio::test]
async fn failed_checkout_is_opened_by_the_next_request() {
    let scene = Scene::new().await;
    let quote = scene.best(usdc()).await;
    scene.ramp().is_away.store(true, Ordering::Relaxed);
    let error = scene.order.order(request(&quote)).await.unwrap_err();
    assert_eq!((error.code(), error.is_retryable()), (FiatCode::ProviderUnavailable, true));
    let written = scene.store.fiat_order_of_quote(&quote.id).await.unwrap().unwrap();
    assert_eq!(written.widget_url, "");
    scene.ramp().is_away.store(false, Ordering::Relaxed);
    let order = scene.order.order(request(&quote)).await.unwrap();
    assert_eq!(order.id, written.id);
    assert!(order.widget_url.ends_with(order.id.as_str()));
}

#[tokio::test]
async fn short_lived_checkout_is_reopened_until_somebody_pays() {
    let scene = Scene::with(vec![FakeRamp::new(BRIEF, Behavior::Sells)]).await;
    let quote = scene.best(usdc()).await;
    let order = scene.order.order(request(&quote)).await.unwrap();
    let shown = scene.order.with_fresh_checkout(order.clone()).await;
    assert_eq!((scene.checkouts(), &shown), (1, &order), "nobody has seen the first");
    let shown = scene.order.with_fresh_checkout(order.clone()).await;
    assert_eq!((scene.checkouts(), &shown.id, shown.version), (2, &order.id, order.version + 1));
    scene.ramp().is_away.store(true, Ordering::Relaxed);
    assert_eq!(
        scene.order.with_fresh_checkout(shown.clone()).await,
        shown,
        "what was there is shown, if nothing else"
    );
    scene.ramp().is_away.store(false, Ordering::Relaxed);
    let begun = FiatOrder { status: FiatStatus::Pending, ..shown };
    assert_eq!(
        scene.order.with_fresh_checkout(begun.clone()).await,
        begun,
        "nobody is led to pay a second time"
    );
    scene.ramp().says(RampState::Started, &[]);
    assert_eq!(scene.order.with_fresh_checkout(begun.clone()).await, begun, "somebody is paying");
    assert_eq!(scene.checkouts(), 2);
    scene.ramp().reports(RampReport { may_retry: true, ..report(RampState::Failed, Vec::new()) });
    scene.order.with_fresh_checkout(begun.clone()).await;
    assert_eq!(scene.checkouts(), 3, "whose card was declined tries another");
    for _ in 0..20 {
        scene.order.with_fresh_checkout(begun.clone()).await;
    }
    assert_eq!(scene.checkouts(), 5, "who reloads without end is shown the last one");
    let scene = Scene::new().await;
    let quote = scene.best(usdc()).await;
    let order = scene.order.order(request(&quote)).await.unwrap();
    scene.order.with_fresh_checkout(order).await;
    assert_eq!(scene.checkouts(), 1, "an address that stays good stays");
}

#[tokio::test]
async fn expired_or_unknown_quote_is_rejected() {
    let scene = Scene::new().await;
    let quote = scene.best(usdc()).await;
    let past = Timestamp::now() - SignedDuration::from_secs(1);
    let over = FiatQuote { id: FiatQuoteId::random().unwrap(), expires_at: past, ..quote.clone() };
    let over = FiatQuote { key: causeway_domain::RowKey::new(over.key.get() + 1).unwrap(), ..over };
    scene.store.put_fiat_quotes(std::slice::from_ref(&over)).await.unwrap();
    assert_eq!(scene.order.order(request(&over)).await.unwrap_err().code(), FiatCode::QuoteExpired);
    let unknown = FiatQuote { id: FiatQuoteId::random().unwrap(), ..quote };
    assert_eq!(scene.order.order(request(&unknown)).await.unwrap_err().code(), FiatCode::QuoteInvalid);
}

#[tokio::test]
async fn rule_21_forwarding_address_commits_to_the_promised_terms() {
    let scene = Scene::new().await;
    let quote = scene.best(target()).await;
    let order = scene.order.order(request(&quote)).await.unwrap();
    let plan = order.strategy.forwarding().unwrap();
    assert_eq!(order.deliver_to(), plan.address);
    assert_eq!(plan.order.recipient, quote.ask.recipient.to_word());
    assert_eq!(plan.order.refund_to, quote.ask.recipient.to_word(), "a plain wallet");
    assert_eq!((plan.order.rate_in, plan.order.rate_out), (quote.sold_amount.get(), quote.least.get()));
    assert!(plan.order.expiry > u64::try_from(order.pay_by.as_second()).unwrap());
    let other = scene.best(target()).await;
    let other = scene.order.order(request(&other)).await.unwrap();
    assert_ne!(other.deliver_to(), order.deliver_to(), "each purchase has an address of its own");
    let route = FiatOrderRequest { route: "nobody".parse().ok(), ..request(&scene.best(target()).await) };
    assert_eq!(scene.order.order(route).await.unwrap_err().code(), FiatCode::Validation);
}

#[tokio::test]
async fn rule_21_refund_defaults_to_the_recipient_only_if_it_is_a_wallet() {
    let scene = Scene::new().await;
    let quote = scene.best(target()).await;
    scene.wallets.contracts.lock().unwrap().insert(quote.ask.recipient);
    let error = scene.order.order(request(&quote)).await.unwrap_err();
    assert_eq!(error.code(), FiatCode::Validation);
    assert!(error.to_string().contains("refundTo"), "{error}");
    let named = FiatOrderRequest { refund_to: Some(evm(0x55)), ..request(&quote) };
    assert_eq!(scene.order.order(named).await.unwrap().refund_to, evm(0x55));
    let direct = scene.best(usdc()).await;
    assert!(scene.order.order(request(&direct)).await.is_ok(), "nothing of ours is in between");
}
