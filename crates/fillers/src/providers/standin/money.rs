use std::time::Duration;

use alloy_primitives::{Address, B256, Bytes, U256, b256, hex};
use causeway_http_client::{client, read_body};
use parking_lot::RwLock;
use reqwest::Client;
use serde_json::{Value, json};

/// The largest answer of the sandbox that is read.
const MAX_BYTES: usize = 1024 * 1024;

/// The sandbox's chains over HTTP: what a payer has sent, and the faucet that pays in the stand-in's name.
#[derive(Debug)]
pub struct PlayMoney {
    client: Client,
    /// Where the sandbox lies; unknown until it runs.
    base: RwLock<Option<String>>,
}

/// `Transfer(address,address,uint256)`
const TRANSFER: B256 = b256!("ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");

/// A transaction in a block.
pub(super) struct Paid {
    pub(super) from: Address,
    pub(super) to: Option<Address>,
    pub(super) input: Bytes,
    pub(super) succeeded: bool,
}

impl PlayMoney {
    pub fn new() -> Result<Self, String> {
        let client = client(Duration::from_secs(10)).map_err(|error| error.to_string())?;
        Ok(Self { client, base: RwLock::default() })
    }

    /// Names the sandbox, for instance `http://127.0.0.1:8080`.
    pub fn connect(&self, base: &str) {
        *self.base.write() = Some(base.trim_end_matches('/').to_owned());
    }

    /// A transaction of the chain, once a block holds it.
    pub(super) async fn transaction(&self, chain: u64, tx: &str) -> Result<Option<Paid>, String> {
        let receipt = self.rpc(chain, "eth_getTransactionReceipt", tx.into()).await?;
        if receipt.is_null() {
            return Ok(None);
        }
        let sent = self.rpc(chain, "eth_getTransactionByHash", tx.into()).await?;
        let text = |name: &str| sent.get(name).and_then(Value::as_str);
        let to = text("to").and_then(|text| text.parse().ok());
        let input = text("input").and_then(|text| text.parse().ok()).unwrap_or_default();
        let succeeded = receipt.get("status").and_then(Value::as_str) == Some("0x1");
        let from = text("from").and_then(|text| text.parse().ok()).unwrap_or_default();
        Ok(Some(Paid { from, to, input, succeeded }))
    }

    /// How much of a token an address holds; nothing where the chain does not say.
    pub(super) async fn balance(&self, chain: u64, token: Address, owner: Address) -> Result<U256, String> {
        // `balanceOf(address)`
        let data = hex::encode_prefixed([&[0x70, 0xa0, 0x82, 0x31], owner.into_word().as_slice()].concat());
        let held = self.rpc(chain, "eth_call", json!({ "to": token.to_string(), "data": data })).await?;
        let held = held.as_str().and_then(|text| text.parse::<Bytes>().ok());
        Ok(held.and_then(|held| U256::try_from_be_slice(&held)).unwrap_or_default())
    }

    /// The transfers of a token to an address: the transaction and the amount of each.
    pub(super) async fn received(
        &self,
        chain: u64,
        token: Address,
        to: Address,
    ) -> Result<Vec<(String, U256)>, String> {
        let filter = json!({
            "fromBlock": "0x0", "toBlock": "latest", "address": token.to_string(),
            "topics": [TRANSFER.to_string(), null, to.into_word().to_string()],
        });
        let logs = self.rpc(chain, "eth_getLogs", filter).await?;
        let transfer = |log: &Value| {
            let tx = log.get("transactionHash")?.as_str()?.to_owned();
            let data: Bytes = log.get("data")?.as_str()?.parse().ok()?;
            Some((tx, U256::try_from_be_slice(&data)?))
        };
        Ok(logs.as_array().into_iter().flatten().filter_map(transfer).collect())
    }

    /// Pays from the faucet and returns the transaction.
    pub(super) async fn pay(
        &self,
        chain: u64,
        token: Address,
        to: Address,
        amount: U256,
    ) -> Result<String, String> {
        let mut body = json!({ "chainId": chain, "address": to.to_string(), "amount": amount.to_string() });
        if !token.is_zero()
            && let Some(body) = body.as_object_mut()
        {
            body.insert("token".to_owned(), token.to_string().into());
        }
        let answer = self.post("/sandbox/faucet", &body).await?;
        let tx = answer.get("txHash").and_then(Value::as_str);
        tx.map(str::to_owned).ok_or_else(|| format!("the faucet named no transaction: {answer}"))
    }

    async fn rpc(&self, chain: u64, method: &str, param: Value) -> Result<Value, String> {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": [param] });
        let answer = self.post(&format!("/sandbox/rpc/{chain}"), &call).await?;
        answer.get("result").cloned().ok_or_else(|| format!("chain {chain} refused: {answer}"))
    }

    async fn post(&self, path: &str, body: &Value) -> Result<Value, String> {
        let base = self.base.read().clone().ok_or("the sandbox does not run yet")?;
        let sent = self.client.post(format!("{base}{path}")).header("content-type", "application/json");
        let response = sent.body(body.to_string()).send().await.map_err(|error| error.to_string())?;
        let bytes = read_body(response, MAX_BYTES).await.map_err(|error| error.to_string())?;
        serde_json::from_slice(&bytes).map_err(|error| error.to_string())
    }
}
