use std::collections::HashMap;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use alloy_primitives::{Address, Bytes, U256, keccak256};
use alloy_sol_types::{SolType as _, sol};
use axum::Router;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use causeway_provider_calls::zerox::Swap;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::backend::{Backend, FEE_BPS, Mischief};
use super::money::PlayMoney;

/// How many swaps of the same size the stand-in keeps output for.
const STOCK: u64 = 1_000;

sol! {
    /// One action of the sandbox's `PlayExchange`.
    struct Transfer {
        address token;
        bool fromCaller;
        address to;
        uint256 amount;
    }
}

/// A server that answers as 0x's documentation says, for swaps through the sandbox's `PlayExchange` contract. It stops when
/// dropped.
#[derive(Debug)]
pub struct ZeroxStandIn {
    /// The base of its API, for the configuration.
    pub url: String,
    backend: Arc<Backend>,
    task: JoinHandle<()>,
}

impl Drop for ZeroxStandIn {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl ZeroxStandIn {
    /// Starts it on a local port. `contract` lies on every chain of the tokens.
    pub async fn start(
        contract: Address,
        tokens: impl IntoIterator<Item = (u64, Address, u8, &'static str)>,
        money: Arc<PlayMoney>,
    ) -> io::Result<Self> {
        let backend = Arc::new(Backend::new(contract, tokens, money));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let router =
            Router::new().route("/swap/allowance-holder/quote", get(quote)).with_state(Arc::clone(&backend));
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

fn error(status: StatusCode, name: &str, message: &str) -> Response {
    (status, axum::Json(json!({ "name": name, "message": message }))).into_response()
}

fn outage(status: StatusCode, message: &str) -> Response {
    error(status, "INTERNAL_SERVER_ERROR", message)
}

/// How long a payment of the faucet may take to be in a block.
const STOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// A part of an amount in basis points, rounded down.
fn part(amount: U256, bps: u64) -> Option<U256> {
    amount.checked_mul(U256::from(bps))?.checked_div(U256::from(10_000))
}

impl Backend {
    /// The quote for a request; `None` for what the stand-in does not trade.
    async fn zerox_quote(&self, params: &HashMap<String, String>) -> Option<Value> {
        let text = |name: &str| params.get(name).map(String::as_str);
        let address = |name: &str| text(name)?.parse::<Address>().ok();
        let chain: u64 = text("chainId")?.parse().ok()?;
        let (from, to, taker) = (address("sellToken")?, address("buyToken")?, address("taker")?);
        let recipient = address("recipient").unwrap_or(taker);
        let amount: U256 = text("sellAmount")?.parse().ok()?;
        let slippage: u64 = text("slippageBps").unwrap_or("100").parse().ok()?;
        let fee_bps: u64 = text("swapFeeBps").unwrap_or("0").parse().ok()?;
        let mischief = self.mischief();
        let whole = self.output((chain, from), (chain, to), amount)?;
        let fee = part(whole, fee_bps)?;
        let output = whole.checked_sub(fee)?;
        let least = part(output, 10_000_u64.saturating_sub(slippage))?;
        self.stock(chain, to, output).await;

        let pay = if let Mischief::OtherRecipient(other) = mischief { other } else { recipient };
        let paid = if mischief == Mischief::PaysLess { output / U256::from(2) } else { output };
        let transfer = |token: Address, from_caller: bool, to: Address, amount: U256| {
            Bytes::from(Transfer::abi_encode(&Transfer { token, fromCaller: from_caller, to, amount }))
        };
        let mut actions = vec![transfer(from, true, self.contract, amount), transfer(to, false, pay, paid)];
        if let (Some(recipient), false) = (address("swapFeeRecipient"), fee.is_zero()) {
            actions.push(transfer(to, false, recipient, fee));
        }
        if let Mischief::TakesMore(token) = mischief {
            actions.push(transfer(token, true, self.contract, amount));
        }
        let named = if mischief == Mischief::OtherOutput { from } else { to };
        let settler = if let Mischief::OtherSettler(other) = mischief { other } else { self.contract };
        let swap =
            Swap { operator: settler, settler, token: from, amount, recipient: pay, output: named, least };
        let zid = keccak256(format!("{params:?}{}", self.quotes()));
        let data = swap.call(actions, zid);
        let target = if let Mischief::OtherTarget(other) = mischief { other } else { self.contract };
        let spender = if let Mischief::OtherSpender(other) = mischief { other } else { self.contract };
        let bought = if mischief == Mischief::OtherChain { from } else { to };
        let cost = |amount: U256, token: Address| {
            (!amount.is_zero()).then(
                || json!({ "amount": amount.to_string(), "token": token.to_string(), "type": "volume" }),
            )
        };
        Some(json!({
            "allowanceTarget": spender.to_string(), "blockNumber": "1", "buyAmount": output.to_string(),
            "buyToken": bought.to_string(),
            "fees": {
                "integratorFee": cost(fee, to), "zeroExFee": cost(part(amount, FEE_BPS)?, from), "gasFee": null,
            },
            "issues": {
                "allowance": { "actual": "0", "spender": spender.to_string() }, "balance": null,
                "simulationIncomplete": false, "invalidSourcesPassed": [],
            },
            "liquidityAvailable": true, "minBuyAmount": least.to_string(), "mode": "exact-in",
            "route": { "fills": [{
                "from": from.to_string(), "to": to.to_string(), "source": "Play", "proportionBps": "10000",
            }], "tokens": [] },
            "sellAmount": amount.to_string(), "sellToken": from.to_string(), "totalNetworkFee": "120000000000000",
            "transaction": {
                "to": target.to_string(), "data": data, "gas": "288079", "gasPrice": "1000000000", "value": "0",
            },
            "zid": zid.to_string(),
        }))
    }

    /// Leaves enough of the output at the contract. Where the chain does not run yet there is nothing to leave.
    async fn stock(&self, chain: u64, token: Address, output: U256) {
        let held = self.money.balance(chain, token, self.contract).await;
        if held.is_ok_and(|held| held < output.saturating_mul(U256::from(2))) {
            let amount = output.saturating_mul(U256::from(STOCK));
            match self.money.pay(chain, token, self.contract, amount).await {
                Ok(_) => self.wait_for_stock(chain, token, output).await,
                Err(error) => tracing::warn!(error, "the stand-in has no output"),
            }
        }
    }

    async fn wait_for_stock(&self, chain: u64, token: Address, output: U256) {
        let begun = Instant::now();
        while begun.elapsed() < STOCK_TIMEOUT {
            if self.money.balance(chain, token, self.contract).await.is_ok_and(|held| held >= output) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        tracing::warn!("the stand-in's output is not in a block yet");
    }
}

async fn quote(
    State(backend): State<Arc<Backend>>,
    headers: HeaderMap,
    Query(params): Query<HashMap<String, String>>,
) -> Response {
    backend.count_quote();
    if !headers.contains_key("0x-api-key") || headers.get("0x-version").is_none_or(|version| version != "v2")
    {
        return error(StatusCode::BAD_REQUEST, "INPUT_INVALID", "The input is invalid");
    }
    if let Some(answer) = backend.outage(outage).await {
        return answer;
    }
    let quoted =
        if backend.mischief() == Mischief::NoRoute { None } else { backend.zerox_quote(&params).await };
    axum::Json(quoted.unwrap_or_else(|| json!({ "liquidityAvailable": false, "zid": "0x0" }))).into_response()
}
