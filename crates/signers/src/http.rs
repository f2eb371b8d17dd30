//! Requests to places that hold keys: limited in time and size, with failures in words.

use std::time::Duration;

use causeway_domain::ports::KeySignerError;
use causeway_http_client::{read_body, root_cause};
use reqwest::{Client, RequestBuilder, StatusCode};

/// The longest answer that is read; signatures and public keys are far shorter.
const MAX_ANSWER_BYTES: usize = 256 * 1024;

/// How much of an answer is told to people.
const MAX_TOLD: usize = 160;

/// A client whose requests end in time.
pub(crate) fn client(deadline: Duration) -> Result<Client, KeySignerError> {
    causeway_http_client::client(deadline)
        .map_err(|error| KeySignerError::Unreachable(error.reason().to_owned()))
}

/// The body of a successful answer.
pub(crate) async fn ask(request: RequestBuilder, deadline: Duration) -> Result<Vec<u8>, KeySignerError> {
    let failed = |error: reqwest::Error| {
        if error.is_timeout() {
            KeySignerError::Slow(deadline)
        } else {
            KeySignerError::Unreachable(root_cause(error))
        }
    };
    let response = request.send().await.map_err(failed)?;
    let status = response.status();
    let body = read_body(response, MAX_ANSWER_BYTES).await;
    if status.is_success() {
        return body.map_err(|error| KeySignerError::InvalidAnswer(error.to_string()));
    }
    let words = format!("{}{}", status.as_u16(), told(&body.unwrap_or_default()));
    let later = status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS;
    Err(if later { KeySignerError::Unreachable(words) } else { KeySignerError::Refused(words) })
}

/// What an answer says, for people: one short line without control characters.
pub(crate) fn told(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let text = text.trim();
    if text.is_empty() {
        return String::new();
    }
    if text.starts_with('<') {
        return ", an HTML page".to_owned();
    }
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_TOLD).collect();
    format!(", {line}")
}
