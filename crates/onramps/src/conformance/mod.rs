//! The conformance suite of providers: a list of named checks.
//!
//! [`check`] moves no money: it reads lists, requests quotes, opens a checkout that is never paid, and gives the adapter
//! unsigned webhooks. `causeway onramp check NAME` runs it against an operator's own account.
//!
//! [`check_with`] runs all of that and, with a [`StandIn`], everything that depends on the other side: signed
//! webhooks that are forged, stale, repeated or about something else, every documented status, and invalid responses.
//!
//! A new provider needs a stand-in that implements [`StandIn`] (in `crate::standin`), and two tests: `check` and `check_with` find
//! nothing. `docs/adding-an-onramp.md` describes a provider's folder; in short, it has
//! - `config.rs`: the configuration, with `serde::Deserialize` and unknown keys rejected, secrets as
//!   [`SecretText`](crate::secret::SecretText), base URLs that a stand-in can override;
//! - `wire.rs`: the provider's JSON, amounts as [`Decimal`](crate::amounts::Decimal), optional fields unless required;
//! - `mapping.rs`: pure functions from wire to domain, with the fixtures as their tests;
//! - `transport.rs`: the calls, through [`Transport`](crate::transport::Transport);
//! - `mod.rs`: the `OnRamp`.

mod bad_answers;
mod live;
mod plan;
mod stand_in;
mod webhooks;

use std::fmt;

use causeway_domain::ports::OnRamp;

pub use plan::CheckPlan;
pub use stand_in::{FaultInjection, SignedWebhook, StandIn};

/// The outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    Failed,
    /// The check does not apply.
    Skipped,
}

impl Outcome {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}

/// One check with its outcome and a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub check: &'static str,
    pub outcome: Outcome,
    pub message: String,
}

/// The findings for one provider, in the order of the checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    pub provider: String,
    pub findings: Vec<Finding>,
}

impl Report {
    pub fn count(&self, outcome: Outcome) -> usize {
        self.findings.iter().filter(|finding| finding.outcome == outcome).count()
    }

    /// Whether nothing failed.
    pub fn is_good(&self) -> bool {
        self.count(Outcome::Failed) == 0
    }

    fn add(&mut self, check: &'static str, checked: Checked) {
        let (outcome, message) = match checked {
            Ok(message) => (Outcome::Passed, message),
            Err(CheckError::Failed(message)) => (Outcome::Failed, message),
            Err(CheckError::Skipped(message)) => (Outcome::Skipped, message),
        };
        self.findings.push(Finding { check, outcome, message });
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Finding { check, outcome, message } in &self.findings {
            writeln!(f, "{:<8}{}: {message}", outcome.as_str(), check.replace('_', " "))?;
        }
        let [passed, failed, skipped] =
            [Outcome::Passed, Outcome::Failed, Outcome::Skipped].map(|outcome| self.count(outcome));
        write!(f, "{}: {passed} passed, {failed} failed, {skipped} skipped", self.provider)
    }
}

/// A message for the report, or why the check did not pass.
type Checked = Result<String, CheckError>;

enum CheckError {
    Failed(String),
    Skipped(String),
}

/// Fails the check.
fn failed<T>(message: impl Into<String>) -> Result<T, CheckError> {
    Err(CheckError::Failed(message.into()))
}

/// Fails the check with the message unless the condition holds.
fn ensure(holds: bool, message: impl Into<String>) -> Result<(), CheckError> {
    if holds { Ok(()) } else { failed(message) }
}

macro_rules! run {
    ($report:ident, $module:ident $given:tt: $($check:ident)*) => {
        $($report.add(stringify!($check), $module::$check $given.await);)*
    };
}

/// Runs the checks that are safe with a real account: nothing is bought.
pub async fn check(ramp: &dyn OnRamp, plan: &CheckPlan) -> Report {
    let mut report = Report { provider: ramp.profile().id.clone(), findings: Vec::new() };
    run!(report, live(ramp, plan):
        offering_can_be_read
        profile_is_complete
        asset_is_sold
        quote_matches_the_payment
        quote_matches_the_received_amount
        out_of_range_amount_is_refused
        unsupported_asset_method_or_currency_is_refused
        unopened_order_is_unknown
        checkout_is_at_the_providers_origin
        repeated_checkout_is_the_same_purchase
        rule_22_an_unsigned_webhook_is_rejected
    );
    report
}

/// Runs all checks, with a stand-in for the provider.
pub async fn check_with(ramp: &dyn OnRamp, plan: &CheckPlan, stand_in: &dyn StandIn) -> Report {
    stand_in.inject_fault(FaultInjection::None);
    let mut report = check(ramp, plan).await;
    run!(report, webhooks(ramp, plan, stand_in):
        rule_22_a_changed_webhook_is_rejected
        forged_webhook_is_rejected
        stale_webhook_is_rejected
        repeated_webhook_has_the_same_event_id
        webhooks_out_of_order_are_distinguished
        webhook_names_its_order
        webhook_has_amount_and_wallet
        documented_statuses_are_mapped
        unknown_status_is_kept_and_stays_open
        report_matches_the_order
    );
    run!(report, bad_answers(ramp, plan, stand_in):
        html_response_is_rejected
        quote_in_another_currency_is_rejected
        negative_fee_is_rejected
        float_noise_never_changes_an_amount
        redirect_is_not_followed
        order_of_another_partner_is_rejected
        transient_failure_is_retried
        rate_limit_is_honoured
        unreachable_provider_is_unavailable
        slow_response_times_out
    );
    stand_in.inject_fault(FaultInjection::None);
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_prints_lines_and_counts() {
        let mut report = Report { provider: "ramp".to_owned(), findings: Vec::new() };
        report.add("one_thing", Ok("fine".to_owned()));
        report.add("another", failed("not so"));
        report.add("third", Err(CheckError::Skipped("unknown".to_owned())));
        let text = "passed  one thing: fine\nfailed  another: not so\nskipped third: unknown\n\
                    ramp: 1 passed, 1 failed, 1 skipped";
        assert_eq!(report.to_string(), text);
        assert!(!report.is_good());
    }
}
