use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use causeway_domain::fiat::WantedAmount;
use causeway_domain::ports::{
    OnRamp, RampAsk, RampError, RampState, RampToken, RampTokens, StoreError, WebhookError,
};
use causeway_onramps::conformance::{StandIn as _, check_with};
use causeway_onramps::secret::SecretText;
use causeway_onramps::standin::TransakStandIn;
use causeway_onramps::transak::{Transak, TransakConfig};
use jiff::Timestamp;

use crate::providers::{QUICK, assert_holds, plan};

#[tokio::test]
async fn transak_holds_what_every_provider_has_to_hold() {
    let stand_in = TransakStandIn::start(0).await.unwrap();
    let ramp = Transak::new(stand_in.config(), QUICK).unwrap();
    let report = check_with(&ramp, &plan(), &stand_in).await;
    println!("{report}");
    assert_holds(&report, 0);
}

#[tokio::test]
async fn a_token_that_somebody_else_ended_is_fetched_anew_once() {
    let stand_in = TransakStandIn::start(0).await.unwrap();
    let ramp = Transak::new(stand_in.config(), QUICK).unwrap();
    ramp.refresh().await.unwrap();
    let order = plan_order(&ramp).await;
    ramp.checkout(&order, None).await.unwrap();
    assert_eq!(stand_in.tokens(), 1, "one token serves many calls");
    stand_in.rotate();
    assert_eq!(ramp.look_up(&order).await, Ok(None));
    assert_eq!(stand_in.tokens(), 3, "the one that was ended, somebody's, and ours");
    stand_in.rotate();
    let look = || ramp.look_up(&order);
    let (one, two, three, four) = tokio::join!(look(), look(), look(), look());
    assert!([one, two, three, four].iter().all(|looked| *looked == Ok(None)));
    assert_eq!(stand_in.tokens(), 5, "many who find it ended fetch one");
}

/// What replicas share, in the place of their store.
#[derive(Default)]
struct Shelf(Mutex<Option<RampToken>>);

#[async_trait]
impl RampTokens for Shelf {
    async fn ramp_token(&self, _: &str) -> Result<Option<RampToken>, StoreError> {
        Ok(self.0.lock().unwrap().clone())
    }

    async fn put_ramp_token(&self, _: &str, token: &RampToken) -> Result<(), StoreError> {
        *self.0.lock().unwrap() = Some(token.clone());
        Ok(())
    }
}

#[tokio::test]
async fn replicas_share_one_token_and_end_none_of_each_others() {
    let stand_in = TransakStandIn::start(0).await.unwrap();
    let shelf = Arc::<Shelf>::default();
    let replica = || Transak::new(stand_in.config(), QUICK).unwrap().sharing(shelf.clone());
    let (one, two) = (replica(), replica());
    one.refresh().await.unwrap();
    two.refresh().await.unwrap();
    assert_eq!(stand_in.tokens(), 1);
    let order = plan_order(&one).await;
    for _ in 0..5 {
        assert_eq!((one.look_up(&order).await, two.look_up(&order).await), (Ok(None), Ok(None)));
    }
    assert_eq!(stand_in.tokens(), 1, "nobody ended anybody's");
    stand_in.rotate();
    for _ in 0..5 {
        assert_eq!((two.look_up(&order).await, one.look_up(&order).await), (Ok(None), Ok(None)));
    }
    assert_eq!(stand_in.tokens(), 3, "what somebody else has ended is fetched by one and read by the other");
    let now = Timestamp::now();
    let hook = stand_in.hook(&order, "COMPLETED", now, false);
    assert!([&one, &two].iter().all(|ramp| ramp.read_webhook(&|_| None, &hook.body, now).is_ok()));
}

#[tokio::test]
async fn who_shares_the_keys_alone_makes_no_storm() {
    let stand_in = TransakStandIn::start(0).await.unwrap();
    let replica = || Transak::new(stand_in.config(), QUICK).unwrap();
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
async fn a_webhook_on_its_way_is_believed_after_the_token_has_changed() {
    let stand_in = TransakStandIn::start(0).await.unwrap();
    let ramp = Transak::new(stand_in.config(), QUICK).unwrap();
    let now = Timestamp::now();
    let order = plan_order(&ramp).await;
    let early = stand_in.hook(&order, "COMPLETED", now, false);
    let read = |body: &[u8]| ramp.read_webhook(&|_| None, body, now);
    assert_eq!(read(&early.body), Err(WebhookError::NotConfigured), "no token was fetched yet");
    ramp.refresh().await.unwrap();
    let hook = stand_in.hook(&order, "COMPLETED", now, false);
    stand_in.rotate();
    ramp.look_up(&order).await.unwrap();
    assert_eq!(read(&hook.body).unwrap().report.state, RampState::Delivered);
}

#[tokio::test]
async fn a_checkout_that_is_over_is_opened_anew() {
    let stand_in = TransakStandIn::start(0).await.unwrap();
    let ramp = Transak::new(stand_in.config(), QUICK).unwrap();
    let order = plan_order(&ramp).await;
    let first = ramp.checkout(&order, None).await.unwrap();
    stand_in.walk(&order, &first, "AWAITING_PAYMENT_FROM_USER").await.unwrap();
    assert!(stand_in.walk(&order, &first, "COMPLETED").await.is_err(), "its address is good for one visit");
    let second = ramp.checkout(&order, None).await.unwrap();
    assert_ne!(first.url, second.url);
    stand_in.end_sessions();
    assert!(stand_in.walk(&order, &second, "COMPLETED").await.is_err());
    let third = ramp.checkout(&order, None).await.unwrap();
    stand_in.walk(&order, &third, "COMPLETED").await.unwrap();
    assert_eq!(ramp.look_up(&order).await.unwrap().unwrap().state, RampState::Delivered);
}

#[tokio::test]
async fn wrong_keys_are_the_operators_to_mend() {
    let stand_in = TransakStandIn::start(0).await.unwrap();
    let config = TransakConfig { api_secret: SecretText::new("wrong"), ..stand_in.config() };
    let ramp = Transak::new(config, QUICK).unwrap();
    let error = ramp.refresh().await.unwrap_err();
    assert!(matches!(&error, RampError::Unavailable(words) if words.contains("keys")), "{error}");
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
    crate::kit::order_of("transak", plan.asset.id, &offer)
}
