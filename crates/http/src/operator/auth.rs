use std::fmt;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use subtle::ConstantTimeEq as _;

use crate::App;
use crate::error::ApiError;

/// The words that let an operator in.
#[derive(Clone)]
pub struct OperatorToken(String);

impl OperatorToken {
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    /// Takes as long for a near miss as for a wild guess.
    fn is(&self, given: &str) -> bool {
        self.0.as_bytes().ct_eq(given.as_bytes()).into()
    }
}

impl fmt::Debug for OperatorToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OperatorToken(***)")
    }
}

/// Lets nobody pass without the token.
pub(super) async fn require_token(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let given = request.headers().get(header::AUTHORIZATION).and_then(|value| bearer(value));
    let problem = match given {
        Some(given) if app.operator.token.is(given) => return next.run(request).await,
        Some(_) => "The token is not this service's.",
        None => "Operators send their token: `Authorization: Bearer TOKEN`.",
    };
    let message = format!(
        "{problem} It is what `server.operator_token` or CAUSEWAY_OPERATOR_TOKEN says, and otherwise lies in the file \
         `operator-token` of the service's data folder."
    );
    let mut refusal = ApiError::unauthorized(message).into_response();
    refusal.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    refusal
}

fn bearer(value: &HeaderValue) -> Option<&str> {
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_the_token() {
        let token = OperatorToken::new("right".to_owned());
        assert!(token.is("right"));
        for wrong in ["", "righ", "right ", "rights", "Right"] {
            assert!(!token.is(wrong), "{wrong}");
        }
        assert!(!format!("{token:?}").contains("right"));
    }

    #[test]
    fn a_bearer_is_read_and_other_schemes_are_not() {
        let read = |text: &'static str| bearer(&HeaderValue::from_static(text)).map(str::to_owned);
        assert_eq!(read("Bearer abc").as_deref(), Some("abc"));
        assert_eq!(read("bearer  abc").as_deref(), Some("abc"));
        assert_eq!(read("Basic abc"), None);
        assert_eq!(read("abc"), None);
    }
}
