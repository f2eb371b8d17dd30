use alloy_primitives::Bytes;
use serde_json::Value;

use super::fault::Fault;

const MAX_MESSAGE_CHARS: usize = 300;

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

/// A classified JSON-RPC error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RpcError {
    Fault(Fault),
    Refusal { code: i64, message: String, data: Option<Bytes> },
}

/// Classifies an error: another endpoint may help, or the chain rejects the call.
pub(crate) fn classify(error: &Value) -> RpcError {
    let code = error.get("code").and_then(as_integer).unwrap_or(0);
    let message =
        shorten(error.get("message").and_then(Value::as_str).unwrap_or("an error without a message"));
    let data = error.get("data").and_then(revert_data);
    let lower = message.to_lowercase();
    let contains_any = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
    let refusal = |message: String| RpcError::Refusal { code, message, data: data.clone() };

    if code == 3 || data.is_some() || contains_any(&["revert"]) {
        return refusal(message);
    }
    if code == 429 || contains_any(&RATE_LIMIT_PHRASES) {
        return RpcError::Fault(Fault::RateLimited);
    }
    match code {
        // "Not found" and "unavailable": another endpoint may have it.
        -32001 | -32002 => RpcError::Fault(Fault::Transient(message)),
        -32601 | -32004 => RpcError::Fault(Fault::Unsupported(message)),
        -32600 if contains_any(&["batch"]) => RpcError::Fault(Fault::Unsupported(message)),
        -32600 | -32602 => refusal(message),
        // The chain does not support the tag; a retry does not help.
        _ if contains_any(&["safe block not found", "finalized block not found"]) => refusal(message),
        _ if contains_any(&TRANSIENT_PHRASES) => RpcError::Fault(Fault::Transient(message)),
        // "Internal error" is a fault of the node, unless it names a problem of the transaction.
        -32603 if contains_any(&["internal", "without a message"]) => {
            RpcError::Fault(Fault::Transient(message))
        }
        _ => refusal(message),
    }
}

fn as_integer(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.parse().ok())
}

/// Revert data is `data` itself, or a field of the object `data`.
fn revert_data(data: &Value) -> Option<Bytes> {
    let text = match data {
        Value::String(text) => text,
        Value::Object(fields) => fields.get("data").or_else(|| fields.get("result"))?.as_str()?,
        _ => return None,
    };
    // Some nodes put text before the data.
    let hex = text.strip_prefix("Reverted ").unwrap_or(text);
    hex.starts_with("0x").then(|| hex.parse().ok())?
}

pub(crate) fn shorten(text: &str) -> String {
    let mut short: String = text.chars().filter(|c| !c.is_control()).take(MAX_MESSAGE_CHARS).collect();
    if short.len() < text.len() && short.chars().count() == MAX_MESSAGE_CHARS {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn of(code: i64, message: &str) -> RpcError {
        classify(&json!({ "code": code, "message": message }))
    }

    #[test]
    fn rejections_keep_the_chains_message() {
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
            let refusal = RpcError::Refusal { code, message: message.to_owned(), data: None };
            assert_eq!(of(code, message), refusal, "{message}");
        }
    }

    #[test]
    fn errors_that_another_endpoint_may_not_have_are_faults() {
        for (code, message) in [
            (-32000, "header not found"),
            (-32000, "missing trie node abc (path )"),
            (-32603, "Internal error"),
            (-32002, "request timed out"),
            (-32601, "the method eth_feeHistory does not exist/is not available"),
            (429, "slow down"),
            (-32005, "daily request limit reached"),
            (-32000, "Must be authenticated with an API key"),
        ] {
            assert!(matches!(of(code, message), RpcError::Fault(_)), "{message}");
        }
    }

    #[test]
    fn revert_data_is_kept_wherever_nodes_put_it() {
        for data in [json!("0x08c379a0"), json!({ "data": "0x08c379a0" }), json!("Reverted 0x08c379a0")] {
            let classified = classify(&json!({ "code": -32000, "message": "timeout or not", "data": data }));
            let RpcError::Refusal { data: Some(kept), .. } = classified else { panic!("{classified:?}") };
            assert_eq!(kept.as_ref(), [0x08, 0xc3, 0x79, 0xa0]);
        }
    }

    proptest! {
        #[test]
        fn any_error_is_classified_without_panic(code in any::<i64>(), message in "\\PC{0,400}", data in "\\PC{0,40}") {
            let _ = classify(&json!({ "code": code, "message": message, "data": data }));
            let _ = classify(&json!({ "code": message, "message": code, "data": { "data": data } }));
            let _ = classify(&json!(message));
        }
    }
}
