use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use causeway_domain::ports::AuditEvent;
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::App;
use crate::error::ApiError;
use crate::pages;

const PAUSES: &str = "/operator/pauses";
const INTEGRATORS: &str = "/operator/integrators";
/// More than any request of the operator API has.
const MAX_BODY_BYTES: usize = 64 * 1024;

/// What an operator may do; each role may do what those before it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OperatorRole {
    /// Look at everything.
    Read,
    /// Pause and resume.
    Pause,
    /// Everything.
    Admin,
}

impl OperatorRole {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Pause => "pause",
            Self::Admin => "admin",
        }
    }

    /// The role that a request needs.
    fn needed(method: &Method, path: &str) -> Self {
        if matches!(*method, Method::GET | Method::HEAD) {
            return Self::Read;
        }
        let is_pause = path == PAUSES || path.strip_prefix(PAUSES).is_some_and(|rest| rest.starts_with('/'));
        if is_pause { Self::Pause } else { Self::Admin }
    }
}

/// A token of the operator API, by its SHA-256 hash: whoever reads the configuration cannot use it.
#[derive(Clone, Debug)]
pub struct OperatorToken {
    /// Who has it, for the audit log.
    pub name: String,
    pub role: OperatorRole,
    pub sha256: [u8; 32],
}

impl OperatorToken {
    /// The token that the service itself knows, which may do everything.
    pub fn admin(token: &str) -> Self {
        Self { name: "operator".to_owned(), role: OperatorRole::Admin, sha256: hash(token) }
    }
}

fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// The tokens of the operator API.
#[derive(Clone, Debug)]
pub struct OperatorTokens(Vec<OperatorToken>);

impl OperatorTokens {
    pub const fn new(tokens: Vec<OperatorToken>) -> Self {
        Self(tokens)
    }

    /// Compares hashes, each in constant time.
    fn find(&self, given: &str) -> Option<&OperatorToken> {
        let given = hash(given);
        let is_given = |token: &&OperatorToken| bool::from(token.sha256.ct_eq(&given));
        self.0.iter().find(is_given)
    }
}

/// Rejects requests without a token, or with one whose role does not allow them. Browsers get the page that asks for it. What
/// changes something is in the audit log before it is done.
pub(super) async fn require_token(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    if wants_page(&request) {
        return pages::operator_page(request.headers(), app.options.mode);
    }
    let given = request.headers().get(header::AUTHORIZATION).and_then(|value| bearer(value));
    let problem = match given.map(|given| app.operator.tokens.find(given)) {
        Some(Some(token)) => return admit(&app, token, request, next).await,
        Some(None) => "The token is wrong.",
        None => "Send the operator token: `Authorization: Bearer TOKEN`.",
    };
    let message = format!(
        "{problem} It is set by `server.operator_token` or CAUSEWAY_OPERATOR_TOKEN; otherwise it is in the file \
         `operator-token` of the service's data folder."
    );
    let mut response = ApiError::unauthorized(message).into_response();
    response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

async fn admit(app: &App, token: &OperatorToken, request: Request, next: Next) -> Response {
    let needed = OperatorRole::needed(request.method(), request.uri().path());
    if needed == OperatorRole::Read {
        return next.run(request).await;
    }
    let is_allowed = token.role >= needed;
    match record(app, token, is_allowed, request).await {
        Ok(request) if is_allowed => next.run(request).await,
        Ok(_) => forbidden(token, needed),
        Err(error) => error.into_response(),
    }
}

fn forbidden(token: &OperatorToken, needed: OperatorRole) -> Response {
    let (name, role, needed) = (&token.name, token.role.as_str(), needed.as_str());
    let message = format!("The token of {name} has the role `{role}`, and this needs the role `{needed}`.");
    let mut response = ApiError::unauthorized(message).into_response();
    *response.status_mut() = StatusCode::FORBIDDEN;
    response
}

/// Writes who asked for what. Only the bodies of pauses and integrators are kept: others hold secrets.
async fn record(
    app: &App,
    token: &OperatorToken,
    is_allowed: bool,
    request: Request,
) -> Result<Request, ApiError> {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, MAX_BODY_BYTES)
        .await
        .map_err(|_| ApiError::bad_request("The body could not be read, or is too long."))?;
    let path = parts.uri.path();
    let is_shown = path == PAUSES || path.starts_with(INTEGRATORS);
    let text = if is_shown { String::from_utf8_lossy(&body).into_owned() } else { String::new() };
    let refused = if is_allowed { "" } else { " (refused)" };
    let detail = format!("{} {path} {text}", parts.method);
    let now = Timestamp::now();
    let event = AuditEvent {
        key: app.operator.row_keys.next(now),
        kind: "operator.action".to_owned(),
        subject: token.name.clone(),
        detail: format!("{}{refused}", detail.trim_end()),
        at: now,
    };
    app.operator.audit.record_audit(&event).await?;
    Ok(Request::from_parts(parts, Body::from(body)))
}

fn wants_page(request: &Request) -> bool {
    let accepts = request.headers().get(header::ACCEPT).and_then(|value| value.to_str().ok());
    let is_browser = accepts.is_some_and(|types| types.contains("text/html"));
    is_browser && request.method() == Method::GET && request.uri().path() == "/operator"
}

fn bearer(value: &HeaderValue) -> Option<&str> {
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_token_matches() {
        let reader = OperatorToken { name: "reader".into(), role: OperatorRole::Read, sha256: hash("left") };
        let tokens = OperatorTokens::new(vec![OperatorToken::admin("right"), reader]);
        assert_eq!(tokens.find("right").unwrap().role, OperatorRole::Admin);
        assert_eq!(tokens.find("left").unwrap().name, "reader");
        for wrong in ["", "righ", "right ", "rights", "Right"] {
            assert!(tokens.find(wrong).is_none(), "{wrong}");
        }
        assert!(!format!("{tokens:?}").contains("right"));
    }

    #[test]
    fn a_role_may_do_what_those_before_it_may() {
        for (method, path, needed) in [
            (Method::GET, "/operator/overview", OperatorRole::Read),
            (Method::HEAD, "/operator/pauses", OperatorRole::Read),
            (Method::POST, "/operator/pauses", OperatorRole::Pause),
            (Method::DELETE, "/operator/pauses/chain/8453", OperatorRole::Pause),
            (Method::POST, "/operator/pauses-and-more", OperatorRole::Admin),
            (Method::POST, "/operator/fillers", OperatorRole::Admin),
            (Method::DELETE, "/operator/webhooks/shop", OperatorRole::Admin),
        ] {
            assert_eq!(OperatorRole::needed(&method, path), needed, "{method} {path}");
        }
        assert!(OperatorRole::Read < OperatorRole::Pause && OperatorRole::Pause < OperatorRole::Admin);
    }

    #[test]
    fn only_a_browser_that_opens_the_operators_address_gets_the_page() {
        let wants = |method: Method, path: &str, accept: &str| {
            let request = Request::builder().method(method).uri(path).header(header::ACCEPT, accept);
            wants_page(&request.body(axum::body::Body::empty()).unwrap())
        };
        assert!(wants(Method::GET, "/operator", "text/html,application/xhtml+xml"));
        assert!(!wants(Method::GET, "/operator", "application/json"));
        assert!(!wants(Method::GET, "/operator/orders", "text/html"));
        assert!(!wants(Method::POST, "/operator", "text/html"));
    }

    #[test]
    fn only_bearer_tokens_are_read() {
        let read = |text: &'static str| bearer(&HeaderValue::from_static(text)).map(str::to_owned);
        assert_eq!(read("Bearer abc").as_deref(), Some("abc"));
        assert_eq!(read("bearer  abc").as_deref(), Some("abc"));
        assert_eq!(read("Basic abc"), None);
        assert_eq!(read("abc"), None);
    }
}
