//! The hosted checkout: HTML forms that work without a script, and a script that updates the page and notifies the embedding window.

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
        Ok((provider, session)) => purchase_page(provider, &session, None),
        Err((status, message)) => message_page(status, message),
    }
}

/// Why a page cannot be shown.
type PageError = (StatusCode, &'static str);

/// The purchase of a URL.
fn find<'a>(
    ramps: &'a SandboxRamps,
    provider: &str,
    session: &str,
) -> Result<(&'a Provider, Session), PageError> {
    let not_found = || (StatusCode::NOT_FOUND, "This checkout does not exist.");
    let provider = ramps.provider(provider).ok_or_else(not_found)?;
    if provider.switches().down {
        let message = "The provider is down. Try again in a moment.";
        return Err((StatusCode::SERVICE_UNAVAILABLE, message));
    }
    let session = provider.purchases.lock().session(session).cloned().ok_or_else(not_found)?;
    Ok((provider.as_ref(), session))
}

/// The page of a purchase.
fn purchase_page(provider: &Provider, session: &Session, problem: Option<&Problem>) -> Response {
    let status = if problem.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let html = page::render(&View::new(provider, session), problem);
    let mut response = (status, html).into_response();
    set_security_headers(&mut response, &security_policy(provider));
    response
}

/// Content security policy: own origin only; framed by loopback and the configured embedders.
fn security_policy(provider: &Provider) -> String {
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

fn message_page(status: StatusCode, message: &'static str) -> Response {
    let mut response = (status, page::message(message)).into_response();
    set_security_headers(&mut response, "default-src 'none'; style-src 'self'; base-uri 'none'");
    response
}

fn set_security_headers(response: &mut Response, security_policy: &str) {
    let security_policy =
        HeaderValue::from_str(security_policy).unwrap_or(HeaderValue::from_static("default-src 'none'"));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, security_policy);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
}

fn asset(kind: &'static str, content: &'static str) -> Response {
    let headers = [(header::CONTENT_TYPE, kind), (header::X_CONTENT_TYPE_OPTIONS, "nosniff")];
    (headers, content).into_response()
}
