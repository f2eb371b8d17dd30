use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use alloy_primitives::{Address, B256, U64, U256, keccak256};
use causeway_benchmarks::client;
use causeway_evm::TxRequest;
use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};

use crate::orders::chains::{CHAINS, COIN, Chains, Wallet};

/// Interval and time limit of polling an order.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
const FILL_TIMEOUT: Duration = Duration::from_mins(3);

/// What the service says when it has too much to do.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Attempts to get and build a quote.
const MAX_ATTEMPTS: usize = 50;

/// A client of the swap API, of one service or of all its replicas in turn.
#[derive(Clone)]
pub(crate) struct Service {
    urls: Vec<String>,
    calls: Arc<AtomicUsize>,
    client: Client,
}

/// The parameters of a swap.
pub(crate) struct SwapParams {
    pub(crate) payer: Address,
    pub(crate) from: (u64, Address),
    pub(crate) to: (u64, Address),
    pub(crate) amount: u64,
    pub(crate) method: &'static str,
}

/// A deposit that was built.
struct Built {
    quote: Value,
    route: Value,
    answer: Value,
}

impl SwapParams {
    /// Alternates between native currency and USDC as the input, always to the next chain.
    pub(crate) fn for_wallet(wallet: &Wallet, number: usize) -> Self {
        let at = CHAINS.iter().position(|(chain, _)| *chain == wallet.chain).unwrap_or_default();
        let (chain, dollars) = CHAINS[(at + 1) % CHAINS.len()];
        let (from, to, amount) = if number.is_multiple_of(2) {
            (COIN, dollars, 10_000_000_000_000_000)
        } else {
            (wallet.dollars, COIN, 20_000_000)
        };
        let (payer, from, to) = (wallet.address(), (wallet.chain, from), (chain, to));
        Self { payer, from, to, amount, method: "CONTRACT_CALL" }
    }

    /// A transfer from an unused address, which never arrives.
    fn never_paid(number: usize) -> Self {
        let payer = Address::from_word(keccak256(format!("nobody {number}")));
        let at = number % CHAINS.len();
        let ((chain, dollars), (to, _)) = (CHAINS[at], CHAINS[(at + 1) % CHAINS.len()]);
        Self { payer, from: (chain, dollars), to: (to, COIN), amount: 5_000_000, method: "TRANSFER" }
    }
}

impl Service {
    pub(crate) fn new(url: &str) -> Self {
        Self::of_replicas(vec![url.to_owned()])
    }

    /// Each request goes to the next replica: a quote of one is built at another and submitted at a third.
    pub(crate) fn of_replicas(urls: Vec<String>) -> Self {
        Self { urls, calls: Arc::default(), client: client() }
    }

    fn next_url(&self) -> &str {
        &self.urls[self.calls.fetch_add(1, Ordering::Relaxed) % self.urls.len()]
    }

    /// Asks again, as it is told to, while the service has too much to do.
    pub(crate) async fn request(&self, method: Method, path: &str, body: &Value) -> Result<Value, String> {
        loop {
            let request = self.client.request(method.clone(), format!("{}{path}", self.next_url()));
            let request = if body.is_null() { request } else { request.body(body.to_string()) };
            let response = request.send().await.expect("the service answers");
            let status = response.status();
            let text = response.text().await.expect("a body");
            if status.is_success() {
                return Ok(serde_json::from_str(&text).expect("JSON"));
            }
            if status != StatusCode::SERVICE_UNAVAILABLE {
                return Err(text);
            }
            tokio::time::sleep(RETRY_AFTER).await;
        }
    }

    /// Builds the deposit of the best route.
    async fn build(&self, params: &SwapParams) -> Built {
        let ask = params.ask();
        let mut last_error = String::new();
        for _ in 0..MAX_ATTEMPTS {
            match self.try_build(&ask, params).await {
                Ok(built) => return built,
                Err(error) => last_error = error,
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        panic!("{ask} was not built: {last_error}");
    }

    async fn try_build(&self, ask: &Value, params: &SwapParams) -> Result<Built, String> {
        let quote = self.request(Method::POST, "/v1/quotes", ask).await?;
        let (quote, route) = (quote["quoteId"].clone(), quote["routes"][0]["routeId"].clone());
        if route.is_null() {
            return Err("no route".to_owned());
        }
        let body = json!({ "quoteId": quote, "routeId": route, "from": params.payer, "depositMethod": params.method });
        let answer = self.request(Method::POST, "/v1/deposit/build", &body).await?;
        Ok(Built { quote, route, answer })
    }

    async fn submit(&self, built: &Built, hash: B256) -> String {
        let taken = self.try_submit(built, hash).await.expect("the deposit is taken");
        taken["orderId"].as_str().expect("an order").to_owned()
    }

    async fn try_submit(&self, built: &Built, hash: B256) -> Result<Value, String> {
        let body = json!({ "quoteId": built.quote, "routeId": built.route, "txHash": hash });
        self.request(Method::PUT, "/v1/deposit/submit", &body).await
    }

    /// Swaps and returns the time from submit to filled; `None` if the order was not filled.
    pub(crate) async fn swap(
        &self,
        chains: &Chains,
        wallet: &mut Wallet,
        params: &SwapParams,
    ) -> Option<Duration> {
        self.swap_order(chains, wallet, params).await.map(|(_, time)| time)
    }

    /// The same with the order's id.
    pub(crate) async fn swap_order(
        &self,
        chains: &Chains,
        wallet: &mut Wallet,
        params: &SwapParams,
    ) -> Option<(String, Duration)> {
        let built = self.build(params).await;
        let mut deposit = B256::ZERO;
        for action in built.answer["approvals"].as_array().expect("actions") {
            if action["request"]["method"] == "eth_sendTransaction" {
                let (request, gas) = transaction(&action["request"]["params"][0]);
                deposit = chains.send(wallet, &request, gas).await;
                if action["waitForReceipt"] == true {
                    chains.wait_mined(wallet.chain, deposit).await;
                }
            }
        }
        let started = Instant::now();
        let order = self.submit(&built, deposit).await;
        self.wait_filled(&order, started).await.map(|time| (order, time))
    }

    /// Whether the stream of an order's events begins with one.
    pub(crate) async fn first_event(&self, order: &str) -> bool {
        let request = self.client.get(format!("{}/v1/orders/by-id/{order}/events", self.next_url()));
        match request.send().await {
            Ok(mut stream) => stream.chunk().await.is_ok_and(|chunk| chunk.is_some()),
            Err(_) => false,
        }
    }

    /// Quotes, builds and submits once, with a transaction that no chain shows.
    pub(crate) async fn try_open(&self, number: usize, payer: &Wallet) -> Result<(), String> {
        let params = SwapParams::for_wallet(payer, number);
        let built = self.try_build(&params.ask(), &params).await?;
        let hash = keccak256(built.quote.to_string());
        self.try_submit(&built, hash).await.map(drop)
    }

    async fn wait_filled(&self, order: &str, started: Instant) -> Option<Duration> {
        while started.elapsed() < FILL_TIMEOUT {
            let order = self.request(Method::GET, &format!("/v1/orders/by-id/{order}"), &Value::Null).await;
            let order = order.expect("the order is known");
            match order["status"].as_str() {
                Some("filled") => return Some(started.elapsed()),
                Some("refunded" | "failed") => return None,
                _ => tokio::time::sleep(POLL_INTERVAL).await,
            }
        }
        None
    }

    /// Creates an order that stays open: it waits for a transfer that never arrives, or for a transaction that is not visible.
    pub(crate) async fn create_open_order(&self, number: usize, payer: &Wallet) {
        if !number.is_multiple_of(5) {
            self.build(&SwapParams::never_paid(number)).await;
            return;
        }
        let built = self.build(&SwapParams::for_wallet(payer, number)).await;
        self.submit(&built, keccak256(format!("unseen {number}"))).await;
    }
}

fn transaction(params: &Value) -> (TxRequest, u64) {
    let text = |name: &str| params[name].as_str().expect("a text");
    let number = |name: &str| text(name).parse::<U256>().expect("a number");
    let request = TxRequest {
        to: text("to").parse().expect("an address"),
        value: number("value"),
        data: text("data").parse().expect("bytes"),
    };
    (request, text("gas").parse::<U64>().expect("gas").to())
}
