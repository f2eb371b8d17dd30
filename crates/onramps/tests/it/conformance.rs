//! Checks for every sandbox provider. A provider implements `Subject` and adds one line at the end.

use async_trait::async_trait;
use causeway_domain::fiat::{FiatAmount, FiatOrder, WantedAmount};
use causeway_domain::ports::{OnRamp, RampAsk, RampError, RampRefusal, RampState, WebhookError};
use causeway_domain::{ChainId, Token, TokenId};
use causeway_onramps::sandbox::SandboxPlan;
use jiff::{SignedDuration, Timestamp};

use crate::fixture::{RampFixture, usdc};
use crate::inbox::WebhookRequest;

/// A provider under test.
#[async_trait]
pub(crate) trait Subject {
    fn ramp(&self) -> &dyn OnRamp;
    /// A token that it sells.
    fn asset(&self) -> Token;
    /// An amount that it accepts.
    fn payment(&self) -> FiatAmount;
    /// An order as the service creates it after a quote.
    async fn order(&self) -> FiatOrder;
    /// Cancels the purchase, and returns its webhook.
    async fn cancel_and_receive(&self, order: &FiatOrder) -> WebhookRequest;
}

fn ask(subject: &dyn Subject, amount: WantedAmount) -> RampAsk {
    let currency = subject.payment().currency;
    RampAsk { currency, amount, asset: subject.asset(), wallet: None, method: None, country: None }
}

async fn quote_matches_the_payment(subject: &dyn Subject) {
    let offer = subject.ramp().quote(&ask(subject, WantedAmount::Pay(subject.payment()))).await.unwrap();
    assert_eq!(offer.pays, subject.payment());
    assert!(!offer.delivers.is_zero() && offer.expires_at > Timestamp::now());
    assert!(offer.fees.iter().all(|fee| fee.amount.currency == offer.pays.currency));
    let fees: u64 = offer.fees.iter().map(|fee| fee.amount.minor).sum();
    assert!(fees < offer.pays.minor, "{offer:?}");
    let (least, most) = offer.limits.unwrap();
    assert!((least.minor..=most.minor).contains(&offer.pays.minor));
    assert!(!offer.methods.is_empty());
}

async fn pay_and_receive_quotes_agree(subject: &dyn Subject) {
    let paying = subject.ramp().quote(&ask(subject, WantedAmount::Pay(subject.payment()))).await.unwrap();
    let receiving =
        subject.ramp().quote(&ask(subject, WantedAmount::Receive(paying.delivers))).await.unwrap();
    assert_eq!(receiving.delivers, paying.delivers, "exactly what was asked for");
    let apart = receiving.pays.minor.abs_diff(paying.pays.minor);
    assert!(apart <= 1, "{} and {}", paying.pays, receiving.pays);
}

async fn out_of_range_refusal_states_the_range(subject: &dyn Subject) {
    let currency = subject.payment().currency;
    let profile = subject.ramp().profile();
    let limits = profile.limits.iter().find(|(least, _)| least.currency == currency);
    let (least, most) = *limits.unwrap();
    for minor in [least.minor - 1, most.minor + 1] {
        let wanted = WantedAmount::Pay(FiatAmount::new(currency, minor));
        let refused = subject.ramp().quote(&ask(subject, wanted)).await;
        assert_eq!(refused, Err(RampError::Refused(RampRefusal::Range { least, most })));
    }
    for minor in [least.minor, most.minor] {
        let wanted = WantedAmount::Pay(FiatAmount::new(currency, minor));
        subject.ramp().quote(&ask(subject, wanted)).await.unwrap();
    }
}

async fn unsupported_asset_method_or_currency_is_refused(subject: &dyn Subject) {
    let ramp = subject.ramp();
    let good = ask(subject, WantedAmount::Pay(subject.payment()));
    let elsewhere = TokenId::native(ChainId::new(1_234_567).unwrap());
    assert!(ramp.sells(&subject.asset().id) && !ramp.sells(&elsewhere));
    let other = RampAsk { asset: Token { id: elsewhere, ..subject.asset() }, ..good.clone() };
    assert_eq!(ramp.quote(&other).await, Err(RampRefusal::Asset.into()));
    let method = RampAsk { method: Some("cowrie_shells".to_owned()), ..good.clone() };
    assert_eq!(ramp.quote(&method).await, Err(RampRefusal::Method.into()));
    let currency = "KPW".parse().unwrap();
    let wanted = WantedAmount::Pay(FiatAmount::new(currency, 10_000));
    let currency = RampAsk { currency, amount: wanted, ..good };
    assert!(matches!(ramp.quote(&currency).await, Err(RampError::Refused(RampRefusal::Currency(_)))));
}

async fn repeated_checkout_is_the_same_purchase(subject: &dyn Subject) {
    let order = subject.order().await;
    assert_eq!(subject.ramp().look_up(&order).await, Ok(None), "it is not known yet");
    let first = subject.ramp().checkout(&order, None).await.unwrap();
    assert_eq!(subject.ramp().checkout(&order, None).await, Ok(first.clone()));
    let profile = subject.ramp().profile();
    let origins = &profile.origins;
    assert!(origins.iter().any(|origin| first.url.starts_with(&format!("{origin}/"))), "{}", first.url);
    let report = subject.ramp().look_up(&order).await.unwrap().unwrap();
    assert_eq!(report.state, RampState::Waiting);
    assert_eq!(report.provider_order, first.provider_order);
    let changed = FiatOrder { sold_amount: order.least.checked_add(order.least).unwrap(), ..order };
    assert!(matches!(subject.ramp().checkout(&changed, None).await, Err(RampError::Refused(_))));
}

async fn report_matches_the_order(subject: &dyn Subject) {
    let order = subject.order().await;
    subject.ramp().checkout(&order, None).await.unwrap();
    let report = subject.ramp().look_up(&order).await.unwrap().unwrap();
    assert_eq!(report.paid.unwrap_or(order.pays), order.pays);
    assert_eq!(report.asset.unwrap_or(order.sold), order.sold);
    assert_eq!(report.amount.unwrap_or(order.sold_amount), order.sold_amount);
    assert_eq!(report.wallet.unwrap_or(order.recipient), order.recipient);
}

async fn overpriced_purchase_is_refused(subject: &dyn Subject) {
    let order = subject.order().await;
    let overpriced =
        FiatOrder { sold_amount: order.sold_amount.checked_add(order.sold_amount).unwrap(), ..order };
    assert!(matches!(subject.ramp().checkout(&overpriced, None).await, Err(RampError::Refused(_))));
}

async fn rule_22_a_changed_webhook_is_rejected(subject: &dyn Subject) {
    let order = subject.order().await;
    subject.ramp().checkout(&order, None).await.unwrap();
    let WebhookRequest { headers, body } = subject.cancel_and_receive(&order).await;
    let read = |headers: &axum::http::HeaderMap, body: &[u8], now: Timestamp| {
        let header = |name: &str| Some(headers.get(name)?.to_str().ok()?.to_owned());
        subject.ramp().read_webhook(&header, body, now)
    };
    let now = Timestamp::now();
    let notice = read(&headers, &body, now).unwrap();
    assert_eq!((notice.order.clone(), notice.report.state.clone()), (order.id.clone(), RampState::Canceled));
    assert_eq!(read(&headers, &body, now).unwrap().event, notice.event, "a second copy names the same event");

    let other = String::from_utf8(body.clone()).unwrap().replace("canceled", "completed");
    assert_eq!(read(&headers, other.as_bytes(), now), Err(WebhookError::Signature));
    assert_eq!(read(&headers, &[body.clone(), b" ".to_vec()].concat(), now), Err(WebhookError::Signature));
    assert_eq!(read(&headers, b"", now), Err(WebhookError::Signature));
    for minutes in [-6, 6] {
        let then = now + SignedDuration::from_mins(minutes);
        assert_eq!(read(&headers, &body, then), Err(WebhookError::Stale));
    }
    assert_eq!(read(&axum::http::HeaderMap::new(), &body, now), Err(WebhookError::Signature));
    for (name, value) in &headers {
        let mut forged = headers.clone();
        let mut bytes = value.as_bytes().to_vec();
        if let Some(last) = bytes.last_mut() {
            *last = if *last == b'0' { b'1' } else { b'0' };
        }
        forged.insert(name.clone(), bytes.as_slice().try_into().unwrap());
        let plain =
            ["content-type", "content-length", "host", "user-agent", "accept"].contains(&name.as_str());
        assert!(plain || read(&forged, &body, now).is_err(), "{name} is not verified");
    }
}

async fn profile_is_complete(subject: &dyn Subject) {
    let profile = subject.ramp().profile();
    assert!(
        profile.id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    );
    assert!(!profile.name.is_empty() && !profile.methods.is_empty() && !profile.currencies.is_empty());
    assert!(profile.chains.contains(&subject.asset().id.chain()));
    assert!(profile.limits.iter().all(|(least, most)| least.minor < most.minor));
    let limited: Vec<_> = profile.limits.iter().map(|(least, _)| least.currency).collect();
    assert!(profile.currencies.iter().all(|currency| limited.contains(currency)));
    assert!(profile.origins.iter().all(|origin| !origin.ends_with('/')));
}

/// A provider of the sandbox.
struct Sandbox {
    fixture: RampFixture,
    plan: SandboxPlan,
}

#[async_trait]
impl Subject for Sandbox {
    fn ramp(&self) -> &dyn OnRamp {
        self.fixture.ramp(self.plan)
    }

    fn asset(&self) -> Token {
        usdc()
    }

    fn payment(&self) -> FiatAmount {
        FiatAmount::new("EUR".parse().unwrap(), 12_345)
    }

    async fn order(&self) -> FiatOrder {
        self.fixture.order(self.plan, usdc()).await
    }

    async fn cancel_and_receive(&self, order: &FiatOrder) -> WebhookRequest {
        let session = self.ramp().checkout(order, None).await.unwrap();
        self.fixture.submit(&session, "cancel", "").await;
        self.fixture.wait_for_webhooks(order, 1).await;
        self.fixture.inbox.for_provider(self.plan.id()).remove(0)
    }
}

macro_rules! conformance {
    ($provider:ident, $start:expr; $($rule:ident)*) => {
        mod $provider {
            use super::*;
            $(#[tokio::test]
            async fn $rule() {
                super::$rule(&$start).await;
            })*
        }
    };
    ($provider:ident, $start:expr) => {
        conformance! { $provider, $start;
            quote_matches_the_payment
            pay_and_receive_quotes_agree
            out_of_range_refusal_states_the_range
            unsupported_asset_method_or_currency_is_refused
            repeated_checkout_is_the_same_purchase
            report_matches_the_order
            overpriced_purchase_is_refused
            rule_22_a_changed_webhook_is_rejected
            profile_is_complete
        }
    };
}

conformance!(sandbox_card, Sandbox { fixture: RampFixture::without_chain().await, plan: SandboxPlan::Card });
conformance!(sandbox_bank, Sandbox { fixture: RampFixture::without_chain().await, plan: SandboxPlan::Bank });
