use std::time::{Duration, Instant};

use alloy_primitives::hex;
use causeway_http_client::{client_with, error_message};
use jiff::Timestamp;
use reqwest::{Client, Url};

use super::CheckConfig;
use crate::remote::config::endpoint;
use crate::remote::{DEADLINE, NONCE, RemoteError, SIGNATURE, Secret, TIMESTAMP};

/// Far longer than any response may take.
const TIMEOUT: Duration = Duration::from_secs(15);
const MAX_RESPONSE_BYTES: usize = 64 * 1024;

/// The deadline sent to the filler, unless a rule tests it.
const DEFAULT_DEADLINE: Duration = Duration::from_secs(5);

/// Sends valid and invalid requests to a filler.
pub(super) struct Probe {
    client: Client,
    secret: Secret,
    quote: Url,
    orders: Url,
}

/// A correctly signed request, which a rule may alter.
#[derive(Clone, Debug)]
pub(super) struct ProbeRequest {
    pub(super) url: Url,
    pub(super) timestamp: String,
    pub(super) nonce: String,
    pub(super) signature: Option<String>,
    pub(super) deadline: Duration,
    pub(super) body: Vec<u8>,
}

/// The response to a probe.
#[derive(Clone, Debug)]
pub(super) struct ProbeResponse {
    pub(super) status: u16,
    pub(super) is_json: bool,
    pub(super) signature: String,
    pub(super) body: Vec<u8>,
    pub(super) elapsed: Duration,
}

impl Probe {
    pub(super) fn new(config: &CheckConfig) -> Result<Self, RemoteError> {
        // A connection for each request: a filler may close one after refusing its body, and the next request must not meet that.
        let client =
            client_with(TIMEOUT, |builder| builder.http1_only().no_proxy().pool_max_idle_per_host(0))?;
        let (quote, orders) = (endpoint(&config.url, "quote")?, endpoint(&config.url, "orders")?);
        Ok(Self { client, secret: config.secret.clone(), quote, orders })
    }

    /// Fails where nothing answers at all; what it answers is another matter.
    pub(super) async fn reach(&self) -> Result<(), String> {
        match self.client.get(self.quote.clone()).send().await {
            Err(error) if error.is_connect() => Err(error_message(error)),
            _ => Ok(()),
        }
    }

    pub(super) fn quote(&self, body: Vec<u8>) -> ProbeRequest {
        self.request(&self.quote, Timestamp::now().as_second(), body)
    }

    /// Signed with a clock that is off by that many seconds.
    pub(super) fn quote_at(&self, seconds_off: i64, body: Vec<u8>) -> ProbeRequest {
        self.request(&self.quote, Timestamp::now().as_second().saturating_add(seconds_off), body)
    }

    pub(super) fn order(&self, body: Vec<u8>) -> ProbeRequest {
        self.request(&self.orders, Timestamp::now().as_second(), body)
    }

    fn request(&self, url: &Url, second: i64, body: Vec<u8>) -> ProbeRequest {
        let mut random = [0; 16];
        // Without randomness the nonce repeats, and the filler rejects it.
        let _ = getrandom::fill(&mut random);
        let (timestamp, nonce) = (second.to_string(), hex::encode(random));
        let signature = self.secret.sign_request(&timestamp, &nonce, url.path(), &body);
        let (url, signature) = (url.clone(), Some(signature));
        ProbeRequest { url, timestamp, nonce, signature, deadline: DEFAULT_DEADLINE, body }
    }

    pub(super) async fn send(&self, request: &ProbeRequest) -> Result<ProbeResponse, String> {
        let started = Instant::now();
        let mut call = self
            .client
            .post(request.url.clone())
            .header("content-type", "application/json")
            .header(TIMESTAMP, &request.timestamp)
            .header(NONCE, &request.nonce)
            .header(DEADLINE, request.deadline.as_millis().to_string())
            .body(request.body.clone());
        if let Some(signature) = &request.signature {
            call = call.header(SIGNATURE, signature);
        }
        let reply = call.send().await.map_err(|error| format!("no response: {}", error_message(error)))?;
        let header = |name: &str| reply.headers().get(name).and_then(|value| value.to_str().ok());
        let (status, is_json) = (
            reply.status().as_u16(),
            header("content-type").is_some_and(|kind| kind.starts_with("application/json")),
        );
        let signature = header(SIGNATURE).unwrap_or_default().to_owned();
        let body = causeway_http_client::read_body(reply, MAX_RESPONSE_BYTES)
            .await
            .map_err(|error| error.to_string())?;
        Ok(ProbeResponse { status, is_json, signature, body, elapsed: started.elapsed() })
    }

    /// The body of a response that the service would accept.
    pub(super) async fn answer(&self, request: &ProbeRequest) -> Result<Vec<u8>, String> {
        let response = self.send(request).await?;
        self.verify_response(request, &response)?;
        Ok(response.body)
    }

    pub(super) fn verify_response(
        &self,
        request: &ProbeRequest,
        response: &ProbeResponse,
    ) -> Result<(), String> {
        if response.status != 200 {
            return Err(format!("status {}: {}", response.status, response.text()));
        }
        if !response.is_json {
            return Err("a content-type other than application/json".to_owned());
        }
        if response.signature.is_empty() {
            return Err(format!("a response without {SIGNATURE}"));
        }
        if !self.secret.has_signed_answer(
            &request.nonce,
            response.status,
            &response.body,
            &response.signature,
        ) {
            return Err("a signature that does not match this response".to_owned());
        }
        Ok(())
    }

    /// Expects one of these statuses.
    pub(super) async fn expect_status(&self, request: &ProbeRequest, statuses: &[u16]) -> Result<(), String> {
        let response = self.send(request).await?;
        if statuses.contains(&response.status) {
            return Ok(());
        }
        Err(format!("status {}: {}", response.status, response.text()))
    }
}

impl ProbeResponse {
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).chars().filter(|c| !c.is_control()).take(160).collect()
    }
}
