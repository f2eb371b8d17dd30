use alloy_primitives::Bytes;
use serde_json::Value;

use super::fault::Fault;

const LONGEST_MESSAGE: usize = 300;

/// The words that nodes and providers use when the same call may work elsewhere or later.
const NOT_NOW: [&str; 19] = [
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

const TOO_MUCH: [&str; 6] =
    ["rate limit", "too many requests", "request limit", "compute units", "capacity exceeded", "throttl"];

/// An error object of JSON-RPC, sorted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RpcError {
    Fault(Fault),
    Refusal { code: i64, message: String, data: Option<Bytes> },
}

/// Sorts an error by what helps: asking elsewhere, or nothing.
pub(crate) fn classify(error: &Value) -> RpcError {
    let code = error.get("code").and_then(as_integer).unwrap_or(0);
    let message = shorten(error.get("message").and_then(Value::as_str).unwrap_or("an error without words"));
    let data = error.get("data").and_then(revert_data);
    let lower = message.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let refusal = |message: String| RpcError::Refusal { code, message, data: data.clone() };

    if code == 3 || data.is_some() || says(&["revert"]) {
        return refusal(message);
    }
    if code == 429 || says(&TOO_MUCH) {
        return RpcError::Fault(Fault::RateLimited);
    }
    match code {
        // "Not found" and "unavailable": another endpoint may have it.
        -32001 | -32002 => RpcError::Fault(Fault::Says(message)),
        -32601 | -32004 => RpcError::Fault(Fault::Unsupported(message)),
        -32600 if says(&["batch"]) => RpcError::Fault(Fault::Unsupported(message)),
        -32600 | -32602 => refusal(message),
        // The chain has no such tag; that is for good.
        _ if says(&["safe block not found", "finalized block not found"]) => refusal(message),
        _ if says(&NOT_NOW) => RpcError::Fault(Fault::Says(message)),
        // "Internal error" is a node that stumbled, unless it tells what is wrong with the transaction.
        -32603 if says(&["internal", "without words"]) => RpcError::Fault(Fault::Says(message)),
        _ => refusal(message),
    }
}

fn as_integer(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.parse().ok())
}

/// Revert data stands in `data` itself, or one level below it in an object.
fn revert_data(data: &Value) -> Option<Bytes> {
    let text = match data {
        Value::String(text) => text,
        Value::Object(fields) => fields.get("data").or_else(|| fields.get("result"))?.as_str()?,
        _ => return None,
    };
    // Some nodes write words before the data.
    let hex = text.strip_prefix("Reverted ").unwrap_or(text);
    hex.starts_with("0x").then(|| hex.parse().ok())?
}

pub(crate) fn shorten(words: &str) -> String {
    let mut short: String = words.chars().filter(|c| !c.is_control()).take(LONGEST_MESSAGE).collect();
    if short.len() < words.len() && short.chars().count() == LONGEST_MESSAGE {
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
    fn what_the_chain_refuses_keeps_its_words() {
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
    fn what_another_endpoint_may_answer_is_a_fault() {
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
            let sorted = classify(&json!({ "code": -32000, "message": "timeout or not", "data": data }));
            let RpcError::Refusal { data: Some(kept), .. } = sorted else { panic!("{sorted:?}") };
            assert_eq!(kept.as_ref(), [0x08, 0xc3, 0x79, 0xa0]);
        }
    }

    proptest! {
        #[test]
        fn any_error_is_sorted_without_panic(code in any::<i64>(), message in "\\PC{0,400}", data in "\\PC{0,40}") {
            let _ = classify(&json!({ "code": code, "message": message, "data": data }));
            let _ = classify(&json!({ "code": message, "message": code, "data": { "data": data } }));
            let _ = classify(&json!(message));
        }
    }
}
