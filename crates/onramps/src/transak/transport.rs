//! Transak's API calls.

use std::sync::Arc;
use std::time::Instant;

use causeway_domain::ports::{FiatStore, RampError, RampToken};
use jiff::{SignedDuration, Timestamp};
use reqwest::StatusCode;

use super::config::TransakConfig;
use super::tokens::{AccessTokens, try_count_fetch};
use super::wire::{
    CountryJson, CryptoJson, Data, ErrorJson, FiatJson, OrderJson, QuoteJson, Response, SessionJson,
    SessionRequest, TokenJson, TokenRequest,
};
use crate::secret::SecretText;
use crate::transport::{ApiRequest, ApiResponse, RetryPolicy, Transport, sanitize};

/// Its list of tokens is long.
const MAX_LIST_BYTES: usize = 8 * 1024 * 1024;

const TOKEN_HEADER: &str = "access-token";

/// The key under which the token is shared.
const PROVIDER: &str = "transak";

/// Attempts with different tokens: ours, the shared one, and a new one.
const MAX_ATTEMPTS: u32 = 3;

/// Transak's API with its access tokens.
pub(super) struct TransakApi {
    config: TransakConfig,
    api: String,
    gateway: String,
    transport: Transport,
    tokens: AccessTokens,
    /// The store in which replicas share their token.
    shared_tokens: Option<Arc<dyn FiatStore>>,
}

impl TransakApi {
    pub(super) fn new(config: TransakConfig, retry_policy: RetryPolicy) -> Result<Self, String> {
        let (api, gateway) = (config.api(), config.gateway());
        Ok(Self {
            config,
            api,
            gateway,
            transport: Transport::new(retry_policy)?,
            tokens: AccessTokens::default(),
            shared_tokens: None,
        })
    }

    pub(super) const fn config(&self) -> &TransakConfig {
        &self.config
    }

    pub(super) async fn coins(&self) -> Result<Vec<CryptoJson>, RampError> {
        let url = format!("{}/cryptocoverage/api/v1/public/crypto-currencies", self.api);
        let list: Response<_> =
            self.transport.get_json(&ApiRequest::get(url).max_bytes(MAX_LIST_BYTES)).await?;
        Ok(list.response)
    }

    pub(super) async fn fiats(&self) -> Result<Vec<FiatJson>, RampError> {
        let query = query([("apiKey", self.config.api_key.as_str())]);
        let url = format!("{}/api/v2/lookup/currencies/fiat-currencies?{query}", self.gateway);
        let list: Response<_> =
            self.transport.get_json(&ApiRequest::get(url).max_bytes(MAX_LIST_BYTES)).await?;
        Ok(list.response)
    }

    pub(super) async fn countries(&self) -> Result<Vec<CountryJson>, RampError> {
        let url = format!("{}/api/v2/countries", self.api);
        let list: Response<_> =
            self.transport.get_json(&ApiRequest::get(url).max_bytes(MAX_LIST_BYTES)).await?;
        Ok(list.response)
    }

    /// A quote, or Transak's reason for refusing it.
    pub(super) async fn quote(
        &self,
        params: &[(&str, &str)],
    ) -> Result<Result<QuoteJson, String>, RampError> {
        let key = [("partnerApiKey", self.config.api_key.as_str())];
        let query = query(key.into_iter().chain(params.iter().copied()));
        let url = format!("{}/api/v1/pricing/public/quotes?{query}", self.api);
        let response = self.transport.send(&ApiRequest::get(url)).await?;
        if response.status.is_success() {
            return Ok(Ok(response.json::<Response<_>>()?.response));
        }
        check_credentials(&response)?;
        let message = response.json::<ErrorJson>().map(|message| sanitize(&message.error.message));
        Ok(Err(message.unwrap_or_else(|_| format!("it returned {}", response.status))))
    }

    /// A checkout URL, valid for five minutes and one visit.
    pub(super) async fn session(&self, request: &SessionRequest<'_>) -> Result<SessionJson, RampError> {
        let url = format!("{}/api/v2/auth/session", self.gateway);
        // A session buys nothing, so a retry is harmless.
        let request = ApiRequest::post(url, request)?.retryable();
        let response = self.send_authorized(&request).await?;
        if !response.status.is_success() {
            check_credentials(&response)?;
            let message = response.json::<ErrorJson>().map(|message| sanitize(&message.error.message));
            let message = message.unwrap_or_else(|_| response.status.to_string());
            return Err(RampError::Unavailable(format!("it opened no checkout: {message}")));
        }
        Ok(response.json::<Data<_>>()?.data)
    }

    /// The purchases of an order id.
    pub(super) async fn orders(&self, order: &str, from: Timestamp) -> Result<Vec<OrderJson>, RampError> {
        // The provider's day may start at another hour.
        let from = from.checked_sub(SignedDuration::from_hours(24)).unwrap_or(from);
        let day = from.strftime("%Y-%m-%d").to_string();
        let query = query([
            ("limit", "20"),
            ("startDate", day.as_str()),
            ("filter[productsAvailed]", "[\"BUY\"]"),
            ("filter[partnerOrderId]", order),
        ]);
        let request = ApiRequest::get(format!("{}/partners/api/v2/orders?{query}", self.api));
        let response = self.send_authorized(&request).await?;
        if response.status == StatusCode::NOT_FOUND {
            return Ok(Vec::new());
        }
        if !response.status.is_success() {
            check_credentials(&response)?;
            return Err(RampError::Unavailable(format!("it returned {}", response.status)));
        }
        Ok(response.json::<Data<_>>()?.data)
    }

    /// The keys that may have signed a webhook.
    pub(super) fn webhook_keys(&self) -> Vec<SecretText> {
        self.tokens.all()
    }

    #[cfg(any(test, fuzzing))]
    pub(super) fn add_webhook_key(&self, key: &str) {
        let shared = RampToken { text: key.to_owned(), ends: i64::MAX };
        let _ = self.tokens.adopt_shared(&shared, Timestamp::now());
    }

    /// Shares tokens with the other replicas.
    pub(super) fn set_shared_tokens(&mut self, tokens: Arc<dyn FiatStore>) {
        self.shared_tokens = Some(tokens);
    }

    /// Adopts the token that another replica has fetched, if there is one.
    async fn adopt_shared_token(&self) -> Option<SecretText> {
        let shared_tokens = self.shared_tokens.as_ref()?;
        match shared_tokens.ramp_token(PROVIDER).await {
            Ok(token) => self.tokens.adopt_shared(&token?, Timestamp::now()),
            Err(error) => {
                tracing::warn!(%error, "cannot read the shared access token");
                None
            }
        }
    }

    /// Adopts a newer shared token if there is one: webhooks are signed with the newest.
    pub(super) async fn sync_token(&self) -> Result<(), RampError> {
        let guard = self.tokens.recent_fetches.lock().await;
        let adopted = self.adopt_shared_token().await;
        drop(guard);
        if adopted.is_some() { Ok(()) } else { self.token().await.map(drop) }
    }

    /// A valid token: ours, else the shared one, else a new one.
    async fn token(&self) -> Result<SecretText, RampError> {
        if let Some(token) = self.tokens.valid_token(Timestamp::now()) {
            return Ok(token);
        }
        let mut fetched = self.tokens.recent_fetches.lock().await;
        if let Some(token) = self.tokens.valid_token(Timestamp::now()) {
            return Ok(token);
        }
        if let Some(token) = self.adopt_shared_token().await {
            return Ok(token);
        }
        if !try_count_fetch(&mut fetched, Instant::now()) {
            let message =
                "another user of the same API keys keeps invalidating our access tokens; fetching is paused";
            return Err(RampError::Unavailable(message.to_owned()));
        }
        let url = format!("{}/partners/api/v2/refresh-token", self.api);
        let request = ApiRequest::post(url, &TokenRequest { api_key: &self.config.api_key })?;
        let request = request.retryable().secret_header("api-secret", &self.config.api_secret)?;
        let response = self.transport.send(&request).await?;
        check_credentials(&response)?;
        if !response.status.is_success() {
            return Err(RampError::Unavailable(format!("it issued no access token: {}", response.status)));
        }
        let new: Data<TokenJson> = response.json()?;
        let ends = new.data.expires_at;
        let token = self.tokens.store(new, Timestamp::now())?;
        if let Some(shared_tokens) = &self.shared_tokens {
            let ramp_token = RampToken { text: token.reveal().to_owned(), ends };
            if let Err(error) = shared_tokens.put_ramp_token(PROVIDER, &ramp_token).await {
                tracing::warn!(%error, "cannot share the new access token with the other replicas");
            }
        }
        Ok(token)
    }

    /// Sends a request with the access token, and retries with the shared or a new token when Transak rejects it.
    async fn send_authorized(&self, request: &ApiRequest) -> Result<ApiResponse, RampError> {
        let mut attempts = 1;
        loop {
            let token = self.token().await?;
            let response = self.transport.send(&request.clone().secret_header(TOKEN_HEADER, &token)?).await?;
            if response.status != StatusCode::UNAUTHORIZED {
                return Ok(response);
            }
            self.tokens.mark_rejected(&token);
            if attempts == MAX_ATTEMPTS {
                return Ok(response);
            }
            attempts += 1;
        }
    }
}

/// Rejected credentials are reported to the operator, not to the payer.
fn check_credentials(response: &ApiResponse) -> Result<(), RampError> {
    if matches!(response.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
        let message =
            "it rejected our API keys; check them, and that this server's IP address is allowed there";
        return Err(RampError::Unavailable(message.to_owned()));
    }
    Ok(())
}

fn query<'a>(params: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(params).finish()
}
