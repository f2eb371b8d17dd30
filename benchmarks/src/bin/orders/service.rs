use std::time::{Duration, Instant};

use alloy_primitives::{Address, B256, U64, U256, keccak256};
use causeway_benchmarks::client;
use causeway_evm::TxRequest;
use reqwest::{Client, Method};
use serde_json::{Value, json};

use crate::chains::{CHAINS, COIN, Chains, Wallet};

/// How often an order is asked for, and for how long.
const POLL: Duration = Duration::from_millis(200);
const PATIENCE: Duration = Duration::from_mins(3);

/// How often an offer is asked for again.
const ASKS: usize = 50;

/// The swap API as a client of it.
#[derive(Clone)]
pub(crate) struct Service {
    url: String,
    client: Client,
}

/// What is to be swapped.
pub(crate) struct Wish {
    payer: Address,
    from: (u64, Address),
    to: (u64, Address),
    amount: u64,
    method: &'static str,
}

/// A deposit that was built.
struct Built {
    quote: Value,
    route: Value,
    answer: Value,
}

impl Wish {
    /// Dollars for coins and coins for dollars in turn, always to the next chain.
    pub(crate) fn of(wallet: &Wallet, number: usize) -> Self {
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

    /// A payment from an address that nobody has, which therefore never comes.
    fn never_paid(number: usize) -> Self {
        let payer = Address::from_word(keccak256(format!("nobody {number}")));
        let at = number % CHAINS.len();
        let ((chain, dollars), (to, _)) = (CHAINS[at], CHAINS[(at + 1) % CHAINS.len()]);
        Self { payer, from: (chain, dollars), to: (to, COIN), amount: 5_000_000, method: "TRANSFER" }
    }
}

impl Service {
    pub(crate) fn new(url: &str) -> Self {
        Self { url: url.to_owned(), client: client() }
    }

    async fn ask(&self, method: Method, path: &str, body: &Value) -> Result<Value, String> {
        let request = self.client.request(method, format!("{}{path}", self.url));
        let request = if body.is_null() { request } else { request.body(body.to_string()) };
        let response = request.send().await.expect("the service answers");
        let done = response.status().is_success();
        let text = response.text().await.expect("a body");
        if done { Ok(serde_json::from_str(&text).expect("JSON")) } else { Err(text) }
    }

    /// Takes the best offer and has its deposit built.
    async fn build(&self, wish: &Wish) -> Built {
        let ask = json!({
            "tradeType": "EXACT_INPUT", "amount": wish.amount.to_string(), "fromAddress": wish.payer,
            "fromChainId": wish.from.0, "fromToken": wish.from.1, "toChainId": wish.to.0, "toToken": wish.to.1,
        });
        let mut refusal = String::new();
        for _ in 0..ASKS {
            match self.try_build(&ask, wish).await {
                Ok(built) => return built,
                Err(error) => refusal = error,
            }
            tokio::time::sleep(POLL).await;
        }
        panic!("{ask} was not built: {refusal}");
    }

    async fn try_build(&self, ask: &Value, wish: &Wish) -> Result<Built, String> {
        let quote = self.ask(Method::POST, "/v1/quotes", ask).await?;
        let (quote, route) = (quote["quoteId"].clone(), quote["routes"][0]["routeId"].clone());
        if route.is_null() {
            return Err("nobody offers anything".to_owned());
        }
        let body =
            json!({ "quoteId": quote, "routeId": route, "from": wish.payer, "depositMethod": wish.method });
        let answer = self.ask(Method::POST, "/v1/deposit/build", &body).await?;
        Ok(Built { quote, route, answer })
    }

    async fn submit(&self, built: &Built, hash: B256) -> String {
        let body = json!({ "quoteId": built.quote, "routeId": built.route, "txHash": hash });
        let taken = self.ask(Method::PUT, "/v1/deposit/submit", &body).await.expect("the deposit is taken");
        taken["orderId"].as_str().expect("an order").to_owned()
    }

    /// Swaps, and tells how long it took from submit to filled; nothing if it was not filled.
    pub(crate) async fn swap(&self, chains: &Chains, wallet: &mut Wallet, wish: &Wish) -> Option<Duration> {
        let built = self.build(wish).await;
        let mut deposit = B256::ZERO;
        for action in built.answer["approvals"].as_array().expect("actions") {
            if action["request"]["method"] == "eth_sendTransaction" {
                let (request, gas) = transaction(&action["request"]["params"][0]);
                deposit = chains.send(wallet, &request, gas).await;
                if action["waitForReceipt"] == true {
                    chains.mined(wallet.chain, deposit).await;
                }
            }
        }
        let begun = Instant::now();
        let order = self.submit(&built, deposit).await;
        self.filled(&order, begun).await
    }

    async fn filled(&self, order: &str, begun: Instant) -> Option<Duration> {
        while begun.elapsed() < PATIENCE {
            let told = self.ask(Method::GET, &format!("/v1/orders/by-id/{order}"), &Value::Null).await;
            let told = told.expect("the order is known");
            match told["status"].as_str() {
                Some("filled") => return Some(begun.elapsed()),
                Some("refunded" | "failed") => return None,
                _ => tokio::time::sleep(POLL).await,
            }
        }
        None
    }

    /// Makes an order that waits: for a payment that never comes, or for a transaction that is not visible yet.
    pub(crate) async fn leave_open(&self, number: usize, payer: &Wallet) {
        if !number.is_multiple_of(5) {
            self.build(&Wish::never_paid(number)).await;
            return;
        }
        let built = self.build(&Wish::of(payer, number)).await;
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
