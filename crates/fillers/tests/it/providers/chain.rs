use std::net::Ipv4Addr;
use std::sync::Arc;

use alloy_primitives::U256;
use axum::extract::{Path, State};
use axum::routing::post;
use axum::{Json, Router};
use causeway_domain::Address;
use causeway_domain::ports::ProviderTransaction;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// The hash of the payer's transaction.
pub(super) const DEPOSIT: &str = "0x1695bded7c1634dce4a200bdec72be0ed6cc5f7153ec2dc832b271d790eb00c8";

/// What the faucet paid in a stand-in's name.
#[derive(Clone, Debug)]
pub(super) struct Payment {
    pub(super) chain: u64,
    pub(super) to: String,
    pub(super) amount: String,
    pub(super) tx: String,
}

#[derive(Default)]
struct Ledger {
    /// The payer's transaction and its chain.
    deposit: Option<(u64, Value)>,
    payments: Vec<Payment>,
    /// Transfers of the payer: the chain, and the log of each.
    transfers: Vec<(u64, Value)>,
}

type Shared = Arc<Mutex<Ledger>>;

/// The two endpoints of the sandbox that stand-ins use, without a chain behind them. It stops when dropped.
pub(super) struct PlayChain {
    pub(super) url: String,
    ledger: Shared,
    task: JoinHandle<()>,
}

impl Drop for PlayChain {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl PlayChain {
    pub(super) async fn start() -> Self {
        let ledger = Shared::default();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new()
            .route("/sandbox/rpc/{chain}", post(rpc))
            .route("/sandbox/faucet", post(faucet))
            .with_state(Arc::clone(&ledger));
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, ledger, task }
    }

    /// Puts the payer's transaction into a block.
    pub(super) fn send(&self, chain: u64, payer: &Address, transaction: &ProviderTransaction) {
        let sent = json!({
            "from": payer.to_string(), "to": transaction.target.to_string(), "input": transaction.data,
        });
        self.ledger.lock().deposit = Some((chain, sent));
    }

    /// Puts a transfer of the payer into a block.
    pub(super) fn transfer(&self, chain: u64, token: Address, to: Address, amount: U256) {
        let log = json!({
            "address": token.to_string(), "transactionHash": DEPOSIT, "data": format!("0x{amount:064x}"),
            "topics": [Value::Null, Value::Null, to.to_word().to_string()],
        });
        self.ledger.lock().transfers.push((chain, log));
    }

    pub(super) fn payments(&self) -> Vec<Payment> {
        self.ledger.lock().payments.clone()
    }
}

async fn rpc(State(ledger): State<Shared>, Path(chain): Path<u64>, Json(call): Json<Value>) -> Json<Value> {
    let ledger = ledger.lock();
    let known = ledger.deposit.as_ref().filter(|(on, _)| *on == chain && call["params"][0] == DEPOSIT);
    let result = match (known, call["method"].as_str()) {
        (Some(_), Some("eth_getTransactionReceipt")) => json!({ "status": "0x1" }),
        (Some((_, sent)), Some("eth_getTransactionByHash")) => sent.clone(),
        (_, Some("eth_getLogs")) => {
            let filter = &call["params"][0];
            let is_wanted =
                |log: &Value| log["address"] == filter["address"] && log["topics"][2] == filter["topics"][2];
            let logs = ledger.transfers.iter().filter(|(on, log)| *on == chain && is_wanted(log));
            logs.map(|(_, log)| log.clone()).collect()
        }
        // Whoever asks for a balance holds what the faucet has paid.
        (_, Some("eth_call")) => {
            let data = call["params"][0]["data"].as_str().unwrap_or_default().to_ascii_lowercase();
            let is_owner = |to: &str| data.ends_with(&to.trim_start_matches("0x").to_ascii_lowercase());
            let paid = ledger.payments.iter().filter(|paid| paid.chain == chain && is_owner(&paid.to));
            let held = paid.fold(U256::ZERO, |sum, paid| sum + paid.amount.parse::<U256>().unwrap());
            json!(format!("0x{held:064x}"))
        }
        _ => Value::Null,
    };
    Json(json!({ "jsonrpc": "2.0", "id": 1, "result": result }))
}

async fn faucet(State(ledger): State<Shared>, Json(ask): Json<Value>) -> Json<Value> {
    let mut ledger = ledger.lock();
    let tx = format!("0x{:064x}", ledger.payments.len() + 1);
    let text = |name: &str| ask[name].as_str().unwrap_or_default().to_owned();
    let chain = ask["chainId"].as_u64().unwrap_or_default();
    ledger.payments.push(Payment { chain, to: text("address"), amount: text("amount"), tx: tx.clone() });
    Json(json!({ "txHash": tx }))
}
