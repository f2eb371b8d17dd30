use std::fmt;
use std::time::{Duration, Instant};

use alloy_primitives::{Address as EvmAddress, B256, Bytes, U256};
use causeway_domain::Address;
use causeway_evm::{Signer, TxRequest};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::broadcast;

use super::chains::{Chains, coin};
use super::payer_key::Key;
use super::restartable_service::RestartableService;
use super::seeded_rng::SeededRng;
use super::solana::SOLANA;
use crate::wallet::wallet_digest;

/// How long a refused request is retried; far longer than any fault.
pub(super) const TIMEOUT: Duration = Duration::from_mins(2);

/// How a payer deposits and reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DepositVia {
    /// Sends the deposit and submits its hash.
    Call,
    /// Sends the deposit and submits nothing.
    Silent,
    /// Submits the signed deposit.
    Signed,
    /// The same on Solana: first with an expired blockhash, then with a fresh one.
    Late,
    Permit,
    Transfer,
}

impl DepositVia {
    pub(super) const fn method(self) -> &'static str {
        match self {
            Self::Call | Self::Silent | Self::Signed | Self::Late => "CONTRACT_CALL",
            Self::Permit => "PERMIT2",
            Self::Transfer => "TRANSFER",
        }
    }
}

/// The expected end of the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Filled,
    Refunded,
    /// The payer never deposits, and the order stays hidden.
    NeverDeposited,
}

/// A stage of a swap at which the service may be killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Built,
    Deposited,
    Submitted,
}

/// A swap to run.
#[derive(Clone, Copy, Debug)]
pub(super) struct SwapPlan {
    pub(super) from: (u64, Address),
    pub(super) to: (u64, Address),
    pub(super) amount: U256,
    pub(super) via: DepositVia,
    pub(super) outcome: Outcome,
}

/// A built order with its on-chain terms.
#[derive(Clone, Debug)]
pub(super) struct BuiltOrder {
    pub(super) quote: String,
    pub(super) route: String,
    pub(super) intent: B256,
    pub(super) amount_in: U256,
    pub(super) amount_out: U256,
    pub(super) fee: U256,
    pub(super) payee: Address,
    pub(super) escrow: Address,
    pub(super) settler: Address,
    pub(super) open_deadline: u64,
    pub(super) fill_deadline: u64,
    pub(super) answer: Value,
}

/// A payer of one swap, with addresses that nothing else uses.
pub(super) struct Payer {
    pub(super) plan: SwapPlan,
    pub(super) key: Key,
    pub(super) recipient: Address,
    pub(super) refund_to: Address,
    pub(super) built_order: Option<BuiltOrder>,
}

impl fmt::Debug for Payer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} by {}: {:?}", self.plan, self.key.address(), self.built_order)
    }
}

impl Payer {
    pub(super) fn new(plan: SwapPlan, rng: &mut SeededRng) -> Self {
        let (from, to) = (plan.from.0, plan.to.0);
        let key = Key::new(from, rng);
        let (recipient, refund_to) = (Key::new(to, rng).address(), Key::new(from, rng).address());
        Self { plan, key, recipient, refund_to, built_order: None }
    }

    /// What it is given to pay for gas: one coin.
    pub(super) fn gas_budget(chain: u64) -> U256 {
        U256::from(10).pow(U256::from(if chain == SOLANA { 9 } else { 18 }))
    }

    /// Gives it enough to swap, and to pay for gas.
    pub(super) async fn fund(&self, chains: &Chains) {
        let (chain, token) = self.plan.from;
        chains.fund_address(chain, self.key.address(), coin(chain), Self::gas_budget(chain)).await;
        chains.fund_address(chain, self.key.address(), token, self.plan.amount).await;
    }

    pub(super) fn built_order(&self) -> &BuiltOrder {
        self.built_order.as_ref().expect("it was built")
    }

    /// What it asks a quote for.
    pub(super) fn ask(&self) -> Value {
        let SwapPlan { from, to, amount, .. } = self.plan;
        json!({
            "tradeType": "EXACT_INPUT", "amount": amount.to_string(), "fromAddress": self.key.address().to_string(),
            "fromChainId": from.0, "fromToken": from.1.to_string(), "toChainId": to.0,
            "toToken": to.1.to_string(), "recipient": self.recipient.to_string(),
        })
    }

    /// What it asks a deposit to be built with.
    pub(super) fn ask_to_build(&self, quote: &str, route: &str) -> Value {
        json!({
            "quoteId": quote, "routeId": route, "from": self.key.address().to_string(),
            "recipient": self.recipient.to_string(), "refundTo": self.refund_to.to_string(),
            "depositMethod": self.plan.via.method(),
        })
    }

    /// Requests a quote until a filler offers a route.
    pub(super) async fn quote(&self, service: &RestartableService) -> (String, String) {
        let via = self.plan.via;
        let ask = self.ask();
        let begun = Instant::now();
        while begun.elapsed() < TIMEOUT {
            let quote = service.ask(Method::POST, "/v1/quotes", &ask).await;
            if let Ok(quote) = &quote {
                let takes = |route: &&Value| {
                    route["depositMethods"].as_array().is_some_and(|all| all.contains(&json!(via.method())))
                };
                if let Some(route) = quote["routes"].as_array().unwrap().iter().find(takes) {
                    let text = |value: &Value| value.as_str().unwrap().to_owned();
                    return (text(&quote["quoteId"]), text(&route["routeId"]));
                }
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("nobody offers anything for {ask}");
    }

    /// Takes a quote and has its deposit built; from the start when the service died for so long that the quote is over.
    pub(super) async fn build(&mut self, service: &RestartableService) {
        loop {
            let (quote, route) = self.quote(service).await;
            if self.build_route(service, quote, route).await {
                return;
            }
        }
    }

    /// Has the deposit of a route built; `false` when its quote is over.
    pub(super) async fn build_route(
        &mut self,
        service: &RestartableService,
        quote: String,
        route: String,
    ) -> bool {
        let Some(answer) = self.built(service, &quote, &route).await else { return false };
        self.built_order = Some(BuiltOrder::read(self.plan, quote, route, answer));
        true
    }

    /// The deposit of a route; none when its quote is over.
    pub(super) async fn built(
        &self,
        service: &RestartableService,
        quote: &str,
        route: &str,
    ) -> Option<Value> {
        let ask = self.ask_to_build(quote, route);
        let begun = Instant::now();
        loop {
            match service.ask(Method::POST, "/v1/deposit/build", &ask).await {
                Ok(answer) => return Some(answer),
                Err((_, error)) if error["name"] == "QuoteExpiredException" => return None,
                // A node that lags does not show yet what the payer has.
                Err(error) => assert!(begun.elapsed() < TIMEOUT, "{ask} was not built: {error:?}"),
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }

    /// Deposits, and submits the deposit if the plan says so.
    pub(super) async fn deposit(
        &mut self,
        chains: &Chains,
        service: &RestartableService,
        stages: &broadcast::Sender<Stage>,
    ) {
        match &self.key {
            Key::Evm(key) => self.deposit_on_evm(key, chains, service, stages).await,
            Key::Solana(_) => self.deposit_on_solana(chains, service, stages).await,
        }
    }

    async fn deposit_on_evm(
        &self,
        key: &Signer,
        chains: &Chains,
        service: &RestartableService,
        stages: &broadcast::Sender<Stage>,
    ) {
        let built_order = self.built_order();
        let (chain, token) = self.plan.from;
        let mut proof = None;
        for approval in built_order.answer["approvals"].as_array().into_iter().flatten() {
            let request = &approval["request"];
            if request["method"] != "eth_sendTransaction" {
                continue;
            }
            let request = transaction(&request["params"][0]);
            if approval["deposit"] == true && self.plan.via == DepositVia::Signed {
                let (_, raw) = chains.sign(chain, key, &request).await;
                proof = Some(json!({ "signedTransaction": raw }));
                continue;
            }
            let hash = chains.send(chain, key, &request).await;
            if approval["deposit"] == true {
                proof = Some(json!({ "txHash": hash }));
            }
        }
        match self.plan.via {
            DepositVia::Permit => {
                let signature = key.sign_digest(&wallet_digest(&built_order.answer["permit"])).unwrap();
                proof = Some(json!({ "signature": Bytes::from(signature.as_bytes().to_vec()) }));
            }
            DepositVia::Transfer => {
                chains
                    .pay(chain, &self.key, token, built_order.deposit_address(), built_order.amount_in)
                    .await;
            }
            DepositVia::Call | DepositVia::Silent | DepositVia::Signed | DepositVia::Late => {}
        }
        let _ = stages.send(Stage::Deposited);
        if let Some(proof) = proof.filter(|_| self.plan.via != DepositVia::Silent) {
            self.submit_until_accepted(service, &proof).await;
            let _ = stages.send(Stage::Submitted);
        }
    }

    /// Submits the deposit until the service accepts it: a lagging node may cause a refusal.
    pub(super) async fn submit_until_accepted(&self, service: &RestartableService, proof: &Value) {
        let begun = Instant::now();
        while let Err(refused) = self.submit(service, proof).await {
            if begun.elapsed() > TIMEOUT {
                let diagnostics = service.diagnostics(None).await;
                panic!("the deposit of {self:?} was refused: {refused:?}\n{diagnostics}");
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }

    /// Submits the deposit until the service accepts or refuses it.
    pub(super) async fn submit(
        &self,
        service: &RestartableService,
        proof: &Value,
    ) -> Result<(), (u16, Value)> {
        service.ask(Method::PUT, "/v1/deposit/submit", &self.ask_to_submit(proof)).await.map(drop)
    }

    pub(super) fn ask_to_submit(&self, proof: &Value) -> Value {
        let mut proof = proof.clone();
        proof["quoteId"] = json!(self.built_order().quote);
        proof["routeId"] = json!(self.built_order().route);
        proof
    }
}

impl BuiltOrder {
    pub(super) fn deposit_address(&self) -> Address {
        Address::parse_any(self.answer["depositAddress"].as_str().unwrap()).unwrap()
    }

    fn read(plan: SwapPlan, quote: String, route: String, answer: Value) -> Self {
        let terms = &answer["terms"];
        let word = |name: &str| terms[name].as_str().unwrap().parse::<B256>().unwrap();
        let number = |name: &str| terms[name].as_str().unwrap().parse::<U256>().unwrap();
        let (origin, destination) = (plan.from.0, plan.to.0);
        Self {
            quote,
            route,
            intent: answer["intentId"].as_str().unwrap().parse().unwrap(),
            amount_in: number("amountIn"),
            amount_out: number("amountOut"),
            fee: number("referrerFee"),
            payee: address_on(origin, word("payee")),
            escrow: address_on(origin, word("escrow")),
            settler: address_on(destination, word("settler")),
            open_deadline: number("openDeadline").to(),
            fill_deadline: number("fillDeadline").to(),
            answer,
        }
    }
}

/// An address as the terms write it.
fn address_on(chain: u64, word: B256) -> Address {
    if chain == SOLANA { Address::Solana(word.0) } else { Address::Evm(EvmAddress::from_word(word)) }
}

fn transaction(params: &Value) -> TxRequest {
    let text = |name: &str| params[name].as_str().unwrap();
    TxRequest {
        to: text("to").parse().unwrap(),
        value: text("value").parse().unwrap(),
        data: text("data").parse().unwrap(),
    }
}
