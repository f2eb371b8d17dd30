use std::time::{Duration, Instant};

use alloy_primitives::hex;
use causeway_outbound::{client_with, words};
use jiff::Timestamp;
use reqwest::{Client, Url};

use super::CheckConfig;
use crate::remote::config::place;
use crate::remote::{DEADLINE, NONCE, RemoteError, SIGNATURE, Secret, TIMESTAMP};

/// Far more than any answer may take.
const PATIENCE: Duration = Duration::from_secs(15);
const LONGEST_ANSWER: usize = 64 * 1024;

/// How long the filler is told that it has, unless a rule is about that.
const USUAL_DEADLINE: Duration = Duration::from_secs(5);

/// Calls a filler in ways that the service never would.
pub(super) struct Probe {
    client: Client,
    secret: Secret,
    quote: Url,
    orders: Url,
}

/// A call that is signed as it should be until something is changed of it.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) url: Url,
    pub(super) timestamp: String,
    pub(super) nonce: String,
    pub(super) signature: Option<String>,
    pub(super) deadline: Duration,
    pub(super) body: Vec<u8>,
}

/// What came back.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) status: u16,
    pub(super) is_json: bool,
    pub(super) signature: String,
    pub(super) body: Vec<u8>,
    pub(super) took: Duration,
}

impl Probe {
    pub(super) fn new(config: &CheckConfig) -> Result<Self, RemoteError> {
        let client = client_with(PATIENCE, |usual| usual.http1_only().no_proxy())?;
        let (quote, orders) = (place(&config.url, "quote")?, place(&config.url, "orders")?);
        Ok(Self { client, secret: config.secret.clone(), quote, orders })
    }

    pub(super) fn quote(&self, body: Vec<u8>) -> Draft {
        self.draft(&self.quote, Timestamp::now().as_second(), body)
    }

    /// As somebody would sign it whose clock is that many seconds off.
    pub(super) fn quote_at(&self, seconds_off: i64, body: Vec<u8>) -> Draft {
        self.draft(&self.quote, Timestamp::now().as_second().saturating_add(seconds_off), body)
    }

    pub(super) fn order(&self, body: Vec<u8>) -> Draft {
        self.draft(&self.orders, Timestamp::now().as_second(), body)
    }

    fn draft(&self, url: &Url, second: i64, body: Vec<u8>) -> Draft {
        let mut random = [0; 16];
        // Without randomness the nonce repeats, and the filler says so.
        let _ = getrandom::fill(&mut random);
        let (timestamp, nonce) = (second.to_string(), hex::encode(random));
        let signature = self.secret.sign_request(&timestamp, &nonce, url.path(), &body);
        let (url, signature) = (url.clone(), Some(signature));
        Draft { url, timestamp, nonce, signature, deadline: USUAL_DEADLINE, body }
    }

    pub(super) async fn send(&self, draft: &Draft) -> Result<Seen, String> {
        let begun = Instant::now();
        let mut request = self
            .client
            .post(draft.url.clone())
            .header("content-type", "application/json")
            .header(TIMESTAMP, &draft.timestamp)
            .header(NONCE, &draft.nonce)
            .header(DEADLINE, draft.deadline.as_millis().to_string())
            .body(draft.body.clone());
        if let Some(signature) = &draft.signature {
            request = request.header(SIGNATURE, signature);
        }
        let response = request.send().await.map_err(|error| format!("no answer: {}", words(error)))?;
        let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
        let (status, is_json) = (
            response.status().as_u16(),
            header("content-type").is_some_and(|kind| kind.starts_with("application/json")),
        );
        let signature = header(SIGNATURE).unwrap_or_default().to_owned();
        let body =
            causeway_outbound::body(response, LONGEST_ANSWER).await.map_err(|error| error.to_string())?;
        Ok(Seen { status, is_json, signature, body, took: begun.elapsed() })
    }

    /// The body of an answer as the service would let it in.
    pub(super) async fn answer(&self, draft: &Draft) -> Result<Vec<u8>, String> {
        let seen = self.send(draft).await?;
        self.let_in(draft, &seen)?;
        Ok(seen.body)
    }

    pub(super) fn let_in(&self, draft: &Draft, seen: &Seen) -> Result<(), String> {
        if seen.status != 200 {
            return Err(format!("status {}: {}", seen.status, seen.text()));
        }
        if !seen.is_json {
            return Err("a content-type other than application/json".to_owned());
        }
        if seen.signature.is_empty() {
            return Err(format!("an answer without {SIGNATURE}"));
        }
        if !self.secret.has_signed_answer(&draft.nonce, seen.status, &seen.body, &seen.signature) {
            return Err("a signature that is not this answer's".to_owned());
        }
        Ok(())
    }

    /// Demands one of these statuses.
    pub(super) async fn refuses(&self, draft: &Draft, statuses: &[u16]) -> Result<(), String> {
        let seen = self.send(draft).await?;
        if statuses.contains(&seen.status) {
            return Ok(());
        }
        Err(format!("status {}: {}", seen.status, seen.text()))
    }
}

impl Seen {
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).chars().filter(|c| !c.is_control()).take(160).collect()
    }
}
