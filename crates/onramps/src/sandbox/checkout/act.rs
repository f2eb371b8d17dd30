use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::card::{Charge, charge};
use super::page::Problem;
use super::{answer, find, plain};
use crate::sandbox::journal::JournalError;
use crate::sandbox::plan::SandboxPlan;
use crate::sandbox::provider::{Provider, SandboxRamps, now_ms};
use crate::sandbox::session::{Reason, Session, State as At};

/// Does what a button of the page is for, then shows the page anew.
pub(super) async fn act(
    State(ramps): State<SandboxRamps>,
    Path((provider, session, act)): Path<(String, String, String)>,
    body: Bytes,
) -> Response {
    let (provider, session) = match find(&ramps, &provider, &session) {
        Ok(found) => found,
        Err((status, words)) => return plain(status, words),
    };
    let form = Form::read(&body);
    let done = match (act.as_str(), provider.plan) {
        ("pay", SandboxPlan::Card) => pay(provider, &session, &form),
        ("challenge", SandboxPlan::Card) => challenge(provider, &session, &form),
        ("paid", SandboxPlan::Bank) => paid(provider, &session),
        ("cancel", _) => cancel(provider, &session),
        _ => return plain(StatusCode::NOT_FOUND, "There is no such button."),
    };
    match done {
        Ok(None) => {
            let place = format!("/{}/checkout/{}", provider.plan.id(), session.agreed.session);
            Redirect::to(&place).into_response()
        }
        Ok(Some(problem)) => answer(provider, &session, Some(&problem)),
        Err(error) => {
            tracing::error!(%error, "the play provider cannot write");
            plain(StatusCode::INTERNAL_SERVER_ERROR, "The provider cannot write now. Try again.")
        }
    }
}

/// What a button did, or what is wrong with what was filled in.
type Done = Result<Option<Problem>, JournalError>;

fn pay(provider: &Provider, session: &Session, form: &Form) -> Done {
    if session.state != At::AwaitingPayment {
        return Ok(None);
    }
    let today = Timestamp::now().to_zoned(TimeZone::UTC).date();
    let pace = provider.settings.pace;
    match charge(form.get("number"), form.get("expiry"), form.get("cvc"), today) {
        Err(bad) => return Ok(Some(Problem { field: bad.name(), words: bad.words() })),
        Ok(Charge::Goes) => pending(provider, session, pace.card)?,
        Ok(Charge::GoesSlowly) => pending(provider, session, pace.slow_card)?,
        Ok(Charge::Challenged) => {
            provider.shift(&session.agreed.session, At::Challenge, None, None)?;
        }
        Ok(Charge::Declined) => fail(provider, session, "payment_declined", "the card was declined")?,
    }
    Ok(None)
}

fn challenge(provider: &Provider, session: &Session, form: &Form) -> Done {
    if session.state != At::Challenge {
        return Ok(None);
    }
    if form.get("answer") == "approve" {
        pending(provider, session, provider.settings.pace.card)?;
    } else {
        fail(provider, session, "challenge_failed", "the card's owner did not approve the payment")?;
    }
    Ok(None)
}

fn paid(provider: &Provider, session: &Session) -> Done {
    if session.state == At::AwaitingPayment {
        pending(provider, session, provider.settings.pace.bank)?;
    }
    Ok(None)
}

fn cancel(provider: &Provider, session: &Session) -> Done {
    if session.state.is_unpaid() {
        let reason = Reason::new("canceled", "the payer canceled");
        provider.shift(&session.agreed.session, At::Canceled, None, Some(reason))?;
    }
    Ok(None)
}

fn pending(provider: &Provider, session: &Session, after: Duration) -> Result<(), JournalError> {
    let due = now_ms() + i64::try_from(after.as_millis()).unwrap_or_default();
    provider.shift(&session.agreed.session, At::PaymentPending, Some(due), None).map(drop)
}

fn fail(provider: &Provider, session: &Session, code: &str, words: &str) -> Result<(), JournalError> {
    provider.shift(&session.agreed.session, At::Failed, None, Some(Reason::new(code, words))).map(drop)
}

/// The fields of a form; the first of a name counts.
struct Form(Vec<(String, String)>);

impl Form {
    fn read(body: &[u8]) -> Self {
        Self(form_urlencoded::parse(body).into_owned().collect())
    }

    fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }
}
