//! The providers elsewhere, against servers in their places.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use causeway_domain::fiat::{FiatAmount, FiatAsk, FiatOrder};
use causeway_domain::ports::{
    OnRamp, RampAsk, RampError, RampNotice, RampOffer, RampProfile, RampReport, RampSession, RampState,
    WebhookError,
};
use causeway_domain::{FiatOrderId, TokenId};
use causeway_onramps::conformance::{CheckPlan, Outcome, Report, check_with};
use causeway_onramps::moonpay::MoonPay;
use causeway_onramps::standin::MoonPayStandIn;
use causeway_onramps::transport::Patience;
use jiff::Timestamp;

use crate::kit::{recipient, usdc};

/// Quick, and shorter than a stand-in asks to be left alone.
pub(crate) const QUICK: Patience =
    Patience { total: Duration::from_secs(2), attempts: 3, first_wait: Duration::from_millis(20) };

pub(crate) fn plan() -> CheckPlan {
    CheckPlan {
        asset: usdc(),
        pays: FiatAmount::new("USD".parse().unwrap(), 10_000),
        wallet: recipient(),
        method: None,
        country: None,
    }
}

/// A report in which nothing failed and so much was skipped.
pub(crate) fn assert_holds(report: &Report, skipped: usize) {
    assert!(report.is_good(), "\n{report}");
    assert_eq!(report.count(Outcome::Skipped), skipped, "\n{report}");
    assert!(report.count(Outcome::Passed) >= 29, "\n{report}");
}

/// What a careless adapter does wrong.
#[derive(Clone, Copy, Debug)]
enum Flaw {
    ChargesMore,
    SendsElsewhere,
    BelievesEverybody,
    KnowsEverything,
}

/// An adapter with one flaw.
struct Careless(MoonPay, Flaw);

#[async_trait]
impl OnRamp for Careless {
    fn profile(&self) -> Arc<RampProfile> {
        self.0.profile()
    }

    fn sells(&self, asset: &TokenId) -> bool {
        self.0.sells(asset)
    }

    async fn refresh(&self) -> Result<(), RampError> {
        self.0.refresh().await
    }

    async fn quote(&self, ask: &RampAsk) -> Result<RampOffer, RampError> {
        let mut offer = self.0.quote(ask).await?;
        if matches!(self.1, Flaw::ChargesMore) {
            offer.pays.minor += 1;
        }
        Ok(offer)
    }

    async fn checkout(&self, order: &FiatOrder, ask: Option<&FiatAsk>) -> Result<RampSession, RampError> {
        let session = self.0.checkout(order, ask).await?;
        let url = match self.1 {
            Flaw::SendsElsewhere => session.url.replacen("127.0.0.1", "evil.example", 1),
            _ => session.url,
        };
        Ok(RampSession { url, ..session })
    }

    async fn look_up(&self, order: &FiatOrder) -> Result<Option<RampReport>, RampError> {
        match self.1 {
            Flaw::KnowsEverything => Ok(Some(delivered())),
            _ => self.0.look_up(order).await,
        }
    }

    fn read_webhook(
        &self,
        header: &(dyn for<'a> Fn(&'a str) -> Option<String> + Sync),
        body: &[u8],
        now: Timestamp,
    ) -> Result<RampNotice, WebhookError> {
        match self.1 {
            Flaw::BelievesEverybody => {
                let order = FiatOrderId::random().unwrap();
                Ok(RampNotice { event: "event".to_owned(), order, report: delivered() })
            }
            _ => self.0.read_webhook(header, body, now),
        }
    }
}

fn delivered() -> RampReport {
    RampReport::of(RampState::Delivered)
}

#[tokio::test]
async fn the_suite_finds_a_careless_adapter() {
    let cases: [(Flaw, &[&str]); 4] = [
        (Flaw::ChargesMore, &["what_is_shown_is_what_is_charged"]),
        (Flaw::SendsElsewhere, &["a_checkout_lies_at_its_own_origin"]),
        (
            Flaw::BelievesEverybody,
            &[
                "rule_22_a_webhook_that_nobody_signed_is_refused",
                "rule_22_a_webhook_is_believed_only_as_it_was_signed",
                "a_forged_webhook_is_refused",
                "a_stale_webhook_is_refused",
                "a_repeated_webhook_names_the_same_event",
                "a_webhook_tells_whose_order_it_is",
                "every_documented_status_is_known",
            ],
        ),
        (
            Flaw::KnowsEverything,
            &[
                "an_order_that_nobody_began_is_unknown",
                "a_status_from_the_future_is_kept_and_still_open",
                "what_is_reported_is_the_order_itself",
                "an_order_of_another_partner_is_not_ours",
            ],
        ),
    ];
    for (flaw, expected) in cases {
        let stand_in = MoonPayStandIn::start(0).await.unwrap();
        let ramp = Careless(MoonPay::new(stand_in.config(), QUICK).unwrap(), flaw);
        let report = check_with(&ramp, &plan(), &stand_in).await;
        for check in expected {
            let found = report.findings.iter().find(|finding| finding.check == *check).unwrap();
            assert_eq!(found.outcome, Outcome::Failed, "{flaw:?} passes {check}\n{report}");
        }
    }
}
