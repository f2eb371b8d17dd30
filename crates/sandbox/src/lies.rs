use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::jsonrpc::RpcError;

/// The place of an invented log in its block, after all true ones.
const INVENTED_LOG_INDEX: u64 = 0xffff;

/// False responses of a node, for tests of components that must not trust them. A node responds truthfully by default.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Lies {
    /// Names a newest block or slot that is so much higher.
    pub blocks_ahead: u64,
    /// Counts so many more transactions of every account.
    pub nonces_ahead: u64,
    /// Names another hash for every block that is asked for by its number.
    pub false_hashes: bool,
    /// Multiplies all fees; 0 leaves them.
    pub fee_factor: u64,
    /// Leaves every log out.
    pub hide_logs: bool,
    /// Logs that no contract emitted.
    pub logs: Vec<InventedLog>,
    /// Answers of contracts.
    pub calls: Vec<InventedCall>,
    /// Accounts on Solana by address, as `getMultipleAccounts` shows them.
    pub accounts: BTreeMap<String, Value>,
    /// Transactions on Solana that never were, in the lists of the addresses that they name.
    pub transactions: Vec<InventedTransaction>,
    /// Refuses every transaction with this message.
    pub refuse_transactions: Option<String>,
}

/// A log of a block that does not hold it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InventedLog {
    pub block_number: u64,
    pub address: String,
    pub topics: Vec<String>,
    pub data: String,
}

/// The answer to every `eth_call` of this contract whose data begins so.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InventedCall {
    pub to: String,
    pub data: String,
    pub result: String,
}

/// A transaction on Solana that nobody sent.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InventedTransaction {
    pub signature: String,
    pub slot: u64,
    /// Whose lists show it.
    pub addresses: Vec<String>,
    /// As `getTransaction` shows it.
    pub transaction: Value,
}

impl Lies {
    /// The error of a call that an honest node would execute.
    pub(crate) fn refusal(&self, method: &str) -> Option<RpcError> {
        let sends = matches!(method, "eth_sendRawTransaction" | "sendTransaction");
        let message = self.refuse_transactions.as_ref().filter(|_| sends)?;
        Some(RpcError::new(-32000, message.clone()))
    }

    /// The response instead of the true one; `hash_of` is the true hash of a block.
    pub(crate) fn falsify(
        &self,
        method: &str,
        params: &Value,
        truth: Value,
        hash_of: impl Fn(u64) -> Option<Value>,
    ) -> Value {
        match method {
            "eth_blockNumber" => ahead(&truth, self.blocks_ahead),
            "eth_getBlockByNumber" if self.blocks_ahead > 0 && is_tag(&params[0]) => self.higher_block(truth),
            "eth_getBlockByNumber" if self.false_hashes && !is_tag(&params[0]) => other_fork(truth),
            "eth_getTransactionCount" => ahead(&truth, self.nonces_ahead),
            "eth_feeHistory" => self.raise_fees(truth),
            "eth_gasPrice" | "eth_maxPriorityFeePerGas" => self.times(&truth),
            "eth_getLogs" => self.logs_of(&params[0], truth, hash_of),
            "eth_call" => self.call(&params[0]).unwrap_or(truth),
            "getSlot" => truth.as_u64().map_or(truth, |slot| slot.saturating_add(self.blocks_ahead).into()),
            "getMultipleAccounts" => self.show_accounts(&params[0], truth),
            "getSignaturesForAddress" => self.list_transactions(params, truth),
            "getTransaction" => self.transaction(&params[0]).unwrap_or(truth),
            _ => truth,
        }
    }

    fn higher_block(&self, mut block: Value) -> Value {
        if block.is_object() {
            block["number"] = ahead(&block["number"], self.blocks_ahead);
            block["hash"] = json!(format!("0x{}", "1e".repeat(32)));
            block["parentHash"] = json!(format!("0x{}", "1d".repeat(32)));
        }
        block
    }

    fn times(&self, price: &Value) -> Value {
        let raised = number(price).and_then(|price| price.checked_mul(self.fee_factor.max(1).into()));
        raised.map_or_else(|| price.clone(), |price| json!(format!("{price:#x}")))
    }

    fn raise_fees(&self, mut history: Value) -> Value {
        let rewards = history["reward"].as_array().into_iter().flatten();
        let rewards: Vec<Value> = rewards
            .map(|tips| tips.as_array().into_iter().flatten().map(|tip| self.times(tip)).collect())
            .collect();
        let base = history["baseFeePerGas"].as_array().into_iter().flatten();
        let base: Vec<Value> = base.map(|fee| self.times(fee)).collect();
        history["baseFeePerGas"] = base.into();
        history["reward"] = rewards.into();
        history
    }

    fn logs_of(&self, filter: &Value, truth: Value, hash_of: impl Fn(u64) -> Option<Value>) -> Value {
        let Value::Array(mut logs) = truth else { return truth };
        if self.hide_logs {
            logs.clear();
        }
        for log in &self.logs {
            let Some(hash) = hash_of(log.block_number) else { continue };
            let end = |name: &str, open: u128| number(&filter[name]).unwrap_or(open);
            let within =
                (end("fromBlock", 0)..=end("toBlock", u128::MAX)).contains(&u128::from(log.block_number));
            let asked = if filter["blockHash"].is_null() { within } else { filter["blockHash"] == hash };
            if asked && names(&filter["address"], &log.address) {
                logs.push(json!({
                    "address": log.address, "topics": log.topics, "data": log.data, "blockHash": hash,
                    "blockNumber": format!("{:#x}", log.block_number), "removed": false,
                    "transactionHash": format!("0x{}", "1c".repeat(32)), "transactionIndex": "0x0",
                    "logIndex": format!("{INVENTED_LOG_INDEX:#x}"),
                }));
            }
        }
        logs.into()
    }

    fn call(&self, request: &Value) -> Option<Value> {
        let data = [&request["data"], &request["input"]].into_iter().find_map(Value::as_str)?.to_lowercase();
        let is_asked = |call: &&InventedCall| {
            names(&request["to"], &call.to) && data.starts_with(&call.data.to_lowercase())
        };
        self.calls.iter().find(is_asked).map(|call| json!(call.result))
    }

    fn show_accounts(&self, addresses: &Value, mut truth: Value) -> Value {
        for (place, address) in addresses.as_array().into_iter().flatten().enumerate() {
            let invented = address.as_str().and_then(|address| self.accounts.get(address));
            if let (Some(account), Some(slot)) = (invented, truth["value"].get_mut(place)) {
                *slot = account.clone();
            }
        }
        truth
    }

    /// Newest first, as a node lists them.
    fn list_transactions(&self, params: &Value, truth: Value) -> Value {
        let Value::Array(mut list) = truth else { return truth };
        let is_first_page = params[1]["before"].is_null();
        let named = |one: &&InventedTransaction| one.addresses.iter().any(|address| params[0] == **address);
        for one in self.transactions.iter().filter(named).filter(|_| is_first_page) {
            let is_older = |listed: &Value| listed["slot"].as_u64().is_some_and(|slot| slot <= one.slot);
            let place = list.iter().position(is_older).unwrap_or(list.len());
            let listed = json!({ "signature": one.signature, "slot": one.slot, "err": null });
            list.insert(place, listed);
        }
        let limit = params[1]["limit"].as_u64().and_then(|limit| usize::try_from(limit).ok());
        list.truncate(limit.unwrap_or(usize::MAX));
        list.into()
    }

    fn transaction(&self, signature: &Value) -> Option<Value> {
        let found = self.transactions.iter().find(|one| *signature == *one.signature);
        found.map(|one| one.transaction.clone())
    }
}

fn other_fork(mut block: Value) -> Value {
    if block.is_object() {
        block["hash"] = json!(format!("0x{}", "1b".repeat(32)));
    }
    block
}

fn is_tag(block: &Value) -> bool {
    matches!(block.as_str(), Some("latest" | "safe" | "finalized" | "pending"))
}

fn number(value: &Value) -> Option<u128> {
    u128::from_str_radix(value.as_str()?.strip_prefix("0x")?, 16).ok()
}

fn ahead(value: &Value, by: u64) -> Value {
    let raised = number(value).map(|number| number.saturating_add(by.into()));
    raised.map_or_else(|| value.clone(), |number| json!(format!("{number:#x}")))
}

/// Whether an address, or a list of addresses, names this one. No address means any.
fn names(value: &Value, address: &str) -> bool {
    let same = |value: &Value| value.as_str().is_some_and(|text| text.eq_ignore_ascii_case(address));
    match value {
        Value::Null => true,
        Value::Array(all) => all.iter().any(same),
        one => same(one),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn falsified(lies: Value, method: &str, params: &Value, truth: Value) -> Value {
        let lies: Lies = serde_json::from_value(lies).unwrap();
        assert_eq!(Lies::default().falsify(method, params, truth.clone(), |_| None), truth, "{method}");
        lies.falsify(method, params, truth, |number| (number == 7).then(|| json!("0xaa")))
    }

    #[test]
    fn heads_and_fees_are_raised() {
        let ahead = json!({ "blocksAhead": 16 });
        assert_eq!(falsified(ahead.clone(), "eth_blockNumber", &json!([]), json!("0x10")), json!("0x20"));
        assert_eq!(falsified(ahead.clone(), "getSlot", &json!([]), json!(4)), json!(20));
        let count =
            falsified(json!({ "noncesAhead": 16 }), "eth_getTransactionCount", &json!([]), json!("0x10"));
        assert_eq!(count, json!("0x20"));
        let block = json!({ "number": "0x1", "hash": "0xbb" });
        assert_eq!(
            falsified(ahead.clone(), "eth_getBlockByNumber", &json!(["latest", false]), block.clone())["number"],
            "0x11"
        );
        assert_eq!(falsified(ahead, "eth_getBlockByNumber", &json!(["0x1", false]), block.clone()), block);
        let forked = falsified(
            json!({ "falseHashes": true }),
            "eth_getBlockByNumber",
            &json!(["0x1", false]),
            block.clone(),
        );
        assert!(forked["number"] == block["number"] && forked["hash"] != block["hash"]);
        let history = json!({ "baseFeePerGas": ["0x1", "0x2"], "reward": [["0x3"]] });
        let raised = falsified(json!({ "feeFactor": 3 }), "eth_feeHistory", &json!([]), history);
        assert_eq!(raised, json!({ "baseFeePerGas": ["0x3", "0x6"], "reward": [["0x9"]] }));
    }

    #[test]
    fn logs_are_invented_and_hidden() {
        let log = json!({ "blockNumber": 7, "address": "0xAB", "topics": [], "data": "0x01" });
        let lies = json!({ "logs": [log], "hideLogs": true });
        let truth = json!([{ "data": "0x02" }]);
        for (filter, count) in [
            (json!({ "address": ["0xab"], "blockHash": "0xaa" }), 1),
            (json!({ "address": "0xab", "fromBlock": "0x1", "toBlock": "0x7" }), 1),
            (json!({ "address": "0xab", "fromBlock": "0x8", "toBlock": "0x9" }), 0),
            (json!({ "address": "0xcd", "blockHash": "0xaa" }), 0),
            (json!({ "address": "0xab", "blockHash": "0xbb" }), 0),
        ] {
            let response = falsified(lies.clone(), "eth_getLogs", &json!([filter]), truth.clone());
            assert_eq!(response.as_array().unwrap().len(), count, "{filter}");
        }
    }

    #[test]
    fn state_is_invented_and_transactions_are_refused() {
        let lies = json!({ "calls": [{ "to": "0xAB", "data": "0x0102", "result": "0x01" }] });
        let call = json!([{ "to": "0xab", "data": "0x010203" }, "latest"]);
        assert_eq!(falsified(lies, "eth_call", &call, json!("0x")), json!("0x01"));
        let accounts = json!({ "accounts": { "b": { "lamports": 1 } } });
        let shown = falsified(
            accounts,
            "getMultipleAccounts",
            &json!([["a", "b"]]),
            json!({ "value": [null, null] }),
        );
        assert_eq!(shown, json!({ "value": [null, { "lamports": 1 }] }));
        let lies: Lies = serde_json::from_value(json!({ "refuseTransactions": "no" })).unwrap();
        assert!(lies.refusal("eth_sendRawTransaction").is_some() && lies.refusal("eth_call").is_none());
    }

    #[test]
    fn transactions_are_invented() {
        let invented = |signature: &str, slot: u64| json!({ "signature": signature, "slot": slot, "addresses": ["a"], "transaction": { "slot": slot } });
        let lies = json!({ "transactions": [invented("one", 5), invented("two", 9)] });
        let truth = json!([{ "signature": "true", "slot": 6 }, { "signature": "old", "slot": 2 }]);
        let list = |address: &str, options: Value| {
            let params = json!([address, options]);
            let listed = falsified(lies.clone(), "getSignaturesForAddress", &params, truth.clone());
            let listed =
                listed.as_array().unwrap().iter().map(|one| one["signature"].as_str().unwrap().to_owned());
            listed.collect::<Vec<_>>()
        };
        assert_eq!(list("a", json!({ "limit": 64 })), ["two", "true", "one", "old"]);
        assert_eq!(list("a", json!({ "limit": 2 })), ["two", "true"]);
        assert_eq!(list("a", json!({ "before": "true" })), ["true", "old"]);
        assert_eq!(list("b", json!({})), ["true", "old"]);
        let shown =
            |signature: &str| falsified(lies.clone(), "getTransaction", &json!([signature]), Value::Null);
        assert_eq!((shown("two"), shown("three")), (json!({ "slot": 9 }), Value::Null));
    }
}
