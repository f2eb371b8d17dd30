use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::U256;
use axum::Router;
use axum::body::Bytes;
use axum::extract::OriginalUri;
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Response};
use causeway_domain::ports::FillerAsk;
use causeway_domain::{Address, Ask, ChainId, DepositMethod, RawAmount, Token, TokenId, TradeType};
use causeway_fillers::remote::{
    NONCE, RemoteConfig, RemoteFiller, RequestAuthenticator, SIGNATURE, Secret, SignedRequest,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

pub(super) const ACCOUNT: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

pub(super) fn secret() -> Secret {
    Secret::new("correct horse battery staple").unwrap()
}

fn usdc(chain: u64, address: &str) -> Token {
    let id = TokenId::new(ChainId::new(chain).unwrap(), address).unwrap();
    Token { id, symbol: "USDC".to_owned(), name: "USD Coin".to_owned(), decimals: 6, logo: None }
}

/// A thousand dollars from Base to Ethereum.
pub(super) fn ask() -> FillerAsk {
    let from = usdc(8453, "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913");
    let to = usdc(1, "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48");
    let account = Address::parse_any(ACCOUNT).unwrap();
    let ask = Ask {
        trade_type: TradeType::ExactInput,
        from: from.id,
        to: to.id,
        amount: RawAmount::new(U256::from(1_000_000_000)),
        from_address: account,
        recipient: account,
        refund_to: account,
        slippage: None,
        deposit_methods: Vec::new(),
        referral: None,
        deposit_window: None,
    };
    FillerAsk { ask, from: from.into(), to: to.into() }
}

/// An offer for whatever is asked for with an exact input.
pub(super) fn offer(asked: &Value) -> Value {
    let token = |side: &str| json!({ "chainId": asked[side]["chainId"], "token": asked[side]["token"] });
    let until = Timestamp::now() + SignedDuration::from_secs(30);
    json!({
        "from": token("from"), "to": token("to"), "amountIn": asked["amount"], "amountOut": "999000000",
        "validBefore": until.to_string(), "expectedDurationSeconds": 12, "filler": ACCOUNT, "payee": ACCOUNT,
    })
}

/// A filler with a deadline of two seconds.
pub(super) fn filler(url: &str) -> RemoteFiller {
    filler_within(url, Duration::from_secs(2))
}

pub(super) fn filler_within(url: &str, deadline: Duration) -> RemoteFiller {
    let all = vec![DepositMethod::ContractCall, DepositMethod::Permit2, DepositMethod::Transfer];
    let methods = HashMap::from([1, 8453].map(|chain| (ChainId::new(chain).unwrap(), all.clone())));
    let config = RemoteConfig {
        name: "far".to_owned(),
        url: url.to_owned(),
        secret: secret(),
        deadline,
        public_only: false,
    };
    RemoteFiller::new(config, methods).unwrap()
}

/// Serves a router on a port of its own.
pub(super) async fn serve(router: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("http://{address}")
}

/// An authenticated call.
pub(super) struct AuthenticatedCall {
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Value,
}

/// A server that follows the protocol, with the given answer.
pub(super) async fn honest(answer: impl Fn(AuthenticatedCall) -> Value + Send + Sync + 'static) -> String {
    let authenticator = Arc::new(RequestAuthenticator::new(secret()));
    let answer = Arc::new(answer);
    let handle = move |OriginalUri(uri): OriginalUri, headers: HeaderMap, body: Bytes| {
        let (authenticator, answer) = (Arc::clone(&authenticator), Arc::clone(&answer));
        async move {
            let header = |name: &'static str| headers.get(name).and_then(|value| value.to_str().ok());
            if let Err(error) =
                authenticator.authenticate(&SignedRequest::read(uri.path(), header, &body), Timestamp::now())
            {
                return (axum::http::StatusCode::UNAUTHORIZED, error.to_string()).into_response();
            }
            let nonce = header(NONCE).unwrap_or_default().to_owned();
            let Ok(body) = serde_json::from_slice(&body) else {
                return axum::http::StatusCode::BAD_REQUEST.into_response();
            };
            let reply = answer(AuthenticatedCall { path: uri.path().to_owned(), headers, body });
            signed(&authenticator, &nonce, reply.to_string())
        }
    };
    serve(Router::new().fallback(handle)).await
}

pub(super) fn signed(authenticator: &RequestAuthenticator, nonce: &str, body: String) -> Response {
    let signature = authenticator.sign(nonce, 200, body.as_bytes());
    ([("content-type", "application/json"), (SIGNATURE, &signature)], body).into_response()
}

/// A server that reads a request, writes these bytes, and then hangs or closes the connection.
pub(super) async fn serve_raw(bytes: Vec<u8>, hang_up: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let bytes = bytes.clone();
            tokio::spawn(async move {
                read_request(&mut stream).await;
                let _ = stream.write_all(&bytes).await;
                if !hang_up {
                    std::future::pending::<()>().await;
                }
            });
        }
    });
    format!("http://{address}")
}

async fn read_request(stream: &mut TcpStream) {
    let (mut read, mut buffer) = (Vec::new(), [0; 4096]);
    while let Ok(count @ 1..) = stream.read(&mut buffer).await {
        read.extend_from_slice(&buffer[..count]);
        if read.ends_with(b"}") {
            return;
        }
    }
}
