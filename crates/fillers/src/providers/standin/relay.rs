use std::collections::HashMap;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;

use alloy_primitives::{Address, B256, Bytes, U256, hex};
use axum::Router;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::backend::{Backend, Deposit, FEE_BPS, Mischief, Outcome};
use super::money::PlayMoney;
use crate::providers::relay::calldata::{self, approval};
use crate::providers::relay::chain_name;
use crate::providers::relay::order::{
    OrderData, OrderInput, OrderOutput, OrderOutputPayment, OrderPayment, OrderRefund,
};

/// A depository for the sandbox, in the form that creates it. It takes `depositErc20` and `depositNative` as Relay's does, keeps
/// the input and has no way out.
const DEPOSITORY: &str = concat!(
    "605c600c600039605c6000f3", // returns the 92 bytes that follow
    "60003560e01c",             // the selector
    "806349290c1c14601d57",     // depositNative: stop
    "63e801795214601f57",       // depositErc20: take
    "600080fd",                 // anything else: revert
    "5b00",                     // 0x1d
    "5b3460555763",
    "23b872dd",
    "60e01b", // 0x1f: no value with a token; transferFrom(
    "600052",
    "33600452",
    "30602452",     // caller, this,
    "604435604452", // the amount)
    "60206000606460006000602435",
    "5af1", // of the token
    "6000511515",
    "16605a57",   // it succeeded, and returned true or nothing
    "5b600080fd", // 0x55: revert
    "5b00",       // 0x5a: stop
);

/// The code that creates the sandbox's depository.
pub fn depository_code() -> Vec<u8> {
    hex::decode(DEPOSITORY).unwrap_or_default()
}

/// A quote that was given.
#[derive(Clone, Debug)]
struct Given {
    from: (u64, Address),
    to: (u64, Address),
    amount: U256,
    refund_to: Address,
    recipient: Address,
    request: B256,
}

#[derive(Debug)]
struct Shared {
    backend: Backend,
    /// By the ids of their orders.
    given: Mutex<HashMap<B256, Given>>,
}

/// A server that answers as Relay's documentation says, and takes its deposits through the sandbox's depository. It stops when
/// dropped.
#[derive(Debug)]
pub struct RelayStandIn {
    /// The base of its API, for the configuration.
    pub url: String,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

impl Drop for RelayStandIn {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl RelayStandIn {
    /// Starts it on a local port. `contract` lies on every chain of the tokens.
    pub async fn start(
        contract: Address,
        tokens: impl IntoIterator<Item = (u64, Address, u8, &'static str)>,
        money: Arc<PlayMoney>,
    ) -> io::Result<Self> {
        let shared =
            Arc::new(Shared { backend: Backend::new(contract, tokens, money), given: Mutex::default() });
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let router = Router::new()
            .route("/quote/v2", post(quote))
            .route("/requests/v3", get(requests))
            .route("/chains", get(chains))
            .with_state(Arc::clone(&shared));
        let task = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::warn!(%error, "stand-in stopped");
            }
        });
        Ok(Self { url, shared, task })
    }

    pub fn misbehave(&self, mischief: Mischief) {
        self.shared.backend.misbehave(mischief);
    }

    /// How many quotes it was asked for.
    pub fn quotes(&self) -> u64 {
        self.shared.backend.quotes()
    }
}

fn error(status: StatusCode, code: &str, message: &str) -> Response {
    (status, axum::Json(json!({ "message": message, "errorCode": code }))).into_response()
}

fn outage(status: StatusCode, message: &str) -> Response {
    error(status, "SERVICE_UNAVAILABLE", message)
}

impl Shared {
    fn amount(&self, token: (u64, Address), amount: U256, least: U256) -> Option<Value> {
        let (decimals, symbol) = self.backend.token(token)?;
        Some(json!({
            "currency": {
                "chainId": token.0, "address": token.1.to_string(), "symbol": symbol, "name": symbol,
                "decimals": decimals, "metadata": { "logoURI": "", "verified": true },
            },
            "amount": amount.to_string(), "amountFormatted": "", "amountUsd": "0",
            "minimumAmount": least.to_string(),
        }))
    }

    /// The quote for a request; `None` for what the stand-in does not trade.
    fn quote(&self, body: &Value) -> Option<Value> {
        let text = |name: &str| body.get(name).and_then(Value::as_str);
        let number = |name: &str| body.get(name).and_then(Value::as_u64);
        let address = |name: &str| text(name)?.parse::<Address>().ok();
        let from = (number("originChainId")?, address("originCurrency")?);
        let to = (number("destinationChainId")?, address("destinationCurrency")?);
        let payer = address("user")?;
        let recipient = address("recipient").unwrap_or(payer);
        let refund_to = address("refundTo")?;
        let amount: U256 = text("amount")?.parse().ok()?;
        let bps: u64 = text("slippageTolerance")?.parse().ok()?;
        let fees = body.get("appFees").and_then(Value::as_array);
        let app_bps: u64 =
            fees.and_then(|fees| fees.first()?.get("fee")?.as_str()?.parse().ok()).unwrap_or(0);
        let part =
            |amount: U256, bps: u64| amount.checked_mul(U256::from(bps)).map(|n| n / U256::from(10_000));
        let app_fee = part(amount, app_bps)?;
        let output = self.backend.output(from, to, amount.checked_sub(app_fee)?)?;
        let least = part(output, 10_000_u64.saturating_sub(bps))?;
        let mischief = self.backend.mischief();
        let request = alloy_primitives::keccak256(format!("{body}{}", self.backend.quotes()));
        let given = Given { from, to, amount, refund_to, recipient, request };
        let paid = if let Mischief::OtherRecipient(other) = mischief { other } else { recipient };
        let order = order(&given, paid, least, output)?;
        let id = order.id();
        let taken =
            if matches!(mischief, Mischief::TakesMore(_)) { amount.checked_add(amount)? } else { amount };
        let native = from.1.is_zero();
        let call = calldata::Deposit { depositor: payer, token: (!native).then_some((from.1, taken)), id };
        let target = if let Mischief::OtherTarget(other) = mischief { other } else { self.backend.contract };
        let spender = if let Mischief::OtherSpender(other) = mischief { other } else { target };
        let allowed = if mischief == Mischief::UnboundedAllowance { U256::MAX } else { amount };
        let step = |id: &str, to: Address, data: Vec<u8>, value: U256| {
            json!({
                "id": id, "action": "Confirm transaction in your wallet", "description": "", "kind": "transaction",
                "requestId": request.to_string(), "depositAddress": "",
                "items": [{
                    "status": "incomplete",
                    "data": {
                        "from": payer.to_string(), "to": to.to_string(), "data": hex::encode_prefixed(data),
                        "value": value.to_string(), "chainId": from.0, "maxFeePerGas": "6500000",
                    },
                    "check": { "endpoint": format!("/intents/status/v3?requestId={request}"), "method": "GET" },
                }],
            })
        };
        let mut steps = Vec::new();
        if !native {
            steps.push(step("approve", from.1, approval(spender, allowed), U256::ZERO));
        }
        steps.push(step("deposit", target, call.call(), if native { amount } else { U256::ZERO }));
        let renamed = if mischief == Mischief::OtherChain { 792_703_809 } else { to.0 };
        let mut currency_out = self.amount(to, output, least)?;
        *currency_out.get_mut("currency")?.get_mut("chainId")? = renamed.into();
        let kept = part(amount, FEE_BPS)?;
        self.given.lock().insert(id, given);
        Some(json!({
            "steps": steps,
            "fees": {
                "relayer": self.amount(from, kept, kept)?, "app": self.amount(from, app_fee, app_fee)?,
            },
            "details": {
                "operation": "swap", "sender": payer.to_string(), "recipient": recipient.to_string(),
                "currencyIn": self.amount(from, amount, amount)?, "currencyOut": currency_out, "timeEstimate": 4,
            },
            "protocol": { "v2": { "orderId": id.to_string(), "hubType": "onchain", "orderData": order } },
        }))
    }

    /// Looks at the deposit, pays once what it is for, and says so.
    async fn requests(&self, tx: &str) -> Result<Value, String> {
        let mut found = None;
        for chain in self.backend.chains() {
            if let Some(paid) = self.backend.money.transaction(chain, tx).await? {
                found = Some(paid);
                break;
            }
        }
        let is_ours = |to: Option<Address>| to == Some(self.backend.contract);
        let paid = found.filter(|paid| paid.succeeded && is_ours(paid.to));
        let deposit = paid.and_then(|paid| calldata::Deposit::read(&paid.input));
        let given = deposit.and_then(|deposit| self.given.lock().get(&deposit.id).cloned());
        let Some(given) = given else { return Ok(json!({ "requests": [] })) };
        let deposit = Deposit {
            from: given.from,
            amount: given.amount,
            refund_to: given.refund_to,
            to: given.to,
            recipient: given.recipient,
            instead_to: given.refund_to,
        };
        let payout = self.backend.settle(tx, &deposit).await?;
        let (status, sent, refund) = match &payout {
            None => ("pending", Vec::new(), Value::Null),
            Some(payout) => {
                let sent =
                    vec![json!({ "txHash": payout.tx, "chainId": payout.token.0, "status": "success" })];
                match payout.outcome {
                    Outcome::Delivered => ("success", sent, Value::Null),
                    Outcome::Refunded | Outcome::Other => {
                        let (chain, token) = payout.token;
                        let currency =
                            json!({ "chainId": chain, "address": token.to_string(), "decimals": 6 });
                        ("refund", sent, json!({ "currency": currency, "amount": payout.amount.to_string() }))
                    }
                }
            }
        };
        Ok(json!({
            "requests": [{
                "id": given.request.to_string(), "status": status, "recipient": given.recipient.to_string(),
                "data": {
                    "failReason": "N/A", "outTxs": sent, "refundCurrencyData": refund,
                    "inTxs": [{ "txHash": tx, "chainId": given.from.0, "status": "success" }],
                },
            }],
        }))
    }
}

/// The order of a quote, in which only the recipient may differ from it.
fn order(given: &Given, recipient: Address, least: U256, output: U256) -> Option<OrderData> {
    let (deadline, extra_data) = (u32::MAX, Bytes::copy_from_slice(&[0; 32]));
    let refund = |token: (u64, Address)| {
        Some(OrderRefund {
            chain_id: chain_name(token.0)?.to_owned(),
            recipient: given.refund_to,
            currency: token.1,
            minimum_amount: U256::ZERO,
            deadline,
            extra_data: extra_data.clone(),
        })
    };
    Some(OrderData {
        version: "v1".to_owned(),
        solver_chain_id: "base".to_owned(),
        solver: Address::repeat_byte(0x50),
        salt: given.request.into(),
        inputs: vec![OrderInput {
            payment: OrderPayment {
                chain_id: chain_name(given.from.0)?.to_owned(),
                currency: given.from.1,
                amount: given.amount,
                weight: U256::from(1),
            },
            refunds: vec![refund(given.from)?, refund(given.to)?],
        }],
        output: OrderOutput {
            chain_id: chain_name(given.to.0)?.to_owned(),
            payments: vec![OrderOutputPayment {
                recipient,
                currency: given.to.1,
                minimum_amount: least,
                expected_amount: output,
            }],
            calls: Vec::new(),
            deadline,
            extra_data,
        },
        fees: Vec::new(),
    })
}

async fn quote(State(shared): State<Arc<Shared>>, axum::Json(body): axum::Json<Value>) -> Response {
    shared.backend.count_quote();
    if let Some(answer) = shared.backend.outage(outage).await {
        return answer;
    }
    let quoted = if shared.backend.mischief() == Mischief::NoRoute { None } else { shared.quote(&body) };
    match quoted {
        Some(quote) => axum::Json(quote).into_response(),
        None => error(StatusCode::BAD_REQUEST, "NO_SWAP_ROUTES_FOUND", "No routes found"),
    }
}

async fn requests(
    State(shared): State<Arc<Shared>>,
    Query(params): Query<HashMap<String, String>>,
) -> Response {
    if let Some(answer) = shared.backend.outage(outage).await {
        return answer;
    }
    let tx = params.get("depositTxHash").map(String::as_str).unwrap_or_default();
    match shared.requests(tx).await {
        Ok(found) => axum::Json(found).into_response(),
        Err(words) => error(StatusCode::BAD_REQUEST, "UNKNOWN_ERROR", &words),
    }
}

async fn chains(State(shared): State<Arc<Shared>>) -> Response {
    if let Some(answer) = shared.backend.outage(outage).await {
        return answer;
    }
    let chain = |id: &u64| {
        json!({
            "id": id, "name": chain_name(*id), "displayName": format!("Chain {id}"), "vmType": "evm",
            "disabled": false,
            "protocol": { "v2": { "chainId": chain_name(*id), "depository": shared.backend.contract.to_string() } },
        })
    };
    let chains: Vec<Value> = shared.backend.chains().iter().map(chain).collect();
    axum::Json(json!({ "chains": chains })).into_response()
}
