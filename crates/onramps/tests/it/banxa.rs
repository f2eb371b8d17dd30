use causeway_domain::fiat::{FiatOrder, WantedAmount};
use causeway_domain::ports::{OnRamp, RampAsk, RampError, RampRefusal, RampState, WebhookError};
use causeway_onramps::banxa::{Banxa, BanxaConfig};
use causeway_onramps::conformance::{StandIn as _, check_with};
use causeway_onramps::secret::SecretText;
use causeway_onramps::standin::BanxaStandIn;
use jiff::Timestamp;

use crate::fixture::{ether, order_for, sol, usdc};
use crate::providers::{FAST_RETRIES, assert_passes, plan};

async fn start() -> (BanxaStandIn, Banxa) {
    let stand_in = BanxaStandIn::start(0).await.unwrap();
    let ramp = banxa(stand_in.config());
    (stand_in, ramp)
}

fn banxa(config: BanxaConfig) -> Banxa {
    Banxa::new(config, vec![usdc(), ether(), sol()], FAST_RETRIES).unwrap()
}

fn ask(place: Option<&str>, method: Option<&str>) -> RampAsk {
    RampAsk {
        currency: plan().pays.currency,
        amount: WantedAmount::Pay(plan().pays),
        asset: usdc(),
        wallet: None,
        method: method.map(str::to_owned),
        country: place.map(str::to_owned),
    }
}

async fn new_order(ramp: &Banxa) -> FiatOrder {
    let offer = ramp.quote(&ask(None, None)).await.unwrap();
    order_for("banxa", usdc().id, &offer)
}

#[tokio::test]
async fn banxa_passes_the_conformance_suite() {
    let (stand_in, ramp) = start().await;
    let report = check_with(&ramp, &plan(), &stand_in).await;
    println!("{report}");
    // Its webhooks do not contain the wallet: a lookup follows.
    assert_passes(&report, 1);
}

#[tokio::test]
async fn offers_depend_on_place_and_payment_method() {
    let (_stand_in, ramp) = start().await;
    for place in [None, Some("DE"), Some("US-CA")] {
        assert!(ramp.quote(&ask(place, None)).await.is_ok(), "{place:?}");
    }
    // Canada is not served at all, and in Texas this token alone is not sold.
    for place in ["CA", "US-TX", "US-NY"] {
        assert_eq!(ramp.quote(&ask(Some(place), None)).await, Err(RampRefusal::Country.into()), "{place}");
    }
    let bank = ramp.quote(&ask(None, Some("bank_transfer"))).await.unwrap();
    assert_eq!(bank.methods[0].name, "ACH");
    assert_eq!(bank.limits.unwrap().0.minor, 5_000);
}

#[tokio::test]
async fn expired_checkout_is_reopened_and_one_in_payment_is_not() {
    let (stand_in, ramp) = start().await;
    let mut order = new_order(&ramp).await;
    let first = ramp.checkout(&order, None).await.unwrap();
    order.widget_url.clone_from(&first.url);
    assert_eq!(ramp.look_up(&order).await.unwrap().unwrap().state, RampState::Waiting);
    stand_in.end_sessions();
    assert_eq!(ramp.look_up(&order).await.unwrap().unwrap().state, RampState::Expired);
    let second = ramp.checkout(&order, None).await.unwrap();
    assert_ne!(first.url, second.url);
    let report = ramp.look_up(&order).await.unwrap().unwrap();
    assert_eq!(report.state, RampState::Waiting, "the newer checkout counts, not the expired one");
    stand_in.set_status(&order, &second, "paymentReceived").await.unwrap();
    let third = ramp.checkout(&order, None).await;
    assert!(matches!(third, Err(RampError::Refused(RampRefusal::Other(_)))), "{third:?}");
}

#[tokio::test]
async fn order_is_found_beyond_the_first_page() {
    let (stand_in, ramp) = start().await;
    // All orders have the same customer, and each checkout is its own Banxa order.
    for _ in 0..130 {
        let other = new_order(&ramp).await;
        ramp.checkout(&other, None).await.unwrap();
    }
    let mut order = new_order(&ramp).await;
    let first = ramp.checkout(&order, None).await.unwrap();
    order.widget_url.clone_from(&first.url);
    assert_eq!(ramp.look_up(&order).await.unwrap().unwrap().state, RampState::Waiting);
    let second = ramp.checkout(&order, None).await.unwrap();
    assert_ne!(first.url, second.url);
    stand_in.set_status(&order, &first, "paymentReceived").await.unwrap();
    let found = ramp.look_up(&order).await.unwrap().unwrap();
    assert_eq!(found.state, RampState::Paid, "the one that is paid counts, not the newest");
}

#[tokio::test]
async fn rule_22_an_order_hidden_among_very_many_is_not_unknown() {
    let (stand_in, ramp) = start().await;
    // Somebody orders in the name of the same wallet, more often than pages are read.
    let other = new_order(&ramp).await;
    for _ in 0..500 {
        ramp.checkout(&other, None).await.unwrap();
    }
    let order = new_order(&ramp).await;
    let session = ramp.checkout(&order, None).await.unwrap();
    stand_in.set_status(&order, &session, "paymentReceived").await.unwrap();
    let hidden = ramp.look_up(&order).await.unwrap_err();
    assert!(matches!(hidden, RampError::Unavailable(_)), "{hidden}");
    assert!(ramp.look_up(&other).await.unwrap().is_some());
}

#[tokio::test]
async fn invalid_credentials_are_reported_to_the_operator() {
    let (stand_in, _) = start().await;
    let ramp = banxa(BanxaConfig { api_key: SecretText::new("wrong"), ..stand_in.config() });
    let error = ramp.refresh().await.unwrap_err();
    assert!(matches!(&error, RampError::Unavailable(message) if message.contains("api_key")), "{error}");
    for partner in ["", "../acme", "a/b"] {
        let config = BanxaConfig { partner: partner.to_owned(), ..stand_in.config() };
        assert!(Banxa::new(config, Vec::new(), FAST_RETRIES).is_err(), "{partner}");
    }
}

#[tokio::test]
async fn rule_22_a_webhook_is_valid_for_its_path_and_secret_only() {
    let (stand_in, ramp) = start().await;
    let order = new_order(&ramp).await;
    let now = Timestamp::now();
    let webhook = stand_in.webhook(&order, "complete", now, false);
    let header =
        |name: &str| webhook.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
    let read = |ramp: &Banxa| ramp.read_webhook(&header, &webhook.body, now);
    assert_eq!(read(&ramp).unwrap().report.state, RampState::Delivered);
    let without_secret = banxa(BanxaConfig { webhook_secret: None, ..stand_in.config() });
    assert_eq!(read(&without_secret), Err(WebhookError::NotConfigured));
    let other_path = banxa(BanxaConfig { webhook_path: "/elsewhere".to_owned(), ..stand_in.config() });
    assert_eq!(read(&other_path), Err(WebhookError::Signature));
    let other = banxa(BanxaConfig { webhook_key: Some(SecretText::new("another")), ..stand_in.config() });
    assert_eq!(read(&other), Err(WebhookError::Signature));
}
