use std::collections::HashMap;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use alloy_primitives::{Address, B256, U256, keccak256};
use alloy_sol_types::{SolType as _, sol};
use axum::Router;
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::money::PlayMoney;
use crate::providers::lifi::calldata::{BridgeData, bridge_data};

/// The name of the stand-in's bridge.
const TOOL: &str = "play";

/// What the stand-in keeps of every amount, in basis points.
const FEE_BPS: u64 = 10;

/// How a stand-in misbehaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mischief {
    #[default]
    None,
    Down,
    /// Answers 429 with `Retry-After`.
    TooMany,
    Html,
    Slow(Duration),
    /// Has no route.
    NoRoute,
    OtherTarget(Address),
    OtherSpender(Address),
    /// The transaction names another recipient than the quote.
    OtherRecipient(Address),
    /// The transaction takes this token besides the input.
    TakesMore(Address),
    OtherDecimals,
    OtherChain,
    /// Quotes less than before.
    WorsePrice,
    /// Delivers half of the output.
    PaysLess,
    /// Says that it has delivered, and names a transaction of somebody else.
    OnlySaysDone,
    /// Returns the input to the payer.
    Refunds,
    /// Pays the recipient in this token of the destination chain.
    PaysOther(Address),
    /// Never goes on.
    Stuck,
}

/// The entry contract and the tokens of a stand-in.
#[derive(Debug)]
struct Shared {
    contract: Address,
    /// Decimals and symbol of each token by chain and address.
    tokens: HashMap<(u64, Address), (u8, String)>,
    mischief: Mutex<Mischief>,
    money: Arc<PlayMoney>,
    /// What was paid for each deposit, so that it is paid once.
    payouts: tokio::sync::Mutex<HashMap<String, Value>>,
    quotes: AtomicU64,
}

/// A server that answers as LI.FI's documentation says, and takes its deposits through the sandbox's `PlayProvider` contract. It
/// stops when dropped.
#[derive(Debug)]
pub struct LifiStandIn {
    /// The base of its API, for the configuration.
    pub url: String,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

impl Drop for LifiStandIn {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl LifiStandIn {
    /// Starts it on a local port. `contract` lies on every chain of the tokens.
    pub async fn start(
        contract: Address,
        tokens: impl IntoIterator<Item = (u64, Address, u8, &'static str)>,
        money: Arc<PlayMoney>,
    ) -> io::Result<Self> {
        let tokens = tokens
            .into_iter()
            .map(|(chain, token, decimals, symbol)| ((chain, token), (decimals, symbol.to_owned())));
        let shared = Arc::new(Shared {
            contract,
            tokens: tokens.collect(),
            mischief: Mutex::default(),
            money,
            payouts: tokio::sync::Mutex::default(),
            quotes: AtomicU64::new(0),
        });
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let url = format!("http://{}/v1", listener.local_addr()?);
        let router = Router::new()
            .route("/v1/quote", get(quote))
            .route("/v1/status", get(status))
            .route("/v1/chains", get(chains))
            .route("/v1/tokens", get(tokens_of))
            .with_state(Arc::clone(&shared));
        let task = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::warn!(%error, "stand-in stopped");
            }
        });
        Ok(Self { url, shared, task })
    }

    pub fn misbehave(&self, mischief: Mischief) {
        *self.shared.mischief.lock() = mischief;
    }

    /// How many quotes it was asked for.
    pub fn quotes(&self) -> u64 {
        self.shared.quotes.load(Ordering::Relaxed)
    }
}

type Params = Query<HashMap<String, String>>;

fn error(status: StatusCode, code: u32, message: &str) -> Response {
    (status, axum::Json(json!({ "message": message, "code": code }))).into_response()
}

impl Shared {
    /// An answer that has nothing to do with the request, if it misbehaves that way.
    async fn outage(&self) -> Option<Response> {
        let mischief = *self.mischief.lock();
        match mischief {
            Mischief::Down => Some(error(StatusCode::SERVICE_UNAVAILABLE, 1006, "out of order")),
            Mischief::TooMany => {
                let answer = error(StatusCode::TOO_MANY_REQUESTS, 1005, "Rate limit exceeded");
                Some(([(header::RETRY_AFTER, "60")], answer).into_response())
            }
            Mischief::Html => Some(Html("<!doctype html><title>Just a moment</title>").into_response()),
            Mischief::Slow(time) => {
                tokio::time::sleep(time).await;
                None
            }
            _ => None,
        }
    }

    fn token(&self, chain: u64, token: Address) -> Option<Value> {
        let (decimals, symbol) = self.tokens.get(&(chain, token))?;
        let decimals = match *self.mischief.lock() {
            Mischief::OtherDecimals => decimals.saturating_add(1),
            _ => *decimals,
        };
        Some(json!({
            "address": token.to_string(), "chainId": chain, "symbol": symbol, "decimals": decimals, "name": symbol,
            "coinKey": symbol, "logoURI": "", "priceUSD": "1",
        }))
    }

    /// What a dollar coin buys of another: the same but for the decimals and the fee, rounded down.
    fn output(&self, from: (u64, Address), to: (u64, Address), amount: U256) -> Option<U256> {
        let (from, to) = (self.tokens.get(&from)?.0, self.tokens.get(&to)?.0);
        let power = |decimals: u8| U256::from(10).checked_pow(U256::from(decimals));
        let whole = amount.checked_mul(power(to)?)?.checked_div(power(from)?)?;
        let bps = if *self.mischief.lock() == Mischief::WorsePrice { 500 } else { FEE_BPS };
        whole.checked_mul(U256::from(10_000_u64.saturating_sub(bps)))?.checked_div(U256::from(10_000))
    }

    /// The quote for a request; `None` for what the stand-in does not trade.
    fn quote(&self, params: &HashMap<String, String>) -> Option<Value> {
        let text = |name: &str| params.get(name).map(String::as_str);
        let number = |name: &str| text(name)?.parse::<u64>().ok();
        let address = |name: &str| text(name)?.parse::<Address>().ok();
        let (from_chain, to_chain) = (number("fromChain")?, number("toChain")?);
        let (from, to) = (address("fromToken")?, address("toToken")?);
        let (payer, recipient) =
            (address("fromAddress")?, address("toAddress").or_else(|| address("fromAddress"))?);
        let amount: U256 = text("fromAmount")?.parse().ok()?;
        let slippage = text("slippage").unwrap_or("0.005");
        let output = self.output((from_chain, from), (to_chain, to), amount)?;
        let millionths: u64 = format!("{:0<8}", slippage.replace('.', "")).get(1..7)?.parse().ok()?;
        let least =
            output.checked_mul(U256::from(1_000_000_u64.saturating_sub(millionths)))? / U256::from(1_000_000);
        let mischief = *self.mischief.lock();
        let id = keccak256(format!("{params:?}{}", self.quotes.load(Ordering::Relaxed)));
        let bridge = BridgeData {
            transactionId: id,
            bridge: TOOL.to_owned(),
            integrator: text("integrator").unwrap_or_default().to_owned(),
            referrer: Address::ZERO,
            sendingAssetId: from,
            receiver: if let Mischief::OtherRecipient(other) = mischief { other } else { recipient },
            minAmount: amount,
            destinationChainId: U256::from(to_chain),
            hasSourceSwaps: false,
            hasDestinationCall: false,
        };
        let data = match mischief {
            Mischief::TakesMore(token) => take_more(bridge, token),
            _ => start_bridge(bridge),
        };
        let target = if let Mischief::OtherTarget(other) = mischief { other } else { self.contract };
        let spender = if let Mischief::OtherSpender(other) = mischief { other } else { self.contract };
        let value = if from.is_zero() { amount } else { U256::ZERO };
        let quoted_chain = if mischief == Mischief::OtherChain { 1_151_111_081_099_710 } else { to_chain };
        Some(json!({
            "type": "lifi", "id": id.to_string(), "tool": TOOL,
            "toolDetails": { "key": TOOL, "name": "Play bridge", "logoURI": "" },
            "action": {
                "fromChainId": from_chain, "toChainId": quoted_chain, "fromToken": self.token(from_chain, from)?,
                "toToken": self.token(to_chain, to)?, "fromAmount": amount.to_string(), "slippage": 0.005,
                "fromAddress": payer.to_string(), "toAddress": recipient.to_string(),
            },
            "estimate": {
                "tool": TOOL, "fromAmount": amount.to_string(), "toAmount": output.to_string(),
                "toAmountMin": least.to_string(), "approvalAddress": spender.to_string(), "executionDuration": 4,
                "feeCosts": [{
                    "name": "Play fee", "description": "", "percentage": "0.001", "included": true,
                    "amount": (amount / U256::from(10_000 / FEE_BPS)).to_string(), "amountUSD": "0",
                    "token": self.token(from_chain, from)?,
                }],
                "gasCosts": [],
            },
            "includedSteps": [],
            "transactionRequest": {
                "from": payer.to_string(), "to": target.to_string(), "chainId": from_chain, "data": data,
                "value": format!("{value:#x}"), "gasPrice": "0x3b9aca00", "gasLimit": "0x55730",
            },
        }))
    }

    /// Looks at the deposit, pays once what it is for, and says so.
    async fn status(&self, params: &HashMap<String, String>) -> Result<Value, String> {
        let chain: u64 = params.get("fromChain").and_then(|text| text.parse().ok()).ok_or("fromChain")?;
        let to_chain: u64 = params.get("toChain").and_then(|text| text.parse().ok()).ok_or("toChain")?;
        let tx = params.get("txHash").ok_or("txHash")?;
        let sent = json!({ "txHash": tx, "chainId": chain });
        let Some(paid) = self.money.transaction(chain, tx).await? else {
            return Ok(json!({ "status": "NOT_FOUND", "sending": sent }));
        };
        let bridge = bridge_data(&paid.input).filter(|_| paid.succeeded && paid.to == Some(self.contract));
        let Some(bridge) = bridge else { return Ok(json!({ "status": "INVALID", "sending": sent })) };
        let mut payouts = self.payouts.lock().await;
        if let Some(answer) = payouts.get(tx) {
            return Ok(answer.clone());
        }
        let mischief = *self.mischief.lock();
        if mischief == Mischief::Stuck {
            return Ok(
                json!({ "status": "PENDING", "substatus": "WAIT_DESTINATION_TRANSACTION", "sending": sent }),
            );
        }
        let (from, amount) = (bridge.sendingAssetId, bridge.minAmount);
        let to = self.counterpart(chain, from, to_chain).ok_or("no such token")?;
        let output = self.output((chain, from), (to_chain, to), amount).ok_or("no such token")?;
        let (status, substatus, on, token, receiver, amount) = match mischief {
            Mischief::Refunds => ("DONE", "REFUNDED", chain, from, paid.from, amount),
            Mischief::PaysOther(other) => ("DONE", "PARTIAL", to_chain, other, bridge.receiver, output),
            Mischief::PaysLess => {
                ("DONE", "COMPLETED", to_chain, to, bridge.receiver, output / U256::from(2))
            }
            _ => ("DONE", "COMPLETED", to_chain, to, bridge.receiver, output),
        };
        let payout = if mischief == Mischief::OnlySaysDone {
            B256::repeat_byte(0xab).to_string()
        } else {
            self.money.pay(on, token, receiver, amount).await?
        };
        let answer = json!({
            "transactionId": bridge.transactionId.to_string(), "status": status, "substatus": substatus,
            "substatusMessage": "", "tool": TOOL, "sending": sent,
            "receiving": {
                "txHash": payout, "chainId": on, "amount": amount.to_string(),
                "token": { "address": token.to_string(), "chainId": on },
            },
        });
        payouts.insert(tx.clone(), answer.clone());
        Ok(answer)
    }

    /// The token of the other chain with the same symbol.
    fn counterpart(&self, chain: u64, token: Address, to_chain: u64) -> Option<Address> {
        let (_, symbol) = self.tokens.get(&(chain, token))?;
        let same =
            |((on, _), (_, other)): &(&(u64, Address), &(u8, String))| *on == to_chain && other == symbol;
        self.tokens.iter().find(same).map(|((_, address), _)| *address)
    }
}

/// The call that takes the input.
fn start_bridge(bridge: BridgeData) -> String {
    let selector = keccak256(
        "startBridgeTokensViaPlay((bytes32,string,string,address,address,address,uint256,uint256,bool,bool))",
    );
    let arguments = <(BridgeData,)>::abi_encode_params(&(bridge,));
    call(selector, &arguments)
}

/// The call that takes the input and as much of another token.
fn take_more(bridge: BridgeData, token: Address) -> String {
    let selector = keccak256(
        "takeMore((bytes32,string,string,address,address,address,uint256,uint256,bool,bool),address,uint256)",
    );
    let amount = bridge.minAmount;
    let arguments = <(BridgeData, sol!(address), sol!(uint256))>::abi_encode_params(&(bridge, token, amount));
    call(selector, &arguments)
}

fn call(selector: B256, arguments: &[u8]) -> String {
    let selector = selector.as_slice().get(..4).unwrap_or_default();
    alloy_primitives::hex::encode_prefixed([selector, arguments].concat())
}

async fn quote(State(shared): State<Arc<Shared>>, Query(params): Params) -> Response {
    shared.quotes.fetch_add(1, Ordering::Relaxed);
    if let Some(answer) = shared.outage().await {
        return answer;
    }
    let quoted = if *shared.mischief.lock() == Mischief::NoRoute { None } else { shared.quote(&params) };
    match quoted {
        Some(quote) => axum::Json(quote).into_response(),
        None => error(StatusCode::NOT_FOUND, 1002, "No available quotes for the requested transfer"),
    }
}

async fn status(State(shared): State<Arc<Shared>>, Query(params): Params) -> Response {
    if let Some(answer) = shared.outage().await {
        return answer;
    }
    match shared.status(&params).await {
        Ok(status) => axum::Json(status).into_response(),
        Err(words) => error(StatusCode::BAD_REQUEST, 1011, &words),
    }
}

async fn chains(State(shared): State<Arc<Shared>>) -> Response {
    let mut ids: Vec<u64> = shared.tokens.keys().map(|(chain, _)| *chain).collect();
    ids.sort_unstable();
    ids.dedup();
    let chain = |id: &u64| {
        json!({
            "id": id, "key": id.to_string(), "name": format!("Chain {id}"), "chainType": "EVM", "coin": "ETH",
            "mainnet": true, "diamondAddress": shared.contract.to_string(),
        })
    };
    axum::Json(json!({ "chains": ids.iter().map(chain).collect::<Vec<_>>() })).into_response()
}

async fn tokens_of(State(shared): State<Arc<Shared>>) -> Response {
    let mut by_chain: HashMap<String, Vec<Value>> = HashMap::new();
    for (chain, token) in shared.tokens.keys() {
        by_chain.entry(chain.to_string()).or_default().extend(shared.token(*chain, *token));
    }
    axum::Json(json!({ "tokens": by_chain })).into_response()
}
