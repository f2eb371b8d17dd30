use std::collections::BTreeMap;

use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{RequestBuilder, Url};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::{Duration, timeout};

use super::WalletError;
use crate::http;

const PATIENCE: Duration = Duration::from_secs(15);
/// Blocks with tens of thousands of hashes fit; an endpoint that sends more must not fill the caller's memory.
const LARGEST_ANSWER: usize = 8 * 1024 * 1024;

/// The chains' endpoints, asked over JSON-RPC.
#[derive(Clone, Debug)]
pub(super) struct Endpoints {
    http: reqwest::Client,
    urls: BTreeMap<u64, Url>,
}

#[derive(Deserialize)]
struct RpcAnswer<T> {
    result: Option<T>,
    error: Option<RpcError>,
}

#[derive(Deserialize)]
struct RpcError {
    message: String,
}

impl Endpoints {
    pub(super) fn new() -> Result<Self, WalletError> {
        let http = http::connections(HeaderMap::new()).map_err(WalletError::Other)?;
        Ok(Self { http, urls: BTreeMap::new() })
    }

    pub(super) fn insert(&mut self, chain_id: u64, url: &str) -> Result<(), WalletError> {
        let url = Url::parse(url)
            .map_err(|_| WalletError::Endpoint { chain_id, message: format!("{url:?} is no URL") })?;
        self.urls.insert(chain_id, url);
        Ok(())
    }

    /// Asks; `None` is the chain's `null`.
    pub(super) async fn find<T: DeserializeOwned>(
        &self,
        chain_id: u64,
        method: &str,
        params: Value,
    ) -> Result<Option<T>, WalletError> {
        let url = self.urls.get(&chain_id).ok_or(WalletError::NoEndpoint(chain_id))?;
        let fault = |message: String| WalletError::Endpoint { chain_id, message };
        let question = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let request =
            self.http.post(url.clone()).header(CONTENT_TYPE, "application/json").body(question.to_string());
        let body = timeout(PATIENCE, read(request))
            .await
            .map_err(|_| fault("it did not answer in time".to_owned()))?
            // The address may hold a key.
            .map_err(|error| fault(error.without_url().to_string()))?
            .ok_or_else(|| fault(format!("it answers {method} with more than {LARGEST_ANSWER} bytes")))?;
        let answer: RpcAnswer<T> = serde_json::from_slice(&body)
            .map_err(|error| fault(format!("{method} is not answered as JSON-RPC: {error}")))?;
        match answer.error {
            Some(RpcError { message }) => Err(WalletError::Refused { chain_id, message }),
            None => Ok(answer.result),
        }
    }

    pub(super) async fn ask<T: DeserializeOwned>(
        &self,
        chain_id: u64,
        method: &str,
        params: Value,
    ) -> Result<T, WalletError> {
        let nothing =
            || WalletError::Endpoint { chain_id, message: format!("{method} is answered with nothing") };
        self.find(chain_id, method, params).await?.ok_or_else(nothing)
    }
}

/// The whole answer; `None` where it is too large.
async fn read(request: RequestBuilder) -> Result<Option<Vec<u8>>, reqwest::Error> {
    let (mut response, mut body) = (request.send().await?, Vec::new());
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > LARGEST_ANSWER {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
}
