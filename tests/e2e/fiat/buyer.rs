use std::path::Path;
use std::time::{Duration, Instant};

use alloy_primitives::{Address, U256};
use reqwest::{Method, Response};
use serde_json::{Value, json};

use crate::service::Service;

/// How long a purchase may take, on the slowest machine and through kills.
const TIMEOUT: Duration = Duration::from_mins(3);

pub(super) const GOOD_CARD: &str = "4242 4242 4242 4242";
pub(super) const DECLINED_CARD: &str = "4000 0000 0000 0002";

/// What the providers sell themselves: USDC on Base.
pub(super) fn direct() -> Value {
    json!({ "toChainId": 8453, "toToken": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913" })
}

/// What only a jump brings: USDC on Arbitrum.
pub(super) fn forwarded() -> Value {
    json!({ "toChainId": 42161, "toToken": "0xaf88d065e77c8cC2239327C5EDb3A432268e5831" })
}

/// Somebody without any coins, and the service that they ask.
pub(super) struct Buyer<'a> {
    pub(super) service: &'a Service,
    pub(super) wallet: Address,
}

impl<'a> Buyer<'a> {
    pub(super) fn new(service: &'a Service, seed: u8) -> Self {
        Self { service, wallet: Address::repeat_byte(seed) }
    }

    pub(super) async fn send(&self, method: Method, path: &str, body: Option<String>) -> Response {
        let request = self.service.client.request(method, format!("{}{path}", self.service.url));
        let request = body.into_iter().fold(request, reqwest::RequestBuilder::body);
        request.send().await.unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub(super) async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let response = self.send(Method::POST, path, Some(body.to_string())).await;
        (response.status().as_u16(), response.json().await.unwrap())
    }

    pub(super) async fn get(&self, path: &str) -> (u16, Value) {
        let response = self.send(Method::GET, path, None).await;
        (response.status().as_u16(), response.json().await.unwrap())
    }

    /// The usual ask: a hundred dollars of the target.
    pub(super) fn ask(&self, target: &Value) -> Value {
        let mut ask = json!({ "fiatCurrency": "USD", "fiatAmount": "100", "recipient": self.wallet });
        ask.as_object_mut().unwrap().extend(target.as_object().unwrap().clone());
        ask
    }

    /// An order of that provider.
    pub(super) async fn order(&self, target: &Value, provider: &str) -> Value {
        let mut ask = self.ask(target);
        ask["provider"] = json!(provider);
        let (status, quotes) = self.post("/v1/fiat/quote", &ask).await;
        assert_eq!((status, quotes["quotes"].as_array().map(Vec::len)), (200, Some(1)), "{quotes}");
        let take = json!({ "quoteId": quotes["quotes"][0]["quoteId"], "author": self.wallet });
        let (status, order) = self.post("/v1/fiat/order", &take).await;
        assert_eq!(status, 200, "{order}");
        order
    }

    /// Fills the provider's form in, as a browser without scripts would.
    pub(super) async fn pay(&self, order: &Value, card: &str) {
        let form = form_urlencoded(&[("number", card), ("expiry", "12/34"), ("cvc", "123")]);
        let request = self.service.client.post(format!("{}/pay", order["widgetUrl"].as_str().unwrap()));
        let request = request.header("content-type", "application/x-www-form-urlencoded").body(form);
        let page = request.send().await.unwrap();
        assert_eq!(page.status(), 200);
    }

    pub(super) async fn status(&self, order: &Value) -> Value {
        let (status, body) = self.get(&format!("/v1/fiat/orders/{}/status", id(order))).await;
        assert_eq!(status, 200, "{body}");
        body
    }

    /// The status once nothing will change any more; it never goes back until then.
    pub(super) async fn end(&self, order: &Value) -> Value {
        let (begun, mut reached) = (Instant::now(), 0);
        loop {
            let status = self.status(order).await;
            let place =
                ["created", "pending", "processing"].iter().position(|open| status["status"] == *open);
            let place = place.unwrap_or(3);
            assert!(place >= reached, "it went back: {status}");
            reached = place;
            if status["polling"]["isTerminal"] == true {
                return status;
            }
            assert!(begun.elapsed() < TIMEOUT, "it does not end: {status}");
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
    }

    pub(super) async fn view(&self, order: &Value) -> Value {
        self.get(&format!("/v1/fiat/order/{}", id(order))).await.1
    }

    /// How much of the target an account has.
    pub(super) async fn balance(&self, target: &Value, account: &str) -> U256 {
        let (_, tokens) =
            self.get(&format!("/v1/tokens/balances/{account}?chainIds={}", target["toChainId"])).await;
        let has = tokens.as_array().unwrap().iter().find(|token| token["address"] == target["toToken"]);
        has.map_or(U256::ZERO, |token| token["extensions"]["balance"].as_str().unwrap().parse().unwrap())
    }
}

pub(super) fn id(order: &Value) -> &str {
    order["orderId"].as_str().unwrap()
}

fn form_urlencoded(pairs: &[(&str, &str)]) -> String {
    let pairs =
        pairs.iter().map(|(name, value)| format!("{name}={}", value.replace(' ', "+").replace('/', "%2F")));
    pairs.collect::<Vec<_>>().join("&")
}

/// A service with chains of its own.
pub(super) fn start(folder: &Path) -> Service {
    Service::start_with(folder, &[])
}
