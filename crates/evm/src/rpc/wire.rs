use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::classify::{RpcError, classify};
use super::fault::Fault;

/// A JSON-RPC call: method and parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub method: &'static str,
    /// A JSON array.
    pub params: Value,
}

impl Call {
    pub const fn new(method: &'static str, params: Value) -> Self {
        Self { method, params }
    }

    /// The call as one request object; ids are positions in the batch.
    pub(super) fn encode(&self, id: usize) -> Vec<u8> {
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": self.method, "params": self.params });
        request.to_string().into_bytes()
    }
}

/// Joins encoded calls to one body: a single object, or an array for several.
pub(super) fn body(encoded: &[Vec<u8>]) -> Vec<u8> {
    if let [only] = encoded {
        return only.clone();
    }
    let mut body = vec![b'['];
    body.extend(encoded.join(&b','));
    body.push(b']');
    body
}

/// The answer to one call.
pub(super) type Answer = Result<Box<RawValue>, RpcError>;

#[derive(Deserialize)]
struct Envelope {
    #[serde(default)]
    id: Value,
    #[serde(default, deserialize_with = "present")]
    result: Option<Box<RawValue>>,
    #[serde(default)]
    error: Option<Value>,
}

/// Distinguishes a `null` result from a missing field.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(Some)
}

impl Envelope {
    fn position(&self) -> Option<usize> {
        let number = self.id.as_u64().or_else(|| self.id.as_str()?.parse().ok())?;
        usize::try_from(number).ok()
    }

    fn answer(self) -> Option<Answer> {
        match (self.error, self.result) {
            (Some(error), _) => Some(Err(classify(&error))),
            (None, result) => result.map(Ok),
        }
    }
}

/// Reads the answers to the calls with these ids, in ascending order. A missing answer stays `None`.
pub(super) fn read_answers(bytes: &[u8], ids: &[usize]) -> Result<Vec<Option<Answer>>, Fault> {
    let garbage = |error: serde_json::Error| Fault::InvalidResponse(error.to_string());
    let batch = bytes.trim_ascii_start().first() == Some(&b'[');
    let envelopes: Vec<Envelope> = if batch {
        serde_json::from_slice(bytes).map_err(garbage)?
    } else {
        let envelope: Envelope = serde_json::from_slice(bytes).map_err(garbage)?;
        let [only] = ids else {
            // One answer to several calls: the server rejects the whole batch.
            return Err(whole_batch_refused(envelope));
        };
        vec![Envelope { id: Value::from(*only), ..envelope }]
    };
    let mut answers: Vec<Option<Answer>> = ids.iter().map(|_| None).collect();
    for envelope in envelopes {
        let place = envelope.position().and_then(|id| ids.binary_search(&id).ok());
        let slot = place.and_then(|place| answers.get_mut(place));
        if let Some(slot @ None) = slot {
            *slot = envelope.answer();
        }
    }
    Ok(answers)
}

fn whole_batch_refused(envelope: Envelope) -> Fault {
    match envelope.answer() {
        Some(Err(RpcError::Fault(fault))) => fault,
        Some(Err(RpcError::Refusal { message, .. })) => Fault::Unsupported(message),
        _ => Fault::InvalidResponse("one answer to a batch".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn answers_come_back_in_the_order_of_the_calls() {
        let text = br#"[{"id":"8","result":null},{"id":7,"result":"0x1"},{"id":7,"result":"0x2"},{"id":99,"result":1}]"#;
        let answers = read_answers(text, &[7, 8, 12]).unwrap();
        let texts: Vec<_> = answers.iter().map(|a| a.as_ref().map(|a| a.as_ref().unwrap().get())).collect();
        assert_eq!(texts, [Some("\"0x1\""), Some("null"), None]);
    }

    #[test]
    fn a_single_answer_need_not_repeat_the_id() {
        let answers =
            read_answers(br#"{"jsonrpc":"2.0","id":null,"error":{"code":3,"message":"no"}}"#, &[5]).unwrap();
        assert!(matches!(answers[0], Some(Err(RpcError::Refusal { code: 3, .. }))));
    }

    #[test]
    fn one_error_for_a_whole_batch_asks_for_smaller_batches() {
        let text = br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch too large"}}"#;
        assert!(read_answers(text, &[0, 1]).unwrap_err().wants_smaller_batch());
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "(0x)?[0-9a-f]{0,70}".prop_map(Value::from),
            "\\PC{0,20}".prop_map(Value::from),
        ];
        let key = prop_oneof![
            Just("id"),
            Just("result"),
            Just("error"),
            Just("code"),
            Just("message"),
            Just("data")
        ];
        leaf.prop_recursive(4, 40, 6, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec((key.clone(), inner), 0..6)
                    .prop_map(|fields| fields.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_json_is_read_or_refused_without_panic(value in any_json(), count in 0usize..4) {
            let _ = read_answers(value.to_string().as_bytes(), &(0..count).collect::<Vec<_>>());
        }

        #[test]
        fn any_bytes_are_read_or_refused_without_panic(bytes in any::<Vec<u8>>(), count in 0usize..4) {
            let _ = read_answers(&bytes, &(0..count).collect::<Vec<_>>());
        }
    }
}
