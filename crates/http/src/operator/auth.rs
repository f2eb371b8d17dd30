use std::fmt;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use subtle::ConstantTimeEq as _;

use crate::App;
use crate::error::ApiError;
use crate::pages;

/// The secret token of the operator API.
#[derive(Clone)]
pub struct OperatorToken(String);

impl OperatorToken {
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    /// Compares in constant time.
    fn matches(&self, given: &str) -> bool {
        self.0.as_bytes().ct_eq(given.as_bytes()).into()
    }
}

impl fmt::Debug for OperatorToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OperatorToken(***)")
    }
}

/// Rejects requests without the operator token. Browsers get the page that asks for it.
pub(super) async fn require_token(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    if wants_page(&request) {
        return pages::operator_page(app.options.mode);
    }
    let given = request.headers().get(header::AUTHORIZATION).and_then(|value| bearer(value));
    let problem = match given {
        Some(given) if app.operator.token.matches(given) => return next.run(request).await,
        Some(_) => "The token is wrong.",
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
        let token = OperatorToken::new("right".to_owned());
        assert!(token.matches("right"));
        for wrong in ["", "righ", "right ", "rights", "Right"] {
            assert!(!token.matches(wrong), "{wrong}");
        }
        assert!(!format!("{token:?}").contains("right"));
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
