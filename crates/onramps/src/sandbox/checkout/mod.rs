//! The hosted checkout: plain pages that work by forms, and a script that saves reloads and tells the window around.

mod act;
mod card;
mod page;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

use super::provider::{Provider, SandboxRamps};
use super::session::Session;
use page::{Problem, View};

const STYLE: &str = include_str!("assets/checkout.css");
const SCRIPT: &str = include_str!("assets/checkout.js");
const CARD_LOGO: &str = include_str!("assets/sandbox-card.svg");
const BANK_LOGO: &str = include_str!("assets/sandbox-bank.svg");

pub(super) fn routes() -> Router<SandboxRamps> {
    Router::new()
        .route("/{provider}/checkout/{session}", get(show))
        .route("/{provider}/checkout/{session}/{act}", post(act::act))
        .route("/assets/checkout.css", get(async || asset("text/css; charset=utf-8", STYLE)))
        .route("/assets/checkout.js", get(async || asset("text/javascript; charset=utf-8", SCRIPT)))
        .route("/assets/sandbox-card.svg", get(async || asset("image/svg+xml", CARD_LOGO)))
        .route("/assets/sandbox-bank.svg", get(async || asset("image/svg+xml", BANK_LOGO)))
}

async fn show(
    State(ramps): State<SandboxRamps>,
    Path((provider, session)): Path<(String, String)>,
) -> Response {
    match find(&ramps, &provider, &session) {
        Ok((provider, session)) => answer(provider, &session, None),
        Err((status, words)) => plain(status, words),
    }
}

/// Why there is nothing to show.
type Nothing = (StatusCode, &'static str);

/// The purchase that the address names.
fn find<'a>(
    ramps: &'a SandboxRamps,
    provider: &str,
    session: &str,
) -> Result<(&'a Provider, Session), Nothing> {
    let nothing = || (StatusCode::NOT_FOUND, "There is no such checkout.");
    let provider = ramps.provider(provider).ok_or_else(nothing)?;
    if provider.switches().down {
        let words = "The provider is down. Try again in a moment.";
        return Err((StatusCode::SERVICE_UNAVAILABLE, words));
    }
    let session = provider.book().session(session).cloned().ok_or_else(nothing)?;
    Ok((provider.as_ref(), session))
}

/// The page of a purchase as it stands.
fn answer(provider: &Provider, session: &Session, problem: Option<&Problem>) -> Response {
    let status = if problem.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let html = page::render(&View::new(provider, session), problem);
    let mut response = (status, html).into_response();
    guard(&mut response, &policy(provider));
    response
}

/// Scripts, styles and requests of this origin only; frames on this machine and where the service is shown.
fn policy(provider: &Provider) -> String {
    let mut frames = "http://127.0.0.1:* http://localhost:*".to_owned();
    for embedder in &provider.settings.embedders {
        frames.push(' ');
        frames.push_str(embedder);
    }
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; \
         base-uri 'none'; frame-ancestors {frames}"
    )
}

fn plain(status: StatusCode, words: &'static str) -> Response {
    let mut response = (status, page::message(words)).into_response();
    guard(&mut response, "default-src 'none'; style-src 'self'; base-uri 'none'");
    response
}

fn guard(response: &mut Response, policy: &str) {
    let policy = HeaderValue::from_str(policy).unwrap_or(HeaderValue::from_static("default-src 'none'"));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
}

fn asset(kind: &'static str, content: &'static str) -> Response {
    let headers = [(header::CONTENT_TYPE, kind), (header::X_CONTENT_TYPE_OPTIONS, "nosniff")];
    (headers, content).into_response()
}
