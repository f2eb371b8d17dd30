use causeway_domain::ports::{OnRamp as _, WebhookError};
use causeway_onramps::conformance::{FaultInjection, StandIn as _, check_with};
use causeway_onramps::moonpay::{MoonPay, MoonPayConfig};
use causeway_onramps::standin::MoonPayStandIn;
use jiff::Timestamp;

use crate::providers::{FAST_RETRIES, assert_passes, plan};

#[tokio::test]
async fn moonpay_passes_the_conformance_suite() {
    let stand_in = MoonPayStandIn::start(0).await.unwrap();
    let ramp = MoonPay::new(stand_in.config(), FAST_RETRIES).unwrap();
    let report = check_with(&ramp, &plan(), &stand_in).await;
    println!("{report}");
    assert_passes(&report, 0);
}

#[tokio::test]
async fn rule_22_without_a_key_every_webhook_is_rejected() {
    let stand_in = MoonPayStandIn::start(0).await.unwrap();
    let ramp = MoonPay::new(MoonPayConfig { webhook_key: None, ..stand_in.config() }, FAST_RETRIES).unwrap();
    assert!(!ramp.profile().webhooks);
    let read = ramp.read_webhook(&|_| Some("t=1,s=00".to_owned()), b"{}", Timestamp::now());
    assert_eq!(read, Err(WebhookError::NotConfigured));
}

#[tokio::test]
async fn provider_down_at_start_is_read_when_it_recovers() {
    let stand_in = MoonPayStandIn::start(0).await.unwrap();
    let ramp = MoonPay::new(stand_in.config(), FAST_RETRIES).unwrap();
    stand_in.inject_fault(FaultInjection::Down);
    assert!(ramp.refresh().await.is_err());
    assert!(ramp.sells(&plan().asset.id), "assumed until the offering is read");
    assert!(ramp.profile().currencies.is_empty());
    stand_in.inject_fault(FaultInjection::None);
    ramp.refresh().await.unwrap();
    let profile = ramp.profile();
    assert!(ramp.sells(&plan().asset.id) && profile.currencies.len() == 3);
    assert!(profile.serves("US-TX") && profile.serves("US") && profile.serves("DE"));
    assert!(!profile.serves("US-NY") && !profile.serves("KP"), "{:?}", profile.countries);
}
