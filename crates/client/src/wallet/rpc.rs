use std::collections::BTreeMap;

use causeway_http_client::{ResponseError, read_body};
use reqwest::Url;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::{Duration, timeout};

use super::WalletError;
use crate::http;

const TIMEOUT: Duration = Duration::from_secs(15);
/// Enough for blocks with tens of thousands of hashes. The limit protects the memory of the caller.
const MAX_RESPONSE_BYTES: usize = 8 * 1024 * 1024;

/// The JSON-RPC endpoints of the chains.
#[derive(Clone, Debug)]
pub(super) struct Endpoints {
    http: reqwest::Client,
    urls: BTreeMap<u64, Url>,
}

#[derive(Deserialize)]
struct RpcResponse<T> {
    result: Option<T>,
    error: Option<RpcError>,
}

#[derive(Deserialize)]
struct RpcError {
    message: String,
}

impl Endpoints {
    pub(super) fn new() -> Result<Self, WalletError> {
        let http = http::build_client(HeaderMap::new()).map_err(WalletError::Other)?;
        Ok(Self { http, urls: BTreeMap::new() })
    }

    pub(super) fn insert(&mut self, chain_id: u64, url: &str) -> Result<(), WalletError> {
        let url = Url::parse(url)
            .map_err(|_| WalletError::Endpoint { chain_id, message: format!("{url:?} is not a URL") })?;
        self.urls.insert(chain_id, url);
        Ok(())
    }

    /// Sends a request; a `null` result is `None`.
    pub(super) async fn find<T: DeserializeOwned>(
        &self,
        chain_id: u64,
        method: &str,
        params: Value,
    ) -> Result<Option<T>, WalletError> {
        let url = self.urls.get(&chain_id).ok_or(WalletError::NoEndpoint(chain_id))?;
        let fault = |message: String| WalletError::Endpoint { chain_id, message };
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let request =
            self.http.post(url.clone()).header(CONTENT_TYPE, "application/json").body(body.to_string());
        let exchange = async {
            let response = request.send().await.map_err(ResponseError::Interrupted)?;
            read_body(response, MAX_RESPONSE_BYTES).await
        };
        let bytes = timeout(TIMEOUT, exchange)
            .await
            .map_err(|_| fault("it did not answer in time".to_owned()))?
            .map_err(|error| match error {
                ResponseError::TooLong(limit) => {
                    fault(format!("it answers {method} with more than {limit} bytes"))
                }
                // The URL may contain an API key.
                ResponseError::Interrupted(error) => fault(error.without_url().to_string()),
            })?;
        let answer: RpcResponse<T> = serde_json::from_slice(&bytes)
            .map_err(|error| fault(format!("{method} is not answered as JSON-RPC: {error}")))?;
        match answer.error {
            Some(RpcError { message }) => Err(WalletError::Refused { chain_id, message }),
            None => Ok(answer.result),
        }
    }

    pub(super) async fn request<T: DeserializeOwned>(
        &self,
        chain_id: u64,
        method: &str,
        params: Value,
    ) -> Result<T, WalletError> {
        let missing =
            || WalletError::Endpoint { chain_id, message: format!("{method} is answered with nothing") };
        self.find(chain_id, method, params).await?.ok_or_else(missing)
    }
}
