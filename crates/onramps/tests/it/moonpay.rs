use causeway_domain::ports::{OnRamp as _, WebhookError};
use causeway_onramps::conformance::{Mischief, StandIn as _, check_with};
use causeway_onramps::moonpay::{MoonPay, MoonPayConfig};
use causeway_onramps::standin::MoonPayStandIn;
use jiff::Timestamp;

use crate::providers::{QUICK, assert_holds, plan};

#[tokio::test]
async fn moonpay_holds_what_every_provider_has_to_hold() {
    let stand_in = MoonPayStandIn::start(0).await.unwrap();
    let ramp = MoonPay::new(stand_in.config(), QUICK).unwrap();
    let report = check_with(&ramp, &plan(), &stand_in).await;
    println!("{report}");
    assert_holds(&report, 0);
}

#[tokio::test]
async fn rule_22_without_its_key_no_webhook_is_believed() {
    let stand_in = MoonPayStandIn::start(0).await.unwrap();
    let ramp = MoonPay::new(MoonPayConfig { webhook_key: None, ..stand_in.config() }, QUICK).unwrap();
    assert!(!ramp.profile().webhooks);
    let read = ramp.read_webhook(&|_| Some("t=1,s=00".to_owned()), b"{}", Timestamp::now());
    assert_eq!(read, Err(WebhookError::NotConfigured));
}

#[tokio::test]
async fn who_is_down_at_start_is_known_when_it_comes_back() {
    let stand_in = MoonPayStandIn::start(0).await.unwrap();
    let ramp = MoonPay::new(stand_in.config(), QUICK).unwrap();
    stand_in.behave(Mischief::Down);
    assert!(ramp.refresh().await.is_err());
    assert!(ramp.sells(&plan().asset.id), "nobody knows that it does not");
    assert!(ramp.profile().currencies.is_empty());
    stand_in.behave(Mischief::None);
    ramp.refresh().await.unwrap();
    let profile = ramp.profile();
    assert!(ramp.sells(&plan().asset.id) && profile.currencies.len() == 3);
    assert!(profile.serves("US-TX") && profile.serves("US") && profile.serves("DE"));
    assert!(!profile.serves("US-NY") && !profile.serves("KP"), "{:?}", profile.countries);
}
