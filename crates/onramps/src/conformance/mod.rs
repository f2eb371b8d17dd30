//! What every provider has to hold, as a list of named checks.
//!
//! [`check`] asks nothing that moves money: it reads lists, asks for prices, opens a checkout that nobody pays, and shows the adapter
//! webhooks that nobody signed. It is what `causeway onramp check NAME` runs against an operator's own account.
//!
//! [`check_with`] runs all of that and, with the switches of a [`StandIn`], everything that only the other side can bring about: signed
//! webhooks that are forged, stale, repeated or about something else, every documented status, and answers that are no answers.
//!
//! A provider joins by a stand-in that implements [`StandIn`] (in `crate::standin`), and two tests: `check` and `check_with` find
//! nothing. How a provider's folder looks is told in `docs/adding-an-onramp.md`; in short, it has
//! - `config.rs`: what the operator enters, with `serde::Deserialize` and unknown keys refused, secrets as
//!   [`SecretText`](crate::secret::SecretText), base addresses that a stand-in can take the place of;
//! - `wire.rs`: the provider's JSON, amounts as [`Decimal`](crate::amounts::Decimal), everything optional that is not needed;
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
pub use stand_in::{Hook, Mischief, StandIn};

/// How a check went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    Failed,
    /// Nothing could be said.
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

/// One check and how it went, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub check: &'static str,
    pub outcome: Outcome,
    pub words: String,
}

/// All checks of one provider, in the order in which they ran.
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
        let (outcome, words) = match checked {
            Ok(words) => (Outcome::Passed, words),
            Err(Fault::Failed(words)) => (Outcome::Failed, words),
            Err(Fault::Skipped(words)) => (Outcome::Skipped, words),
        };
        self.findings.push(Finding { check, outcome, words });
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Finding { check, outcome, words } in &self.findings {
            writeln!(f, "{:<8}{}: {words}", outcome.as_str(), check.replace('_', " "))?;
        }
        let [passed, failed, skipped] =
            [Outcome::Passed, Outcome::Failed, Outcome::Skipped].map(|outcome| self.count(outcome));
        write!(f, "{}: {passed} passed, {failed} failed, {skipped} skipped", self.provider)
    }
}

/// Words for who reads the report, or why there are none.
type Checked = Result<String, Fault>;

enum Fault {
    Failed(String),
    Skipped(String),
}

/// A check that did not hold.
fn failed<T>(words: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Failed(words.into()))
}

/// The check fails with these words unless the condition holds.
fn must(holds: bool, words: impl Into<String>) -> Result<(), Fault> {
    if holds { Ok(()) } else { failed(words) }
}

macro_rules! run {
    ($report:ident, $module:ident $given:tt: $($check:ident)*) => {
        $($report.add(stringify!($check), $module::$check $given.await);)*
    };
}

/// Runs what may be run against an account that is real: nothing is bought.
pub async fn check(ramp: &dyn OnRamp, plan: &CheckPlan) -> Report {
    let mut report = Report { provider: ramp.profile().id.clone(), findings: Vec::new() };
    run!(report, live(ramp, plan):
        what_it_offers_is_known
        a_profile_is_whole
        it_sells_what_is_asked_for
        what_is_shown_is_what_is_charged
        what_is_asked_to_be_received_is_delivered
        out_of_range_is_refused
        what_it_does_not_sell_or_take_is_refused
        an_order_that_nobody_began_is_unknown
        a_checkout_lies_at_its_own_origin
        an_order_is_one_purchase_however_often_it_is_opened
        rule_22_a_webhook_that_nobody_signed_is_refused
    );
    report
}

/// Runs everything, with a server in the provider's place.
pub async fn check_with(ramp: &dyn OnRamp, plan: &CheckPlan, stand_in: &dyn StandIn) -> Report {
    stand_in.behave(Mischief::None);
    let mut report = check(ramp, plan).await;
    run!(report, webhooks(ramp, plan, stand_in):
        rule_22_a_webhook_is_believed_only_as_it_was_signed
        a_forged_webhook_is_refused
        a_stale_webhook_is_refused
        a_repeated_webhook_names_the_same_event
        webhooks_out_of_order_are_told_apart
        a_webhook_tells_whose_order_it_is
        a_webhook_tells_its_amount_and_wallet
        every_documented_status_is_known
        a_status_from_the_future_is_kept_and_still_open
        what_is_reported_is_the_order_itself
    );
    run!(report, bad_answers(ramp, plan, stand_in):
        html_is_no_answer
        another_currency_is_no_answer
        a_negative_fee_is_no_answer
        a_float_with_17_digits_is_never_another_amount
        nobody_is_followed_to_a_foreign_host
        an_order_of_another_partner_is_not_ours
        a_short_failure_is_asked_again
        who_has_too_many_requests_is_left_alone
        who_is_down_is_unavailable
        a_slow_answer_is_given_up
    );
    stand_in.behave(Mischief::None);
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_reads_as_lines_and_counts() {
        let mut report = Report { provider: "ramp".to_owned(), findings: Vec::new() };
        report.add("one_thing", Ok("fine".to_owned()));
        report.add("another", failed("not so"));
        report.add("third", Err(Fault::Skipped("unknown".to_owned())));
        let text = "passed  one thing: fine\nfailed  another: not so\nskipped third: unknown\n\
                    ramp: 1 passed, 1 failed, 1 skipped";
        assert_eq!(report.to_string(), text);
        assert!(!report.is_good());
    }
}
