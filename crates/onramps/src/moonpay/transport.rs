//! MoonPay's API calls.

use causeway_domain::ports::RampError;
use reqwest::StatusCode;
use serde::de::DeserializeOwned;

use super::config::MoonPayConfig;
use super::wire::{CountryJson, CurrencyJson, ErrorJson, LimitsJson, QuoteJson, TransactionJson};
use crate::transport::{ApiRequest, ApiResponse, RetryPolicy, Transport, sanitize};

/// Its list of currencies is long.
const MAX_LIST_BYTES: usize = 8 * 1024 * 1024;

/// A response, or MoonPay's reason for refusing.
pub(super) type ApiResult<T> = Result<T, String>;

/// MoonPay's API.
#[derive(Debug)]
pub(super) struct MoonPayApi {
    config: MoonPayConfig,
    api: String,
    transport: Transport,
}

impl MoonPayApi {
    pub(super) fn new(config: MoonPayConfig, retry_policy: RetryPolicy) -> Result<Self, String> {
        let api = config.api();
        Ok(Self { config, api, transport: Transport::new(retry_policy)? })
    }

    pub(super) const fn config(&self) -> &MoonPayConfig {
        &self.config
    }

    pub(super) async fn currencies(&self) -> Result<Vec<CurrencyJson>, RampError> {
        self.transport.get_json(&self.request("/v3/currencies", &[]).max_bytes(MAX_LIST_BYTES)).await
    }

    pub(super) async fn countries(&self) -> Result<Vec<CountryJson>, RampError> {
        self.transport.get_json(&self.request("/v3/countries", &[]).max_bytes(MAX_LIST_BYTES)).await
    }

    pub(super) async fn limits(
        &self,
        code: &str,
        params: &[(&str, &str)],
    ) -> Result<ApiResult<LimitsJson>, RampError> {
        self.send_or_refusal(
            &self.request(&format!("/v3/currencies/{}/limits", encode_segment(code)), params),
        )
        .await
    }

    pub(super) async fn quote(
        &self,
        code: &str,
        params: &[(&str, &str)],
    ) -> Result<ApiResult<QuoteJson>, RampError> {
        self.send_or_refusal(
            &self.request(&format!("/v3/currencies/{}/buy_quote", encode_segment(code)), params),
        )
        .await
    }

    /// The purchases of an order id; there may be several.
    pub(super) async fn transactions(&self, order: &str) -> Result<Vec<TransactionJson>, RampError> {
        let path = format!("/v1/transactions/ext/{}", encode_segment(order));
        let response = self.transport.send(&self.request(&path, &[])).await?;
        if response.status == StatusCode::NOT_FOUND {
            return Ok(Vec::new());
        }
        check_credentials(&response)?;
        if !response.status.is_success() {
            return Err(RampError::Unavailable(format!("it returned {}", response.status)));
        }
        response.json()
    }

    async fn send_or_refusal<T: DeserializeOwned>(
        &self,
        request: &ApiRequest,
    ) -> Result<ApiResult<T>, RampError> {
        let response = self.transport.send(request).await?;
        if response.status.is_success() {
            return response.json().map(Ok);
        }
        check_credentials(&response)?;
        let message = response.json::<ErrorJson>().map(|message| sanitize(&message.message));
        Ok(Err(message.unwrap_or_else(|_| format!("it returned {}", response.status))))
    }

    fn request(&self, path: &str, params: &[(&str, &str)]) -> ApiRequest {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("apiKey", &self.config.publishable_key).extend_pairs(params);
        ApiRequest::get(format!("{}{path}?{}", self.api, query.finish()))
    }
}

/// Rejected credentials are reported to the operator, not to the payer.
fn check_credentials(response: &ApiResponse) -> Result<(), RampError> {
    if matches!(response.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
        return Err(RampError::Unavailable("it rejected our API keys; check them".to_owned()));
    }
    Ok(())
}

/// Encodes a path segment.
fn encode_segment(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}
