use std::fmt;
use std::time::Duration;

use alloy_primitives::hex;
use async_trait::async_trait;
use causeway_domain::Address;
use causeway_domain::ports::{Hit, Screen, ScreenAsk, ScreenError};
use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::Timestamp;
use reqwest::Client;
use reqwest::header::CONTENT_TYPE;
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use thiserror::Error;

/// What this screening is called.
const NAME: &str = "hook";

/// The most that an answer may hold.
const LIMIT: usize = 16 * 1024;

/// The signature's header: `t=SECONDS,s=HEX`, an HMAC-SHA256 over the time, a point and the body.
const SIGNATURE: &str = "x-causeway-signature";

/// Whom to ask.
#[derive(Clone)]
pub struct HookConfig {
    pub url: String,
    /// What the questions are signed with; not at all when absent.
    pub secret: Option<String>,
    pub timeout: Duration,
}

impl fmt::Debug for HookConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookConfig").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

/// A hook that cannot be set up.
#[derive(Debug, Error)]
pub enum HookError {
    /// The text itself is left out: it may hold a key.
    #[error("it is not an http or https address")]
    Url,
    #[error("the secret is empty; leave it out, or name one")]
    Secret,
    #[error(transparent)]
    Client(#[from] causeway_outbound::SetupError),
}

/// Asks a service of the operator's own.
#[derive(Debug)]
pub struct Hook {
    config: HookConfig,
    client: Client,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Question {
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
        let client = causeway_outbound::client(config.timeout)?;
        Ok(Self { config, client })
    }

    async fn ask(&self, ask: &ScreenAsk) -> Result<Verdict, String> {
        let question = Question {
            deal: ask.deal.as_str(),
            wallets: ask.wallets.iter().map(ToString::to_string).collect(),
            asset: Asset { chain_id: ask.asset.chain().get(), address: ask.asset.address().to_string() },
            amount: ask.amount.to_string(),
        };
        let body = serde_json::to_vec(&question).map_err(|error| error.to_string())?;
        let mut request = self.client.post(&self.config.url).header(CONTENT_TYPE, "application/json");
        if let Some(signature) = self.signature(&body, Timestamp::now()) {
            request = request.header(SIGNATURE, signature);
        }
        let answer = request.body(body).send().await.map_err(causeway_outbound::words)?;
        let status = answer.status();
        if status != reqwest::StatusCode::OK {
            return Err(format!("it answered {status}"));
        }
        let body = causeway_outbound::body(answer, LIMIT).await.map_err(|error| error.to_string())?;
        serde_json::from_slice(&body).map_err(|error| format!("it answered no verdict: {error}"))
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
    async fn screen(&self, ask: &ScreenAsk) -> Result<Option<Hit>, ScreenError> {
        let failed = |reason| ScreenError { by: NAME.to_owned(), reason };
        let verdict = self.ask(ask).await.map_err(failed)?;
        if verdict.allow {
            return Ok(None);
        }
        let wallet = verdict.wallet.as_deref().and_then(Address::parse_any);
        let reason = verdict.reason.unwrap_or_else(|| "no reason was given".to_owned());
        Ok(Some(Hit {
            wallet: wallet.filter(|wallet| ask.wallets.contains(wallet)),
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
    use causeway_domain::ports::Deal;
    use causeway_domain::{ChainId, RawAmount, TokenId};
    use tokio::net::TcpListener;

    use super::*;

    type Seen = Arc<Mutex<Vec<(Option<String>, String)>>>;

    /// A hook that answers the same to everybody and keeps what it was asked.
    async fn answering(answer: fn() -> Response) -> (Hook, Seen) {
        let seen = Seen::default();
        let kept = Arc::clone(&seen);
        let handle = move |headers: HeaderMap, body: String| async move {
            let signature = headers.get(SIGNATURE).map(|value| value.to_str().unwrap().to_owned());
            kept.lock().unwrap().push((signature, body));
            answer()
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/screen", listener.local_addr().unwrap());
        let router = Router::new().route("/screen", post(handle));
        tokio::spawn(async move { axum::serve(listener, router).await });
        let config = HookConfig { url, secret: Some("sesame".to_owned()), timeout: Duration::from_secs(5) };
        (Hook::new(config).unwrap(), seen)
    }

    fn ask() -> ScreenAsk {
        let asset = TokenId::native(ChainId::new(8453).unwrap());
        let wallets = vec![Address::Evm([1; 20].into()), Address::Solana([2; 32])];
        ScreenAsk { deal: Deal::Purchase, wallets, asset, amount: RawAmount::from_decimal("12", 0).unwrap() }
    }

    #[tokio::test]
    async fn the_hook_is_asked_with_wallets_asset_and_amount_under_a_signature() {
        let (hook, seen) = answering(|| r#"{"allow":true}"#.into_response()).await;
        assert_eq!(hook.screen(&ask()).await, Ok(None));
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
    async fn a_no_is_a_hit_with_its_reason() {
        let answer = || {
            r#"{"allow":false,"reason":"on a list","wallet":"0x0101010101010101010101010101010101010101"}"#
                .into_response()
        };
        let (hook, _) = answering(answer).await;
        let hit = hook.screen(&ask()).await.unwrap().unwrap();
        assert_eq!((hit.by.as_str(), hit.reason.as_str()), ("hook", "on a list"));
        assert_eq!(hit.wallet, Some(Address::Evm([1; 20].into())));
    }

    #[tokio::test]
    async fn whatever_is_no_verdict_stops_the_order() {
        let answers: [fn() -> Response; 6] = [
            || "<html>".into_response(),
            || "{}".into_response(),
            || r#"{"allow":"yes"}"#.into_response(),
            || StatusCode::INTERNAL_SERVER_ERROR.into_response(),
            || Redirect::to("/elsewhere").into_response(),
            || format!(r#"{{"allow":true,"more":"{}"}}"#, "x".repeat(LIMIT)).into_response(),
        ];
        for answer in answers {
            let (hook, _) = answering(answer).await;
            assert!(hook.screen(&ask()).await.is_err());
        }
        let url = "http://127.0.0.1:1/".to_owned();
        let nobody = Hook::new(HookConfig { url, secret: None, timeout: Duration::from_secs(1) }).unwrap();
        assert!(nobody.screen(&ask()).await.is_err());
    }

    #[test]
    fn an_address_that_is_none_is_refused_at_the_start() {
        for url in ["", "ftp://a", "screen.example"] {
            let config = HookConfig { url: url.to_owned(), secret: None, timeout: Duration::from_secs(1) };
            assert!(matches!(Hook::new(config), Err(HookError::Url)));
        }
    }
}
