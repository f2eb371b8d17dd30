//! The providers elsewhere, against servers in their places.

use std::time::Duration;

use causeway_domain::fiat::FiatAmount;
use causeway_onramps::conformance::{CheckPlan, Report};
use causeway_onramps::transport::Patience;

use crate::kit::{recipient, usdc};

/// Quick, and shorter than a stand-in asks to be left alone.
pub(crate) const QUICK: Patience =
    Patience { total: Duration::from_millis(2_000), attempts: 3, first_wait: Duration::from_millis(20) };

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
    use causeway_onramps::conformance::Outcome;
    assert!(report.is_good(), "\n{report}");
    assert_eq!(report.count(Outcome::Skipped), skipped, "\n{report}");
    assert!(report.count(Outcome::Passed) >= 29, "\n{report}");
}
