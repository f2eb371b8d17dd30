use std::sync::Arc;

use causeway_domain::fiat::WantedAmount;
use causeway_domain::ports::{OnRamp, RampAsk, RampError, RampState, WebhookError};
use causeway_onramps::conformance::{StandIn as _, check_with};
use causeway_onramps::secret::SecretText;
use causeway_onramps::standin::TransakStandIn;
use causeway_onramps::transak::{Transak, TransakConfig};
use causeway_testing::MemoryStore;
use jiff::Timestamp;

use crate::providers::{FAST_RETRIES, assert_passes, plan};

#[tokio::test]
async fn transak_passes_the_conformance_suite() {
    let stand_in = TransakStandIn::start(0).await.unwrap();
    let ramp = Transak::new(stand_in.config(), FAST_RETRIES).unwrap();
    let report = check_with(&ramp, &plan(), &stand_in).await;
    println!("{report}");
    assert_passes(&report, 0);
}

#[tokio::test]
async fn invalidated_token_is_fetched_again_once() {
    let stand_in = TransakStandIn::start(0).await.unwrap();
    let ramp = Transak::new(stand_in.config(), FAST_RETRIES).unwrap();
    ramp.refresh().await.unwrap();
    let order = plan_order(&ramp).await;
    ramp.checkout(&order, None).await.unwrap();
    assert_eq!(stand_in.tokens(), 1, "one token serves many calls");
    stand_in.rotate();
    assert_eq!(ramp.look_up(&order).await, Ok(None));
    assert_eq!(stand_in.tokens(), 3, "the first, the other client's, and ours");
    stand_in.rotate();
    let look_up = || ramp.look_up(&order);
    let (one, two, three, four) = tokio::join!(look_up(), look_up(), look_up(), look_up());
    assert!([one, two, three, four].iter().all(|report| *report == Ok(None)));
    assert_eq!(stand_in.tokens(), 5, "concurrent callers fetch one token");
}

#[tokio::test]
async fn replicas_share_one_token() {
    let stand_in = TransakStandIn::start(0).await.unwrap();
    let shared_tokens = Arc::<MemoryStore>::default();
    let replica =
        || Transak::new(stand_in.config(), FAST_RETRIES).unwrap().with_shared_tokens(shared_tokens.clone());
    let (one, two) = (replica(), replica());
    one.refresh().await.unwrap();
    two.refresh().await.unwrap();
    assert_eq!(stand_in.tokens(), 1);
    let order = plan_order(&one).await;
    for _ in 0..5 {
        assert_eq!((one.look_up(&order).await, two.look_up(&order).await), (Ok(None), Ok(None)));
    }
    assert_eq!(stand_in.tokens(), 1, "no token was invalidated");
    stand_in.rotate();
    for _ in 0..5 {
        assert_eq!((two.look_up(&order).await, one.look_up(&order).await), (Ok(None), Ok(None)));
    }
    assert_eq!(stand_in.tokens(), 3, "one replica fetches the new token and the other adopts it");
    let now = Timestamp::now();
    let webhook = stand_in.webhook(&order, "COMPLETED", now, false);
    assert!([&one, &two].iter().all(|ramp| ramp.read_webhook(&|_| None, &webhook.body, now).is_ok()));
}

#[tokio::test]
async fn two_services_with_the_same_keys_do_not_fetch_in_a_loop() {
    let stand_in = TransakStandIn::start(0).await.unwrap();
    let replica = || Transak::new(stand_in.config(), FAST_RETRIES).unwrap();
    let (one, two) = (replica(), replica());
    let order = plan_order(&one).await;
    let mut answered = 0;
    for _ in 0..20 {
        for ramp in [&one, &two] {
            match ramp.look_up(&order).await {
                Ok(_) => answered += 1,
                Err(error) => assert!(error.is_retryable(), "{error}"),
            }
        }
    }
    assert!(stand_in.tokens() <= 12 && answered >= 12, "{} tokens, {answered} answers", stand_in.tokens());
}

#[tokio::test]
async fn webhook_signed_with_the_previous_token_is_accepted() {
    let stand_in = TransakStandIn::start(0).await.unwrap();
    let ramp = Transak::new(stand_in.config(), FAST_RETRIES).unwrap();
    let now = Timestamp::now();
    let order = plan_order(&ramp).await;
    let early = stand_in.webhook(&order, "COMPLETED", now, false);
    let read = |body: &[u8]| ramp.read_webhook(&|_| None, body, now);
    assert_eq!(read(&early.body), Err(WebhookError::NotConfigured), "no token was fetched yet");
    ramp.refresh().await.unwrap();
    let webhook = stand_in.webhook(&order, "COMPLETED", now, false);
    stand_in.rotate();
    ramp.look_up(&order).await.unwrap();
    assert_eq!(read(&webhook.body).unwrap().report.state, RampState::Delivered);
}

#[tokio::test]
async fn expired_checkout_is_reopened() {
    let stand_in = TransakStandIn::start(0).await.unwrap();
    let ramp = Transak::new(stand_in.config(), FAST_RETRIES).unwrap();
    let order = plan_order(&ramp).await;
    let first = ramp.checkout(&order, None).await.unwrap();
    stand_in.set_status(&order, &first, "AWAITING_PAYMENT_FROM_USER").await.unwrap();
    assert!(
        stand_in.set_status(&order, &first, "COMPLETED").await.is_err(),
        "its URL is valid for one visit"
    );
    let second = ramp.checkout(&order, None).await.unwrap();
    assert_ne!(first.url, second.url);
    stand_in.end_sessions();
    assert!(stand_in.set_status(&order, &second, "COMPLETED").await.is_err());
    let third = ramp.checkout(&order, None).await.unwrap();
    stand_in.set_status(&order, &third, "COMPLETED").await.unwrap();
    assert_eq!(ramp.look_up(&order).await.unwrap().unwrap().state, RampState::Delivered);
}

#[tokio::test]
async fn invalid_credentials_are_reported_to_the_operator() {
    let stand_in = TransakStandIn::start(0).await.unwrap();
    let config = TransakConfig { api_secret: SecretText::new("wrong"), ..stand_in.config() };
    let ramp = Transak::new(config, FAST_RETRIES).unwrap();
    let error = ramp.refresh().await.unwrap_err();
    assert!(matches!(&error, RampError::Unavailable(message) if message.contains("keys")), "{error}");
}

async fn plan_order(ramp: &dyn OnRamp) -> causeway_domain::fiat::FiatOrder {
    let plan = plan();
    let ask = RampAsk {
        currency: plan.pays.currency,
        amount: WantedAmount::Pay(plan.pays),
        asset: plan.asset.clone(),
        wallet: Some(plan.wallet),
        method: None,
        country: None,
    };
    let offer = ramp.quote(&ask).await.unwrap();
    crate::fixture::order_for("transak", plan.asset.id, &offer)
}
