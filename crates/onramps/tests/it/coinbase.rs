use causeway_domain::fiat::{FiatOrder, WantedAmount};
use causeway_domain::ports::{OnRamp, RampAsk, RampError, RampRefusal, RampState, WebhookError};
use causeway_domain::{RawAmount, Token};
use causeway_onramps::coinbase::{Coinbase, CoinbaseConfig};
use causeway_onramps::conformance::{CheckPlan, StandIn as _, check_with};
use causeway_onramps::secret::SecretText;
use causeway_onramps::standin::CoinbaseStandIn;
use jiff::Timestamp;

use crate::fixture::{ether, order_for, raw, sol, usdc};
use crate::providers::{FAST_RETRIES, assert_passes, plan};

async fn start() -> (CoinbaseStandIn, Coinbase) {
    let stand_in = CoinbaseStandIn::start(0).await.unwrap();
    let ramp = coinbase(stand_in.config());
    (stand_in, ramp)
}

fn coinbase(config: CoinbaseConfig) -> Coinbase {
    Coinbase::new(config, vec![usdc(), ether(), sol()], FAST_RETRIES).unwrap()
}

fn ask(asset: Token, amount: WantedAmount, place: Option<&str>) -> RampAsk {
    let currency = "USD".parse().unwrap();
    RampAsk { currency, amount, asset, wallet: None, method: None, country: place.map(str::to_owned) }
}

async fn new_order(ramp: &Coinbase) -> FiatOrder {
    let offer = ramp.quote(&ask(usdc(), WantedAmount::Pay(plan().pays), None)).await.unwrap();
    order_for("coinbase", usdc().id, &offer)
}

#[tokio::test]
async fn coinbase_passes_the_conformance_suite() {
    let (stand_in, ramp) = start().await;
    let plan = CheckPlan { country: Some("US-CA".to_owned()), ..plan() };
    let report = check_with(&ramp, &plan, &stand_in).await;
    println!("{report}");
    assert_passes(&report, 0);
}

#[tokio::test]
async fn offers_depend_on_place_and_refusals_have_a_reason() {
    let (_stand_in, ramp) = start().await;
    ramp.refresh().await.unwrap();
    let quote = async |place| ramp.quote(&ask(usdc(), WantedAmount::Pay(plan().pays), place)).await;
    for place in [None, Some("US-TX"), Some("DE"), Some("gb")] {
        assert!(quote(place).await.is_ok(), "{place:?}");
    }
    for place in ["US-NY", "FR", "Atlantis"] {
        assert_eq!(quote(Some(place)).await, Err(RampRefusal::Country.into()), "{place}");
    }
    let error = quote(Some("US")).await.unwrap_err();
    assert!(error.to_string().contains("US-CA"), "{error}");
}

#[tokio::test]
async fn payment_for_an_exact_amount_is_found() {
    let (_stand_in, ramp) = start().await;
    for (asset, wanted) in
        [(usdc(), raw(123_456_789)), (ether(), raw(41_000_000_000_000_001)), (sol(), raw(1))]
    {
        let offer = ramp.quote(&ask(asset.clone(), WantedAmount::Receive(wanted), None)).await;
        let Ok(offer) = offer else {
            assert_eq!(wanted, raw(1), "{offer:?}");
            assert!(matches!(offer, Err(RampError::Refused(RampRefusal::Range { .. }))), "{offer:?}");
            continue;
        };
        assert!(offer.delivers >= wanted, "{offer:?}");
        let less = causeway_domain::fiat::FiatAmount::new(offer.pays.currency, offer.pays.minor - 3);
        let cheaper = ramp.quote(&ask(asset, WantedAmount::Pay(less), None)).await.unwrap();
        assert!(cheaper.delivers < wanted, "three cents less would do: {offer:?}");
    }
    let too_much: RawAmount = raw(900_000_000_000);
    let refused = ramp.quote(&ask(usdc(), WantedAmount::Receive(too_much), None)).await;
    assert!(matches!(refused, Err(RampError::Refused(RampRefusal::Range { .. }))), "{refused:?}");
}

#[tokio::test]
async fn expired_checkout_is_reopened_and_one_in_payment_is_not() {
    let (stand_in, ramp) = start().await;
    let mut order = new_order(&ramp).await;
    let first = ramp.checkout(&order, None).await.unwrap();
    order.widget_url.clone_from(&first.url);
    stand_in.end_sessions();
    assert!(stand_in.set_status(&order, &first, "ONRAMP_TRANSACTION_STATUS_CREATED").await.is_err());
    let second = ramp.checkout(&order, None).await.unwrap();
    assert_ne!(first.url, second.url);
    stand_in.set_status(&order, &second, "ONRAMP_TRANSACTION_STATUS_IN_PROGRESS").await.unwrap();
    let third = ramp.checkout(&order, None).await;
    assert!(matches!(third, Err(RampError::Refused(RampRefusal::Other(_)))), "{third:?}");
    assert_eq!(ramp.look_up(&order).await.unwrap().unwrap().state, RampState::Paid);
}

#[tokio::test]
async fn invalid_key_is_reported_to_the_operator() {
    let (stand_in, _) = start().await;
    let key = ed25519_key(9);
    let ramp = coinbase(CoinbaseConfig { api_key_secret: SecretText::new(key), ..stand_in.config() });
    let error = ramp.refresh().await.unwrap_err();
    assert!(matches!(&error, RampError::Unavailable(message) if message.contains("API key")), "{error}");
    let none = CoinbaseConfig { api_key_secret: SecretText::new("no key"), ..stand_in.config() };
    let message = Coinbase::new(none, Vec::new(), FAST_RETRIES).unwrap_err();
    assert!(message.contains("privateKey"), "{message}");
    let invalid_place = CoinbaseConfig { places: vec!["US".to_owned()], ..stand_in.config() };
    assert!(Coinbase::new(invalid_place, Vec::new(), FAST_RETRIES).is_err());
}

#[tokio::test]
async fn rule_22_webhooks_need_a_secret_and_sandbox_ones_are_rejected_in_production() {
    let (stand_in, ramp) = start().await;
    let order = new_order(&ramp).await;
    let now = Timestamp::now();
    let webhook = stand_in.webhook(&order, "ONRAMP_TRANSACTION_STATUS_SUCCESS", now, false);
    let header =
        |name: &str| webhook.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
    let read = |ramp: &Coinbase| ramp.read_webhook(&header, &webhook.body, now);
    assert_eq!(read(&ramp).unwrap().order, order.id);
    let without_secret = coinbase(CoinbaseConfig { webhook_secret: None, ..stand_in.config() });
    assert_eq!(read(&without_secret), Err(WebhookError::NotConfigured));
    let live = coinbase(CoinbaseConfig { sandbox: false, ..stand_in.config() });
    assert!(
        matches!(read(&live), Err(WebhookError::Nonsense(_))),
        "a sandbox purchase is no order in production"
    );
}

/// A key from this seed.
fn ed25519_key(seed: u8) -> String {
    use base64::Engine as _;
    let key = ed25519_dalek::SigningKey::from_bytes(&[seed; 32]);
    base64::engine::general_purpose::STANDARD.encode(key.to_keypair_bytes())
}
