use std::fmt;
use std::time::Duration;

use alloy_primitives::hex;
use async_trait::async_trait;
use causeway_domain::Address;
use causeway_domain::ports::{Hit, Screen, ScreenError, ScreenRequest};
use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::Timestamp;
use reqwest::Client;
use reqwest::header::CONTENT_TYPE;
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use thiserror::Error;

/// The name of this screening.
const NAME: &str = "hook";

/// Maximum response size.
const MAX_RESPONSE_BYTES: usize = 16 * 1024;

/// The signature header: `t=SECONDS,s=HEX`, an HMAC-SHA256 over the time, a dot and the body.
const SIGNATURE_HEADER: &str = "x-causeway-signature";

/// The hook to call.
#[derive(Clone)]
pub struct HookConfig {
    pub url: String,
    /// Signs requests; they are unsigned when absent.
    pub secret: Option<String>,
    pub timeout: Duration,
}

impl fmt::Debug for HookConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookConfig").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

/// An invalid hook configuration.
#[derive(Debug, Error)]
pub enum HookError {
    /// The URL is omitted, because it may contain a key.
    #[error("it is not an http or https address")]
    Url,
    #[error("the secret is empty; leave it out, or name one")]
    Secret,
    #[error(transparent)]
    Client(#[from] causeway_http_client::SetupError),
}

/// Calls a screening service of the operator.
#[derive(Debug)]
pub struct Hook {
    config: HookConfig,
    client: Client,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HookRequest {
    deal: &'static str,
    wallets: Vec<String>,
    asset: Asset,
    /// In base units.
    amount: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Asset {
    chain_id: u64,
    address: String,
}

#[derive(Deserialize)]
struct Verdict {
    allow: bool,
    wallet: Option<String>,
    reason: Option<String>,
}

impl Hook {
    pub fn new(config: HookConfig) -> Result<Self, HookError> {
        let address = reqwest::Url::parse(&config.url).ok();
        if !address.is_some_and(|address| ["http", "https"].contains(&address.scheme())) {
            return Err(HookError::Url);
        }
        if config.secret.as_ref().is_some_and(String::is_empty) {
            return Err(HookError::Secret);
        }
        let client = causeway_http_client::client(config.timeout)?;
        Ok(Self { config, client })
    }

    async fn call(&self, request: &ScreenRequest) -> Result<Verdict, String> {
        let hook_request = HookRequest {
            deal: request.kind.as_str(),
            wallets: request.wallets.iter().map(ToString::to_string).collect(),
            asset: Asset {
                chain_id: request.asset.chain().get(),
                address: request.asset.address().to_string(),
            },
            amount: request.amount.to_string(),
        };
        let body = serde_json::to_vec(&hook_request).map_err(|error| error.to_string())?;
        let mut http_request = self.client.post(&self.config.url).header(CONTENT_TYPE, "application/json");
        if let Some(signature) = self.signature(&body, Timestamp::now()) {
            http_request = http_request.header(SIGNATURE_HEADER, signature);
        }
        let response = http_request.body(body).send().await.map_err(causeway_http_client::error_message)?;
        let status = response.status();
        if status != reqwest::StatusCode::OK {
            return Err(format!("it answered {status}"));
        }
        let body = causeway_http_client::read_body(response, MAX_RESPONSE_BYTES)
            .await
            .map_err(|error| error.to_string())?;
        serde_json::from_slice(&body).map_err(|error| format!("it returned an invalid verdict: {error}"))
    }

    fn signature(&self, body: &[u8], now: Timestamp) -> Option<String> {
        let secret = self.config.secret.as_ref()?;
        let seconds = now.as_second().to_string();
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).ok()?;
        for part in [seconds.as_bytes(), b".", body] {
            mac.update(part);
        }
        Some(format!("t={seconds},s={}", hex::encode(mac.finalize().into_bytes())))
    }
}

#[async_trait]
impl Screen for Hook {
    async fn screen(&self, request: &ScreenRequest) -> Result<Option<Hit>, ScreenError> {
        let failed = |reason| ScreenError { by: NAME.to_owned(), reason };
        let verdict = self.call(request).await.map_err(failed)?;
        if verdict.allow {
            return Ok(None);
        }
        let wallet = verdict.wallet.as_deref().and_then(Address::parse_any);
        let reason = verdict.reason.unwrap_or_else(|| "no reason given".to_owned());
        Ok(Some(Hit {
            wallet: wallet.filter(|wallet| request.wallets.contains(wallet)),
            by: NAME.to_owned(),
            reason: reason.chars().take(500).collect(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use axum::Router;
    use axum::http::{HeaderMap, StatusCode};
    use axum::response::{IntoResponse as _, Redirect, Response};
    use axum::routing::post;
    use causeway_domain::ports::OrderKind;
    use causeway_domain::{ChainId, RawAmount, TokenId};
    use tokio::net::TcpListener;

    use super::*;

    type Seen = Arc<Mutex<Vec<(Option<String>, String)>>>;

    /// A hook with a fixed response that records its requests.
    async fn answering(answer: fn() -> Response) -> (Hook, Seen) {
        let seen = Seen::default();
        let recorded = Arc::clone(&seen);
        let handle = move |headers: HeaderMap, body: String| async move {
            let signature = headers.get(SIGNATURE_HEADER).map(|value| value.to_str().unwrap().to_owned());
            recorded.lock().unwrap().push((signature, body));
            answer()
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/screen", listener.local_addr().unwrap());
        let router = Router::new().route("/screen", post(handle));
        tokio::spawn(async move { axum::serve(listener, router).await });
        let config = HookConfig { url, secret: Some("sesame".to_owned()), timeout: Duration::from_secs(5) };
        (Hook::new(config).unwrap(), seen)
    }

    fn request() -> ScreenRequest {
        let asset = TokenId::native(ChainId::new(8453).unwrap());
        let wallets = vec![Address::Evm([1; 20].into()), Address::Solana([2; 32])];
        ScreenRequest {
            kind: OrderKind::Purchase,
            wallets,
            asset,
            amount: RawAmount::from_decimal("12", 0).unwrap(),
        }
    }

    #[tokio::test]
    async fn the_signed_request_has_wallets_asset_and_amount() {
        let (hook, seen) = answering(|| r#"{"allow":true}"#.into_response()).await;
        assert_eq!(hook.screen(&request()).await, Ok(None));
        let (signature, body) = seen.lock().unwrap().pop().unwrap();
        let seconds = signature.as_deref().and_then(|text| text[2..].split(',').next()).unwrap().to_owned();
        let at = Timestamp::from_second(seconds.parse().unwrap()).unwrap();
        assert_eq!(signature, hook.signature(body.as_bytes(), at));
        let body: serde_json::Value = serde_json::from_str(&body).unwrap();
        assert_eq!(body["deal"], "purchase");
        assert_eq!(body["amount"], "12");
        assert_eq!(body["asset"]["chainId"], 8453);
        assert_eq!(body["wallets"].as_array().unwrap().len(), 2);
    }

    #[tokio::test]
    async fn a_denial_is_a_hit_with_its_reason() {
        let response = || {
            r#"{"allow":false,"reason":"on a list","wallet":"0x0101010101010101010101010101010101010101"}"#
                .into_response()
        };
        let (hook, _) = answering(response).await;
        let hit = hook.screen(&request()).await.unwrap().unwrap();
        assert_eq!((hit.by.as_str(), hit.reason.as_str()), ("hook", "on a list"));
        assert_eq!(hit.wallet, Some(Address::Evm([1; 20].into())));
    }

    #[tokio::test]
    async fn an_invalid_verdict_is_an_error() {
        let responses: [fn() -> Response; 6] = [
            || "<html>".into_response(),
            || "{}".into_response(),
            || r#"{"allow":"yes"}"#.into_response(),
            || StatusCode::INTERNAL_SERVER_ERROR.into_response(),
            || Redirect::to("/elsewhere").into_response(),
            || format!(r#"{{"allow":true,"more":"{}"}}"#, "x".repeat(MAX_RESPONSE_BYTES)).into_response(),
        ];
        for response in responses {
            let (hook, _) = answering(response).await;
            assert!(hook.screen(&request()).await.is_err());
        }
        let url = "http://127.0.0.1:1/".to_owned();
        let unreachable =
            Hook::new(HookConfig { url, secret: None, timeout: Duration::from_secs(1) }).unwrap();
        assert!(unreachable.screen(&request()).await.is_err());
    }

    #[test]
    fn an_invalid_url_is_rejected_at_start() {
        for url in ["", "ftp://a", "screen.example"] {
            let config = HookConfig { url: url.to_owned(), secret: None, timeout: Duration::from_secs(1) };
            assert!(matches!(Hook::new(config), Err(HookError::Url)));
        }
    }
}
