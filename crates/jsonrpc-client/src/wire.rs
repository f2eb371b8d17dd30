use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::fault::Fault;

/// Messages of servers are shown to people, so they are cut.
const MAX_MESSAGE_CHARS: usize = 300;
/// Longer error data is ignored.
const MAX_ERROR_DATA_BYTES: usize = 256 * 1024;

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
    pub(crate) fn encode(&self, id: usize) -> Vec<u8> {
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": self.method, "params": self.params });
        request.to_string().into_bytes()
    }
}

/// Joins encoded calls to one body: a single object, or an array for several.
pub(crate) fn body(encoded: &[Vec<u8>]) -> Vec<u8> {
    if let [only] = encoded {
        return only.clone();
    }
    let mut body = vec![b'['];
    body.extend(encoded.join(&b','));
    body.push(b']');
    body
}

/// An error of a server. The message is one line of bounded length.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorObject {
    /// Zero if the server sent none.
    pub code: i64,
    pub message: String,
    pub data: Option<Value>,
}

impl ErrorObject {
    pub fn read(error: &Value) -> Self {
        let code = error.get("code").and_then(|code| code.as_i64().or_else(|| code.as_str()?.parse().ok()));
        let message = error.get("message").and_then(Value::as_str);
        let data = error.get("data").filter(|data| data.to_string().len() <= MAX_ERROR_DATA_BYTES);
        Self {
            code: code.unwrap_or(0),
            message: shorten(message.unwrap_or("an error without a message")),
            data: data.cloned(),
        }
    }
}

/// The answer to one call.
pub(crate) type Answer = Result<Box<RawValue>, ErrorObject>;

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
            (Some(error), _) => Some(Err(ErrorObject::read(&error))),
            (None, result) => result.map(Ok),
        }
    }
}

/// Whether the body is a JSON-RPC error, or a list of answers.
pub(crate) fn is_jsonrpc_error(bytes: &[u8]) -> bool {
    let parsed = |bytes| serde_json::from_slice::<Envelope>(bytes).ok();
    match bytes.trim_ascii_start().first() {
        Some(b'{') => parsed(bytes).is_some_and(|envelope| envelope.error.is_some()),
        Some(b'[') => serde_json::from_slice::<Vec<Envelope>>(bytes).is_ok(),
        _ => false,
    }
}

/// What a server sent for several calls.
#[derive(Debug)]
pub(crate) enum Answers {
    /// One for each call, in the order of the calls. A missing answer is `None`.
    Each(Vec<Option<Answer>>),
    /// One error for the whole batch.
    BatchRefused(ErrorObject),
}

/// Reads the answers to the calls with these ids, which ascend.
pub(crate) fn read_answers(bytes: &[u8], ids: &[usize]) -> Result<Answers, Fault> {
    let is_list = bytes.trim_ascii_start().first() == Some(&b'[');
    let envelopes: Vec<Envelope> = if is_list {
        serde_json::from_slice(bytes).map_err(|error| invalid_response(&error))?
    } else {
        let envelope: Envelope = serde_json::from_slice(bytes).map_err(|error| invalid_response(&error))?;
        match ids {
            [only] => vec![Envelope { id: Value::from(*only), ..envelope }],
            _ => match envelope.answer() {
                Some(Err(error)) => return Ok(Answers::BatchRefused(error)),
                _ => return Err(Fault::InvalidResponse("one answer to a batch".to_owned())),
            },
        }
    };
    let mut answers: Vec<Option<Answer>> = ids.iter().map(|_| None).collect();
    for envelope in envelopes {
        let place = envelope.position().and_then(|id| ids.binary_search(&id).ok());
        let slot = place.and_then(|place| answers.get_mut(place));
        if let Some(slot @ None) = slot {
            *slot = envelope.answer();
        }
    }
    Ok(Answers::Each(answers))
}

pub(crate) fn invalid_response(error: &serde_json::Error) -> Fault {
    // The error of a typed field quotes what the server sent.
    Fault::InvalidResponse(shorten(&error.to_string()))
}

/// A server's message on one line of bounded length.
pub fn shorten(text: &str) -> String {
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

    fn each(text: &str, ids: &[usize]) -> Vec<Option<Answer>> {
        let Ok(Answers::Each(answers)) = read_answers(text.as_bytes(), ids) else { panic!("{text}") };
        answers
    }

    #[test]
    fn answers_come_back_in_the_order_of_the_calls() {
        let text = r#" [{"id":"8","result":null},{"id":7,"result":"0x1"},{"id":7,"result":"0x2"},{"id":99,"result":1}]"#;
        let answers = each(text, &[7, 8, 12]);
        let texts: Vec<_> = answers.iter().map(|a| a.as_ref().map(|a| a.as_ref().unwrap().get())).collect();
        assert_eq!(texts, [Some("\"0x1\""), Some("null"), None]);
    }

    #[test]
    fn a_single_answer_need_not_repeat_the_id() {
        let answers = each(r#"{"jsonrpc":"2.0","id":null,"error":{"code":"3","message":"no\nway"}}"#, &[5]);
        let error = answers[0].as_ref().unwrap().as_ref().unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (3, "no way"));
        assert!(each(r#"{"jsonrpc":"2.0","id":0}"#, &[0])[0].is_none());
    }

    #[test]
    fn one_error_for_a_whole_batch_is_recognised() {
        let text = br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch too large"}}"#;
        assert!(matches!(read_answers(text, &[0, 1]), Ok(Answers::BatchRefused(_))));
        assert!(read_answers(br#"{"id":0,"result":1}"#, &[0, 1]).is_err());
        assert!(is_jsonrpc_error(text) && !is_jsonrpc_error(b"{}") && !is_jsonrpc_error(b"<html>"));
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "(0x)?[0-9a-f]{0,70}".prop_map(Value::from),
            "\\PC{0,20}".prop_map(Value::from),
        ];
        let key = prop::sample::select(vec!["id", "result", "error", "code", "message", "data"]);
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
            let _ = ErrorObject::read(&value);
        }

        #[test]
        fn any_bytes_are_read_or_refused_without_panic(bytes in any::<Vec<u8>>(), count in 0usize..4) {
            let _ = read_answers(&bytes, &(0..count).collect::<Vec<_>>());
            let _ = is_jsonrpc_error(&bytes);
        }

        #[test]
        fn messages_are_one_bounded_line(text in any::<String>()) {
            let short = shorten(&text);
            prop_assert!(short.chars().count() <= MAX_MESSAGE_CHARS + 1);
            prop_assert!(!short.chars().any(char::is_control));
        }
    }
}
