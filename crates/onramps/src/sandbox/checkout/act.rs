use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{Path, State as AppState};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::card::{Charge, charge};
use super::page::Problem;
use super::{find, message_page, purchase_page};
use crate::sandbox::journal::JournalError;
use crate::sandbox::plan::SandboxPlan;
use crate::sandbox::provider::{Provider, SandboxRamps, now_ms};
use crate::sandbox::session::{Reason, Session, State};

/// Handles a button of the page, then redirects to the page.
pub(super) async fn act(
    AppState(ramps): AppState<SandboxRamps>,
    Path((provider, session, act)): Path<(String, String, String)>,
    body: Bytes,
) -> Response {
    let (provider, session) = match find(&ramps, &provider, &session) {
        Ok(found) => found,
        Err((status, message)) => return message_page(status, message),
    };
    let form = Form::read(&body);
    let result = match (act.as_str(), provider.plan) {
        ("pay", SandboxPlan::Card) => pay(provider, &session, &form),
        ("challenge", SandboxPlan::Card) => challenge(provider, &session, &form),
        ("paid", SandboxPlan::Bank) => paid(provider, &session),
        ("cancel", _) => cancel(provider, &session),
        _ => return message_page(StatusCode::NOT_FOUND, "Unknown action."),
    };
    match result {
        Ok(None) => {
            let location = format!("/{}/checkout/{}", provider.plan.id(), session.terms.session);
            Redirect::to(&location).into_response()
        }
        Ok(Some(problem)) => purchase_page(provider, &session, Some(&problem)),
        Err(error) => {
            tracing::error!(%error, "sandbox provider cannot write its journal");
            message_page(StatusCode::INTERNAL_SERVER_ERROR, "The provider cannot store this now. Try again.")
        }
    }
}

/// The result of an action, or the invalid field.
type ActionResult = Result<Option<Problem>, JournalError>;

fn pay(provider: &Provider, session: &Session, form: &Form) -> ActionResult {
    if session.state != State::AwaitingPayment {
        return Ok(None);
    }
    let today = Timestamp::now().to_zoned(TimeZone::UTC).date();
    let payment_delays = provider.settings.payment_delays;
    match charge(form.get("number"), form.get("expiry"), form.get("cvc"), today) {
        Err(field) => return Ok(Some(Problem { field: field.name(), message: field.message() })),
        Ok(Charge::Succeeds) => pending(provider, session, payment_delays.card)?,
        Ok(Charge::SucceedsSlowly) => pending(provider, session, payment_delays.slow_card)?,
        Ok(Charge::NeedsApproval) => {
            provider.transition(&session.terms.session, State::Challenge, None, None)?;
        }
        Ok(Charge::Declined) => fail(provider, session, "payment_declined", "the card was declined")?,
    }
    Ok(None)
}

fn challenge(provider: &Provider, session: &Session, form: &Form) -> ActionResult {
    if session.state != State::Challenge {
        return Ok(None);
    }
    if form.get("answer") == "approve" {
        pending(provider, session, provider.settings.payment_delays.card)?;
    } else {
        fail(provider, session, "challenge_failed", "the card's owner did not approve the payment")?;
    }
    Ok(None)
}

fn paid(provider: &Provider, session: &Session) -> ActionResult {
    if session.state == State::AwaitingPayment {
        pending(provider, session, provider.settings.payment_delays.bank)?;
    }
    Ok(None)
}

fn cancel(provider: &Provider, session: &Session) -> ActionResult {
    if session.state.is_unpaid() {
        let reason = Reason::new("canceled", "the payer canceled");
        provider.transition(&session.terms.session, State::Canceled, None, Some(reason))?;
    }
    Ok(None)
}

fn pending(provider: &Provider, session: &Session, after: Duration) -> Result<(), JournalError> {
    let due = now_ms() + i64::try_from(after.as_millis()).unwrap_or_default();
    provider.transition(&session.terms.session, State::PaymentPending, Some(due), None).map(drop)
}

fn fail(provider: &Provider, session: &Session, code: &str, message: &str) -> Result<(), JournalError> {
    provider
        .transition(&session.terms.session, State::Failed, None, Some(Reason::new(code, message)))
        .map(drop)
}

/// The fields of a form; the first of a name is used.
struct Form(Vec<(String, String)>);

impl Form {
    fn read(body: &[u8]) -> Self {
        Self(form_urlencoded::parse(body).into_owned().collect())
    }

    fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }
}
