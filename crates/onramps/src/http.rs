//! How providers are asked, in the words of this crate's errors.

use std::time::Duration;

use reqwest::{Client, Response};

/// The most that an answer may hold when nobody says otherwise.
const ANSWER_LIMIT: usize = 256 * 1024;

/// A client that follows no redirects and gives up after `timeout`.
pub(crate) fn client(timeout: Duration) -> Result<Client, String> {
    causeway_outbound::client(timeout).map_err(|error| error.to_string())
}

/// Reads an answer of bounded length.
pub(crate) async fn body(response: Response) -> Result<Vec<u8>, String> {
    body_up_to(response, ANSWER_LIMIT).await
}

/// Reads an answer of at most `limit` bytes.
pub(crate) async fn body_up_to(response: Response, limit: usize) -> Result<Vec<u8>, String> {
    causeway_outbound::body(response, limit).await.map_err(|error| error.to_string())
}
