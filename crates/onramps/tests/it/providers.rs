//! External providers, against their stand-ins.

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
use causeway_onramps::transport::RetryPolicy;
use jiff::Timestamp;

use crate::fixture::{recipient, usdc};

/// Fast, and shorter than the stand-in's `Retry-After`.
pub(crate) const FAST_RETRIES: RetryPolicy =
    RetryPolicy { total: Duration::from_secs(2), attempts: 3, first_backoff: Duration::from_millis(20) };

pub(crate) fn plan() -> CheckPlan {
    CheckPlan {
        asset: usdc(),
        pays: FiatAmount::new("USD".parse().unwrap(), 10_000),
        wallet: recipient(),
        method: None,
        country: None,
    }
}

/// Asserts that nothing failed and this many checks were skipped.
pub(crate) fn assert_passes(report: &Report, skipped: usize) {
    assert!(report.is_good(), "\n{report}");
    assert_eq!(report.count(Outcome::Skipped), skipped, "\n{report}");
    assert!(report.count(Outcome::Passed) >= 29, "\n{report}");
}

/// A flaw of an adapter.
#[derive(Clone, Copy, Debug)]
enum Flaw {
    ChargesMore,
    CheckoutElsewhere,
    AcceptsAnyWebhook,
    ReportsAnyOrder,
}

/// An adapter with one flaw.
struct FlawedAdapter(MoonPay, Flaw);

#[async_trait]
impl OnRamp for FlawedAdapter {
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
            Flaw::CheckoutElsewhere => session.url.replacen("127.0.0.1", "evil.example", 1),
            _ => session.url,
        };
        Ok(RampSession { url, ..session })
    }

    async fn look_up(&self, order: &FiatOrder) -> Result<Option<RampReport>, RampError> {
        match self.1 {
            Flaw::ReportsAnyOrder => Ok(Some(delivered())),
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
            Flaw::AcceptsAnyWebhook => {
                let order = FiatOrderId::random().unwrap();
                Ok(RampNotice { event: "event".to_owned(), order, report: delivered() })
            }
            _ => self.0.read_webhook(header, body, now),
        }
    }
}

fn delivered() -> RampReport {
    RampReport::new(RampState::Delivered)
}

#[tokio::test]
async fn suite_detects_a_flawed_adapter() {
    let cases: [(Flaw, &[&str]); 4] = [
        (Flaw::ChargesMore, &["quote_matches_the_payment"]),
        (Flaw::CheckoutElsewhere, &["checkout_is_at_the_providers_origin"]),
        (
            Flaw::AcceptsAnyWebhook,
            &[
                "rule_22_an_unsigned_webhook_is_rejected",
                "rule_22_a_changed_webhook_is_rejected",
                "forged_webhook_is_rejected",
                "stale_webhook_is_rejected",
                "repeated_webhook_has_the_same_event_id",
                "webhook_names_its_order",
                "documented_statuses_are_mapped",
            ],
        ),
        (
            Flaw::ReportsAnyOrder,
            &[
                "unopened_order_is_unknown",
                "unknown_status_is_kept_and_stays_open",
                "report_matches_the_order",
                "order_of_another_partner_is_rejected",
            ],
        ),
    ];
    for (flaw, expected) in cases {
        let stand_in = MoonPayStandIn::start(0).await.unwrap();
        let ramp = FlawedAdapter(MoonPay::new(stand_in.config(), FAST_RETRIES).unwrap(), flaw);
        let report = check_with(&ramp, &plan(), &stand_in).await;
        for check in expected {
            let found = report.findings.iter().find(|finding| finding.check == *check).unwrap();
            assert_eq!(found.outcome, Outcome::Failed, "{flaw:?} passes {check}\n{report}");
        }
    }
}
