use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::fault::Fault;

/// Server messages are shown to people, so they are truncated.
const MAX_MESSAGE_CHARS: usize = 300;
/// Longer error data is ignored.
const MAX_ERROR_DATA_BYTES: usize = 256 * 1024;

/// One JSON-RPC call.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) method: &'static str,
    pub(crate) params: Value,
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<ErrorBody<'a>>,
}

#[derive(Deserialize)]
struct ErrorBody<'a> {
    code: i64,
    #[serde(default)]
    message: String,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
}

/// Distinguishes a field that is `null` from a missing one.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// The HTTP body of `calls`; a single call is not wrapped into a batch.
pub(super) fn encode(calls: &[Call]) -> Vec<u8> {
    let one = |(id, call): (usize, &Call)| json!({ "jsonrpc": "2.0", "id": id, "method": call.method, "params": call.params });
    let mut all: Vec<Value> = calls.iter().enumerate().map(one).collect();
    let body = if all.len() == 1 { all.remove(0) } else { Value::Array(all) };
    body.to_string().into_bytes()
}

/// The results in the order of the calls; one error among them fails them all.
pub(super) fn decode(body: &[u8], calls: usize) -> Result<Vec<&RawValue>, Fault> {
    let is_list = body.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
    if !is_list {
        let answer: Response<'_> = serde_json::from_slice(body).map_err(|error| invalid_response(&error))?;
        let result = outcome(&answer)?;
        return if calls == 1 && is_id(&answer, 0) {
            Ok(vec![result])
        } else {
            Err(Fault::InvalidResponse("the response has another id".to_owned()))
        };
    }
    let answers: Vec<Response<'_>> =
        serde_json::from_slice(body).map_err(|error| invalid_response(&error))?;
    (0..calls)
        .map(|id| match answers.iter().find(|answer| is_id(answer, id)) {
            Some(answer) => outcome(answer),
            None => Err(answers
                .iter()
                .find_map(|answer| outcome(answer).err())
                .unwrap_or_else(|| Fault::InvalidResponse("a response of the batch is missing".to_owned()))),
        })
        .collect()
}

/// The JSON-RPC error in a body, if any: many servers send it with an HTTP error status.
pub(super) fn decode_error(body: &[u8]) -> Option<Fault> {
    let answer: Response<'_> = serde_json::from_slice(body).ok()?;
    answer.error.as_ref().map(classify)
}

fn is_id(answer: &Response<'_>, id: usize) -> bool {
    answer.id.is_some_and(|raw| raw.get() == id.to_string())
}

fn outcome<'a>(answer: &Response<'a>) -> Result<&'a RawValue, Fault> {
    match (&answer.error, answer.result) {
        (Some(error), _) => Err(classify(error)),
        (None, Some(result)) => Ok(result),
        (None, None) => Err(Fault::InvalidResponse("neither result nor error".to_owned())),
    }
}

/// Classifies a node's error by whether another node may succeed. Unknown codes may.
fn classify(error: &ErrorBody<'_>) -> Fault {
    let message = shorten(&error.message);
    match error.code {
        429 | -32_429 => Fault::RateLimited(None),
        // Preflight failed; bad signature; skipped slot; bad signature count; version; malformed request or parameters.
        -32_002 | -32_003 | -32_007 | -32_009 | -32_013 | -32_015 | -32_600 | -32_602 | -32_700 => {
            Fault::Refused {
                code: error.code,
                message,
                data: error
                    .data
                    .filter(|data| data.get().len() <= MAX_ERROR_DATA_BYTES)
                    .and_then(|data| serde_json::from_str(data.get()).ok())
                    .map(Box::new),
            }
        }
        code => Fault::Node { code, message },
    }
}

pub(super) fn invalid_response(error: &serde_json::Error) -> Fault {
    // The error of a typed field quotes what the server sent.
    Fault::InvalidResponse(shorten(&error.to_string()))
}

/// A server's reason on one line of bounded length.
pub(crate) fn shorten(text: &str) -> String {
    let mut short: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_MESSAGE_CHARS).collect();
    if text.chars().nth(MAX_MESSAGE_CHARS).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(body: &str, calls: usize) -> Result<Vec<String>, Fault> {
        decode(body.as_bytes(), calls).map(|all| all.iter().map(|raw| raw.get().to_owned()).collect())
    }

    #[test]
    fn a_null_result_is_an_answer_and_a_missing_one_is_not() {
        assert_eq!(text(r#"{"jsonrpc":"2.0","id":0,"result":null}"#, 1), Ok(vec!["null".to_owned()]));
        assert!(matches!(text(r#"{"jsonrpc":"2.0","id":0}"#, 1), Err(Fault::InvalidResponse(_))));
        assert!(matches!(text(r#"{"jsonrpc":"2.0","id":7,"result":1}"#, 1), Err(Fault::InvalidResponse(_))));
    }

    #[test]
    fn batch_answers_are_matched_by_id_in_any_order() {
        let body = r#" [{"id":1,"result":"b"},{"id":0,"result":"a"}]"#;
        assert_eq!(text(body, 2), Ok(vec![r#""a""#.to_owned(), r#""b""#.to_owned()]));
        assert!(matches!(text(body, 3), Err(Fault::InvalidResponse(_))));
    }

    #[test]
    fn an_error_without_an_id_is_understood() {
        let body = r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"no\nbatches"},"id":null}"#;
        let fault = text(body, 2).unwrap_err();
        assert_eq!(fault, Fault::Refused { code: -32_600, message: "no batches".to_owned(), data: None });
    }

    #[test]
    fn lagging_node_is_skipped_and_a_refusal_is_final() {
        let of = |code: i64| {
            text(&format!(r#"{{"id":0,"error":{{"code":{code},"message":"m"}}}}"#), 1).unwrap_err()
        };
        for code in [-32_004, -32_005, -32_014, -32_016, -32_601, -32_603, 1, i64::MIN] {
            assert!(matches!(of(code), Fault::Node { .. }), "{code}");
        }
        for code in [-32_002, -32_003, -32_602] {
            assert!(matches!(of(code), Fault::Refused { .. }), "{code}");
        }
        assert_eq!(of(429), Fault::RateLimited(None));
    }

    proptest! {
        #[test]
        fn any_bytes_are_decoded_or_refused_without_panic(body in any::<Vec<u8>>(), calls in 0usize..4) {
            let _ = decode(&body, calls);
            let _ = decode_error(&body);
        }

        #[test]
        fn any_almost_right_body_is_decoded_or_refused_without_panic(
            body in r#"\[?(\{("id":[0-3n]|"result":(null|1|\{\})|"error":(null|\{"code":-?[0-9]{1,20}\})|,){0,5}\},?){0,3}\]?"#,
            calls in 0usize..4,
        ) {
            let _ = decode(body.as_bytes(), calls);
        }

        #[test]
        fn messages_are_one_bounded_line(text in any::<String>()) {
            let short = shorten(&text);
            prop_assert!(short.chars().count() <= MAX_MESSAGE_CHARS + 1);
            prop_assert!(!short.chars().any(char::is_control));
        }
    }
}
