use std::collections::HashMap;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;

use alloy_primitives::{Address, B256, U256, keccak256};
use alloy_sol_types::{SolType as _, sol};
use axum::Router;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::backend::{Backend, Deposit, FEE_BPS, Mischief, Outcome};
use super::money::PlayMoney;
use crate::providers::lifi::calldata::{BridgeData, bridge_data};

/// The name of the stand-in's bridge.
const TOOL: &str = "play";

/// A server that answers as LI.FI's documentation says, and takes its deposits through the sandbox's `PlayProvider` contract. It
/// stops when dropped.
#[derive(Debug)]
pub struct LifiStandIn {
    /// The base of its API, for the configuration.
    pub url: String,
    backend: Arc<Backend>,
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
        let backend = Arc::new(Backend::new(contract, tokens, money));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let url = format!("http://{}/v1", listener.local_addr()?);
        let router = Router::new()
            .route("/v1/quote", get(quote))
            .route("/v1/status", get(status))
            .route("/v1/chains", get(chains))
            .route("/v1/tokens", get(tokens_of))
            .with_state(Arc::clone(&backend));
        let task = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::warn!(%error, "stand-in stopped");
            }
        });
        Ok(Self { url, backend, task })
    }

    pub fn misbehave(&self, mischief: Mischief) {
        self.backend.misbehave(mischief);
    }

    /// How many quotes it was asked for.
    pub fn quotes(&self) -> u64 {
        self.backend.quotes()
    }
}

type Params = Query<HashMap<String, String>>;

fn error(status: StatusCode, code: u32, message: &str) -> Response {
    (status, axum::Json(json!({ "message": message, "code": code }))).into_response()
}

fn outage(status: StatusCode, message: &str) -> Response {
    error(status, 1005, message)
}

impl Backend {
    fn lifi_token(&self, chain: u64, token: Address) -> Option<Value> {
        let (decimals, symbol) = self.token((chain, token))?;
        Some(json!({
            "address": token.to_string(), "chainId": chain, "symbol": symbol, "decimals": decimals, "name": symbol,
            "coinKey": symbol, "logoURI": "", "priceUSD": "1",
        }))
    }

    /// The quote for a request; `None` for what the stand-in does not trade.
    fn lifi_quote(&self, params: &HashMap<String, String>) -> Option<Value> {
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
        let mischief = self.mischief();
        let id = keccak256(format!("{params:?}{}", self.quotes()));
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
                "fromChainId": from_chain, "toChainId": quoted_chain, "fromToken": self.lifi_token(from_chain, from)?,
                "toToken": self.lifi_token(to_chain, to)?, "fromAmount": amount.to_string(), "slippage": 0.005,
                "fromAddress": payer.to_string(), "toAddress": recipient.to_string(),
            },
            "estimate": {
                "tool": TOOL, "fromAmount": amount.to_string(), "toAmount": output.to_string(),
                "toAmountMin": least.to_string(), "approvalAddress": spender.to_string(), "executionDuration": 4,
                "feeCosts": [{
                    "name": "Play fee", "description": "", "percentage": "0.001", "included": true,
                    "amount": (amount / U256::from(10_000 / FEE_BPS)).to_string(), "amountUSD": "0",
                    "token": self.lifi_token(from_chain, from)?,
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
    async fn lifi_status(&self, params: &HashMap<String, String>) -> Result<Value, String> {
        let chain: u64 = params.get("fromChain").and_then(|text| text.parse().ok()).ok_or("fromChain")?;
        let to_chain: u64 = params.get("toChain").and_then(|text| text.parse().ok()).ok_or("toChain")?;
        let tx = params.get("txHash").ok_or("txHash")?;
        let sent = json!({ "txHash": tx, "chainId": chain });
        let Some(paid) = self.money.transaction(chain, tx).await? else {
            return Ok(json!({ "status": "NOT_FOUND", "sending": sent }));
        };
        let bridge = bridge_data(&paid.input).filter(|_| paid.succeeded && paid.to == Some(self.contract));
        let Some(bridge) = bridge else { return Ok(json!({ "status": "INVALID", "sending": sent })) };
        let from = (chain, bridge.sendingAssetId);
        let to = self.counterpart(from, to_chain).ok_or("no such token")?;
        let deposit = Deposit {
            from,
            amount: bridge.minAmount,
            refund_to: paid.from,
            to: (to_chain, to),
            recipient: bridge.receiver,
            instead_to: bridge.receiver,
        };
        let Some(payout) = self.settle(tx, &deposit).await? else {
            return Ok(
                json!({ "status": "PENDING", "substatus": "WAIT_DESTINATION_TRANSACTION", "sending": sent }),
            );
        };
        let substatus = match payout.outcome {
            Outcome::Delivered => "COMPLETED",
            Outcome::Refunded => "REFUNDED",
            Outcome::Other => "PARTIAL",
        };
        let (on, token) = payout.token;
        Ok(json!({
            "transactionId": bridge.transactionId.to_string(), "status": "DONE", "substatus": substatus,
            "substatusMessage": "", "tool": TOOL, "sending": sent,
            "receiving": {
                "txHash": payout.tx, "chainId": on, "amount": payout.amount.to_string(),
                "token": { "address": token.to_string(), "chainId": on },
            },
        }))
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

async fn quote(State(backend): State<Arc<Backend>>, Query(params): Params) -> Response {
    backend.count_quote();
    if let Some(answer) = backend.outage(outage).await {
        return answer;
    }
    let quoted = if backend.mischief() == Mischief::NoRoute { None } else { backend.lifi_quote(&params) };
    match quoted {
        Some(quote) => axum::Json(quote).into_response(),
        None => error(StatusCode::NOT_FOUND, 1002, "No available quotes for the requested transfer"),
    }
}

async fn status(State(backend): State<Arc<Backend>>, Query(params): Params) -> Response {
    if let Some(answer) = backend.outage(outage).await {
        return answer;
    }
    match backend.lifi_status(&params).await {
        Ok(status) => axum::Json(status).into_response(),
        Err(words) => error(StatusCode::BAD_REQUEST, 1011, &words),
    }
}

async fn chains(State(backend): State<Arc<Backend>>) -> Response {
    if let Some(answer) = backend.outage(outage).await {
        return answer;
    }
    let chain = |id: &u64| {
        json!({
            "id": id, "key": id.to_string(), "name": format!("Chain {id}"), "chainType": "EVM", "coin": "ETH",
            "mainnet": true, "diamondAddress": backend.contract.to_string(),
        })
    };
    axum::Json(json!({ "chains": backend.chains().iter().map(chain).collect::<Vec<_>>() })).into_response()
}

async fn tokens_of(State(backend): State<Arc<Backend>>) -> Response {
    let mut by_chain: HashMap<String, Vec<Value>> = HashMap::new();
    for (chain, token) in backend.tokens() {
        by_chain.entry(chain.to_string()).or_default().extend(backend.lifi_token(chain, token));
    }
    axum::Json(json!({ "tokens": by_chain })).into_response()
}
