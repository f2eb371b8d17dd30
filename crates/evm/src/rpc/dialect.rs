use alloy_primitives::{Bytes, U64};
use causeway_domain::ChainId;
use causeway_jsonrpc_client::{Call, Dialect, ErrorKind, ErrorObject};
use serde::Deserialize;
use serde_json::{Value, json};

/// Phrases of nodes and providers for errors that may not occur elsewhere or later.
const TRANSIENT_PHRASES: [&str; 19] = [
    "header not found",
    "unknown block",
    "block not found",
    "missing trie node",
    "state not available",
    "state is not available",
    "historical state",
    "required historical",
    "timeout",
    "timed out",
    "temporarily",
    "unavailable",
    "try again",
    "overloaded",
    "busy",
    "syncing",
    "unauthorized",
    "api key",
    "no backend",
];

const RATE_LIMIT_PHRASES: [&str; 6] =
    ["rate limit", "too many requests", "request limit", "compute units", "capacity exceeded", "throttl"];

/// The JSON-RPC of EVM nodes.
#[derive(Debug)]
pub(crate) struct EvmDialect(pub(crate) ChainId);

impl Dialect for EvmDialect {
    fn identity_call(&self) -> Call {
        Call::new("eth_chainId", json!([]))
    }

    fn served_chain(&self, answer: &Value) -> Option<String> {
        number(answer).map(|chain| chain.to_string())
    }

    fn expected_chain(&self) -> String {
        self.0.get().to_string()
    }

    fn head_call(&self) -> Call {
        Call::new("eth_blockNumber", json!([]))
    }

    fn head(&self, answer: &Value) -> Option<u64> {
        number(answer)
    }

    fn classify(&self, error: &ErrorObject) -> ErrorKind {
        classify(error)
    }
}

fn number(answer: &Value) -> Option<u64> {
    U64::deserialize(answer).ok().map(|number| number.to())
}

/// Whether another endpoint may help, or the chain rejects the call.
fn classify(error: &ErrorObject) -> ErrorKind {
    let lower = error.message.to_lowercase();
    let contains_any = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
    let has_revert_data = error.data.as_ref().and_then(revert_data).is_some();
    if error.code == 3 || has_revert_data || contains_any(&["revert"]) {
        return ErrorKind::Refusal;
    }
    if error.code == 429 || contains_any(&RATE_LIMIT_PHRASES) {
        return ErrorKind::RateLimited;
    }
    match error.code {
        // "Not found" and "unavailable": another endpoint may have it.
        -32001 | -32002 => ErrorKind::Transient,
        -32601 | -32004 => ErrorKind::Unsupported,
        -32600 if contains_any(&["batch"]) => ErrorKind::Unsupported,
        -32600 | -32602 => ErrorKind::Refusal,
        // The chain does not support the tag; a retry does not help.
        _ if contains_any(&["safe block not found", "finalized block not found"]) => ErrorKind::Refusal,
        _ if contains_any(&TRANSIENT_PHRASES) => ErrorKind::Transient,
        // "Internal error" is a fault of the node, unless it names a problem of the transaction.
        -32603 if contains_any(&["internal", "without a message"]) => ErrorKind::Transient,
        _ => ErrorKind::Refusal,
    }
}

/// Revert data is `data` itself, or a field of the object `data`.
pub(crate) fn revert_data(data: &Value) -> Option<Bytes> {
    let text = match data {
        Value::String(text) => text,
        Value::Object(fields) => fields.get("data").or_else(|| fields.get("result"))?.as_str()?,
        _ => return None,
    };
    // Some nodes put text before the data.
    let hex = text.strip_prefix("Reverted ").unwrap_or(text);
    hex.starts_with("0x").then(|| hex.parse().ok())?
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(code: i64, message: &str) -> ErrorKind {
        classify(&ErrorObject::read(&json!({ "code": code, "message": message })))
    }

    #[test]
    fn rejections_of_the_chain_are_final() {
        for (code, message) in [
            (-32000, "nonce too low: next nonce 5, tx nonce 4"),
            (-32000, "already known"),
            (-32000, "insufficient funds for gas * price + value"),
            (-32000, "replacement transaction underpriced"),
            (-32602, "invalid argument 0: hex string has odd length"),
            (-39001, "finalized block not found"),
            (-32603, "insufficient funds for transfer"),
            (-32005, "query returned more than 10000 results"),
            (3, "execution reverted"),
        ] {
            assert_eq!(of(code, message), ErrorKind::Refusal, "{message}");
        }
    }

    #[test]
    fn errors_that_another_endpoint_may_not_have_are_faults() {
        for (code, message, kind) in [
            (-32000, "header not found", ErrorKind::Transient),
            (-32000, "missing trie node abc (path )", ErrorKind::Transient),
            (-32603, "Internal error", ErrorKind::Transient),
            (-32002, "request timed out", ErrorKind::Transient),
            (-32601, "the method eth_feeHistory does not exist/is not available", ErrorKind::Unsupported),
            (429, "slow down", ErrorKind::RateLimited),
            (-32005, "daily request limit reached", ErrorKind::RateLimited),
            (-32000, "Must be authenticated with an API key", ErrorKind::Transient),
        ] {
            assert_eq!(of(code, message), kind, "{message}");
        }
    }

    #[test]
    fn revert_data_is_found_wherever_nodes_put_it() {
        for data in [json!("0x08c379a0"), json!({ "data": "0x08c379a0" }), json!("Reverted 0x08c379a0")] {
            assert_eq!(revert_data(&data).unwrap().as_ref(), [0x08, 0xc3, 0x79, 0xa0]);
            let error = json!({ "code": -32000, "message": "timeout or not", "data": data });
            assert_eq!(classify(&ErrorObject::read(&error)), ErrorKind::Refusal);
        }
    }

    proptest! {
        #[test]
        fn any_error_is_classified_without_panic(code in any::<i64>(), message in "\\PC{0,400}", data in "\\PC{0,40}") {
            let _ = classify(&ErrorObject::read(&json!({ "code": code, "message": message, "data": data })));
            let _ = classify(&ErrorObject::read(&json!({ "code": message, "message": code, "data": { "data": data } })));
        }
    }
}
