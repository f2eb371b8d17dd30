use std::fmt;
use std::time::{Duration, Instant};

use alloy_primitives::{Address as EvmAddress, B256, Bytes, U256};
use causeway_domain::Address;
use causeway_evm::{Signer, TxRequest};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::broadcast;

use super::chains::{Chains, coin};
use super::desk::Desk;
use super::dice::Dice;
use super::key::Key;
use super::solana::SOLANA;
use crate::wallet::wallet_digest;

/// How long somebody goes on asking for what is refused; far more than any fault lasts.
pub(super) const PATIENCE: Duration = Duration::from_mins(2);

/// How a payer deposits, and what it tells of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Sends the deposit and tells its hash.
    Call,
    /// Sends the deposit and tells nobody.
    Silent,
    /// Hands the signed deposit over.
    Signed,
    /// The same on Solana, first when it is too late for it and then a fresh one.
    Late,
    Permit,
    Transfer,
}

impl Way {
    const fn method(self) -> &'static str {
        match self {
            Self::Call | Self::Silent | Self::Signed | Self::Late => "CONTRACT_CALL",
            Self::Permit => "PERMIT2",
            Self::Transfer => "TRANSFER",
        }
    }
}

/// How the order has to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Filled,
    Refunded,
    /// Its payer never deposits, and nobody ever sees it.
    Unseen,
}

/// A moment at which a crash would be welcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    Built,
    Deposited,
    Submitted,
}

/// What somebody wants to swap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wish {
    pub(super) from: (u64, Address),
    pub(super) to: (u64, Address),
    pub(super) amount: U256,
    pub(super) way: Way,
    pub(super) fate: Fate,
}

/// A built order, as far as the chains know it.
#[derive(Clone, Debug)]
pub(super) struct Deal {
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

/// Somebody who swaps once, with addresses that nothing else ever moves to or from.
pub(super) struct Payer {
    pub(super) wish: Wish,
    pub(super) key: Key,
    pub(super) recipient: Address,
    pub(super) refund_to: Address,
    pub(super) deal: Option<Deal>,
}

impl fmt::Debug for Payer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} by {}: {:?}", self.wish, self.key.address(), self.deal)
    }
}

impl Payer {
    pub(super) fn new(wish: Wish, dice: &mut Dice) -> Self {
        let (from, to) = (wish.from.0, wish.to.0);
        let key = Key::new(from, dice);
        let (recipient, refund_to) = (Key::new(to, dice).address(), Key::new(from, dice).address());
        Self { wish, key, recipient, refund_to, deal: None }
    }

    /// What it is given to pay for gas: one coin.
    pub(super) fn for_gas(chain: u64) -> U256 {
        U256::from(10).pow(U256::from(if chain == SOLANA { 9 } else { 18 }))
    }

    /// Gives it enough to swap, and to pay for gas.
    pub(super) async fn fund(&self, chains: &Chains) {
        let (chain, token) = self.wish.from;
        chains.give(chain, self.key.address(), coin(chain), Self::for_gas(chain)).await;
        chains.give(chain, self.key.address(), token, self.wish.amount).await;
    }

    pub(super) fn deal(&self) -> &Deal {
        self.deal.as_ref().expect("it was built")
    }

    /// What it asks a quote for.
    pub(super) fn ask(&self) -> Value {
        let Wish { from, to, amount, .. } = self.wish;
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
            "depositMethod": self.wish.way.method(),
        })
    }

    /// Asks for a quote until somebody offers.
    pub(super) async fn quote(&self, desk: &Desk) -> (String, String) {
        let way = self.wish.way;
        let ask = self.ask();
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            let quote = desk.ask(Method::POST, "/v1/quotes", &ask).await;
            if let Ok(quote) = &quote {
                let takes = |route: &&Value| {
                    route["depositMethods"].as_array().is_some_and(|all| all.contains(&json!(way.method())))
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
    pub(super) async fn build(&mut self, desk: &Desk) {
        loop {
            let (quote, route) = self.quote(desk).await;
            if self.build_route(desk, quote, route).await {
                return;
            }
        }
    }

    /// Has the deposit of a route built; `false` when its quote is over.
    pub(super) async fn build_route(&mut self, desk: &Desk, quote: String, route: String) -> bool {
        let Some(answer) = self.built(desk, &quote, &route).await else { return false };
        self.deal = Some(Deal::read(self.wish, quote, route, answer));
        true
    }

    /// The deposit of a route; none when its quote is over.
    pub(super) async fn built(&self, desk: &Desk, quote: &str, route: &str) -> Option<Value> {
        let ask = self.ask_to_build(quote, route);
        let begun = Instant::now();
        loop {
            match desk.ask(Method::POST, "/v1/deposit/build", &ask).await {
                Ok(answer) => return Some(answer),
                Err((_, error)) if error["name"] == "QuoteExpiredException" => return None,
                // A node that lags does not show yet what the payer has.
                Err(error) => assert!(begun.elapsed() < PATIENCE, "{ask} was not built: {error:?}"),
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }

    /// Deposits, and tells of it or not.
    pub(super) async fn deposit(&mut self, chains: &Chains, desk: &Desk, tell: &broadcast::Sender<Moment>) {
        match &self.key {
            Key::Evm(key) => self.deposit_on_evm(key, chains, desk, tell).await,
            Key::Solana(_) => self.deposit_on_solana(chains, desk, tell).await,
        }
    }

    async fn deposit_on_evm(
        &self,
        key: &Signer,
        chains: &Chains,
        desk: &Desk,
        tell: &broadcast::Sender<Moment>,
    ) {
        let deal = self.deal();
        let (chain, token) = self.wish.from;
        let mut proof = None;
        for approval in deal.answer["approvals"].as_array().into_iter().flatten() {
            let request = &approval["request"];
            if request["method"] != "eth_sendTransaction" {
                continue;
            }
            let request = transaction(&request["params"][0]);
            if approval["deposit"] == true && self.wish.way == Way::Signed {
                let (_, raw) = chains.sign(chain, key, &request).await;
                proof = Some(json!({ "signedTransaction": raw }));
                continue;
            }
            let hash = chains.send(chain, key, &request).await;
            if approval["deposit"] == true {
                proof = Some(json!({ "txHash": hash }));
            }
        }
        match self.wish.way {
            Way::Permit => {
                let signature = key.sign_digest(&wallet_digest(&deal.answer["permit"])).unwrap();
                proof = Some(json!({ "signature": Bytes::from(signature.as_bytes().to_vec()) }));
            }
            Way::Transfer => {
                chains.pay(chain, &self.key, token, deal.deposit_address(), deal.amount_in).await;
            }
            Way::Call | Way::Silent | Way::Signed | Way::Late => {}
        }
        let _ = tell.send(Moment::Deposited);
        if let Some(proof) = proof.filter(|_| self.wish.way != Way::Silent) {
            self.submit_patiently(desk, &proof).await;
            let _ = tell.send(Moment::Submitted);
        }
    }

    /// Tells of the deposit, until the service has taken it: what a node that lags makes it refuse is told again.
    pub(super) async fn submit_patiently(&self, desk: &Desk, proof: &Value) {
        let begun = Instant::now();
        while let Err(refused) = self.submit(desk, proof).await {
            if begun.elapsed() > PATIENCE {
                let story = desk.story(None).await;
                panic!("the deposit of {self:?} was refused: {refused:?}\n{story}");
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }

    /// Tells of the deposit, until the service has taken or refused it.
    pub(super) async fn submit(&self, desk: &Desk, proof: &Value) -> Result<(), (u16, Value)> {
        desk.ask(Method::PUT, "/v1/deposit/submit", &self.ask_to_submit(proof)).await.map(drop)
    }

    pub(super) fn ask_to_submit(&self, proof: &Value) -> Value {
        let mut proof = proof.clone();
        proof["quoteId"] = json!(self.deal().quote);
        proof["routeId"] = json!(self.deal().route);
        proof
    }
}

impl Deal {
    pub(super) fn deposit_address(&self) -> Address {
        Address::parse_any(self.answer["depositAddress"].as_str().unwrap()).unwrap()
    }

    fn read(wish: Wish, quote: String, route: String, answer: Value) -> Self {
        let terms = &answer["terms"];
        let word = |name: &str| terms[name].as_str().unwrap().parse::<B256>().unwrap();
        let number = |name: &str| terms[name].as_str().unwrap().parse::<U256>().unwrap();
        let (origin, destination) = (wish.from.0, wish.to.0);
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
