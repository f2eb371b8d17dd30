//! What the endpoint of a wallet says of a provider's transaction, as the table of lies has it (`simulation`).

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use alloy_primitives::{Address, U256, hex};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use causeway_client::wire::QuoteAsk;
use causeway_client::{EvmTransaction, WalletError};
use serde_json::{Value, json};

const APPROVE: [u8; 4] = [0x09, 0x5e, 0xa7, 0xb3];
const BALANCE_OF: [u8; 4] = [0x70, 0xa0, 0x82, 0x31];
const ALLOWANCE: [u8; 4] = [0xdd, 0x62, 0xed, 0x3e];
const LAMPORTS: u64 = 1_000_000_000;
const RENT: u64 = 2_039_280;
const FEE: u64 = 5_000;

pub(crate) struct Endpoint {
    code: String,
    ask: QuoteAsk,
    /// `None` where the wallet cannot simulate.
    simulation: Option<Value>,
    allowed: Mutex<U256>,
    /// Whether an allowance was signed.
    is_later: AtomicBool,
}

/// A number of the table, which may be negative.
fn number(simulation: &Value, name: &str) -> Option<i128> {
    simulation[name].as_str().map(|text| text.parse().unwrap())
}

fn changed(from: U256, by: i128) -> U256 {
    let size = U256::from(by.unsigned_abs());
    if by < 0 { from - size } else { from + size }
}

fn last_word(data: &[u8]) -> U256 {
    U256::from_be_slice(&data[data.len() - 32..])
}

impl Endpoint {
    pub(crate) fn new(code: &str, ask: &QuoteAsk, by_default: &Value, simulation: Option<Value>) -> Self {
        let simulation = simulation.map(|own| {
            let mut whole = by_default.clone();
            whole.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
            whole
        });
        let allowed =
            simulation.as_ref().and_then(|simulation| number(simulation, "allowed")).unwrap_or_default();
        let allowed = Mutex::new(U256::from(allowed.unsigned_abs()));
        Self {
            code: code.to_owned(),
            ask: ask.clone(),
            simulation,
            allowed,
            is_later: AtomicBool::new(false),
        }
    }

    /// Learns of a transaction that was signed.
    pub(crate) fn signed(&self, transaction: &EvmTransaction) {
        if transaction.data.starts_with(&APPROVE) {
            *self.allowed.lock().unwrap() = last_word(&transaction.data);
            self.is_later.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn answer(&self, chain_id: u64, method: &str, params: &Value) -> Result<Value, WalletError> {
        assert_eq!(chain_id, self.ask.from_chain_id);
        let Some(mut simulation) = self.simulation.clone() else {
            return Err(WalletError::Other("Too many arguments.".to_owned()));
        };
        if let (true, Some(later)) =
            (self.is_later.load(Ordering::Relaxed), simulation["later"].as_object().cloned())
        {
            simulation.as_object_mut().unwrap().extend(later);
        }
        let simulation = &simulation;
        if let Some(answer) = simulation.get("answer") {
            return Ok(answer.clone());
        }
        Ok(match method {
            "eth_call" => self.call(simulation, params),
            "getMultipleAccounts" => json!({ "value": accounts(simulation, &self.ask, &params[0], false) }),
            "simulateTransaction" => self.simulate(simulation, params),
            other => panic!("{other}"),
        })
    }

    /// `eth_call` of the payer by itself, with the code at its address.
    fn call(&self, simulation: &Value, params: &Value) -> Value {
        let payer = self.ask.from_address.to_lowercase();
        assert_eq!([&params[0]["from"], &params[0]["to"]], [&payer, &payer]);
        assert_eq!(
            (&params[1], &params[2]),
            (&json!("latest"), &json!({ payer.as_str(): { "code": self.code } }))
        );
        let data = hex::decode(params[0]["data"].as_str().unwrap()).unwrap();
        let (mut left, mut answer) = (&data[..], Vec::new());
        let mut state = State {
            coin: U256::from(10).pow(U256::from(18)),
            input: U256::from(1_000_000_000),
            output: U256::from(5),
            allowed: *self.allowed.lock().unwrap(),
        };
        while !left.is_empty() {
            let (head, rest) = left.split_at(96);
            let [to, value, size] = [0, 32, 64].map(|at| U256::from_be_slice(&head[at..at + 32]));
            let (given, rest) = rest.split_at(size.to());
            let to = Address::from_word(to.into());
            let (succeeds, bytes) = self.step(simulation, &mut state, to, value, given);
            answer.extend(U256::from(u8::from(succeeds)).to_be_bytes::<32>());
            answer.extend(U256::from(bytes.len()).to_be_bytes::<32>());
            answer.extend(bytes);
            left = rest;
        }
        json!(hex::encode_prefixed(answer))
    }

    fn step(
        &self,
        simulation: &Value,
        state: &mut State,
        to: Address,
        value: U256,
        data: &[u8],
    ) -> (bool, Vec<u8>) {
        let is = |text: &str| text.parse::<Address>().is_ok_and(|address| address == to);
        let word = |number: U256| number.to_be_bytes::<32>().to_vec();
        let flag = |name: &str| simulation[name] == json!(true);
        if is(&self.ask.from_address) {
            return (true, word(state.coin));
        }
        match data[..4].try_into().unwrap() {
            BALANCE_OF if is(&self.ask.from_token) => (!flag("unreadable"), word(state.input)),
            BALANCE_OF => (!flag("unreadable"), word(state.output)),
            ALLOWANCE => (true, word(state.allowed)),
            APPROVE if flag("refusesAllowance") => (false, Vec::new()),
            APPROVE => {
                state.allowed = last_word(data);
                (true, word(U256::from(1)))
            }
            _ => {
                if let Some(reason) = simulation["fails"].as_str() {
                    return (false, hex::decode(reason).unwrap());
                }
                state.pay(simulation, value, self.ask.amount.parse().unwrap());
                (true, Vec::new())
            }
        }
    }

    fn simulate(&self, simulation: &Value, params: &Value) -> Value {
        let options = &params[1];
        assert_eq!(
            (&options["encoding"], &options["sigVerify"], &options["replaceRecentBlockhash"]),
            (&json!("base64"), &json!(false), &json!(true))
        );
        if let Some(reason) = simulation.get("fails") {
            return json!({ "value": { "err": reason, "accounts": null } });
        }
        let keys = &options["accounts"]["addresses"];
        let mut shown = accounts(simulation, &self.ask, keys, true);
        if simulation["fewer"] == json!(true) {
            shown.pop();
        }
        json!({ "value": { "err": null, "accounts": shown } })
    }
}

/// What the payer and the recipient have on an EVM chain.
struct State {
    coin: U256,
    input: U256,
    output: U256,
    allowed: U256,
}

impl State {
    fn pay(&mut self, simulation: &Value, value: U256, amount: i128) {
        let takes = number(simulation, "takes").unwrap_or(amount);
        let coin = number(simulation, "takesNative").unwrap_or_else(|| value.to());
        self.coin = changed(self.coin, -coin);
        if value.is_zero() {
            self.input = changed(self.input, -takes);
        }
        let used = self.allowed.saturating_sub(U256::from(takes.unsigned_abs()));
        self.allowed = number(simulation, "leaves").map_or(used, |left| U256::from(left.unsigned_abs()));
        self.output = changed(self.output, number(simulation, "pays").unwrap_or(300));
    }
}

/// The accounts with these keys before or after the swap: the payer's wallet and token accounts, and nothing else.
fn accounts(simulation: &Value, ask: &QuoteAsk, keys: &Value, after: bool) -> Vec<Value> {
    let number = |name: &str, otherwise: u64| {
        number(simulation, name).map_or(otherwise, |number| number.try_into().unwrap())
    };
    let named = |name: &str| simulation[name].as_str().unwrap_or_default();
    let opens = simulation["opens"] == json!(true);
    let amount: u64 = ask.amount.parse().unwrap();
    keys.as_array()
        .unwrap()
        .iter()
        .map(|key| match key.as_str().unwrap() {
            key if key == ask.from_address => {
                let rent = if opens { RENT } else { 0 };
                let takes = if after { number("takesNative", FEE + rent) } else { 0 };
                let owner = if after && !named("walletOf").is_empty() { named("walletOf") } else { "1111" };
                let owner = if owner == "1111" { "1".repeat(32) } else { owner.to_owned() };
                json!({ "lamports": LAMPORTS - takes, "owner": owner, "data": ["", "base64"] })
            }
            key if key == named("source") => {
                let takes = if after { number("takes", amount) } else { 0 };
                tokens(simulation, ask, "source", 5_000 - takes, after)
            }
            key if key == named("destination") && (after || !opens) => {
                let pays = if after { number("pays", 300) } else { 0 };
                let before = if opens { 0 } else { 5 };
                tokens(simulation, ask, "destination", before + pays, after)
            }
            key if key == named("other") => {
                let takes = if after { number("takesOther", 0) } else { 0 };
                tokens(simulation, ask, "other", 7 - takes, after)
            }
            _ => Value::Null,
        })
        .collect()
}

/// A token account of the payer, over which somebody else may have power after the swap.
fn tokens(simulation: &Value, ask: &QuoteAsk, name: &str, amount: u64, after: bool) -> Value {
    let mut data = vec![0; 165];
    let is = |field: &str| after && simulation[field] == json!(name);
    let owner =
        if is("gives") { vec![0xdd; 32] } else { bs58::decode(&ask.from_address).into_vec().unwrap() };
    data[32..64].copy_from_slice(&owner);
    data[64..72].copy_from_slice(&amount.to_le_bytes());
    data[72] = u8::from(is("delegates"));
    data[108] = 1;
    data[129] = u8::from(is("closable"));
    let owner = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
    json!({ "lamports": RENT, "owner": owner, "data": [BASE64.encode(data), "base64"] })
}
