use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// The maximum number of calls in a batch.
const MAX_BATCH: usize = 1_000;

/// The default node of a chain.
pub(crate) const FIRST_NODE: u8 = 1;

/// A JSON-RPC error.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RpcError {
    pub code: i64,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl RpcError {
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    #[must_use]
    pub fn with_data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(-32602, message)
    }

    fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(-32600, message)
    }
}

/// The JSON-RPC methods of a chain. The implementation rejects unknown methods with its chain's own message.
pub trait Methods: Send + Sync {
    fn call(&self, method: &str, params: Value) -> impl Future<Output = Result<Value, RpcError>> + Send;
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(default)]
    method: Option<String>,
    #[serde(default)]
    params: Option<Value>,
    /// Echoed unchanged: clients compare it byte for byte.
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
}

#[derive(Serialize)]
struct Answer<'a> {
    jsonrpc: &'static str,
    id: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<RpcError>,
}

impl<'a> Answer<'a> {
    fn new(id: Option<&'a RawValue>, outcome: Result<Value, RpcError>) -> Self {
        let (result, error) = match outcome {
            Ok(result) => (Some(result), None),
            Err(error) => (None, Some(error)),
        };
        Self { jsonrpc: "2.0", id, result, error }
    }
}

/// Answers one request body, single or batch; malformed requests get the error of a node.
pub async fn answer<M: Methods>(methods: &M, body: &[u8]) -> Vec<u8> {
    let text = body.trim_ascii_start();
    if text.first() != Some(&b'[') {
        return serialize(&answer_one(methods, text).await);
    }
    match serde_json::from_slice::<Vec<&RawValue>>(text) {
        Ok(calls) if calls.is_empty() => serialize(&reject("empty batch")),
        Ok(calls) if calls.len() > MAX_BATCH => {
            serialize(&reject(&format!("batch of {} calls is over the limit of {MAX_BATCH}", calls.len())))
        }
        Ok(calls) => {
            let mut answers = Vec::with_capacity(calls.len());
            for call in &calls {
                answers.push(answer_one(methods, call.get().as_bytes()).await);
            }
            serialize(&answers)
        }
        Err(_) => serialize(&parse_error()),
    }
}

async fn answer_one<'a, M: Methods>(methods: &M, text: &'a [u8]) -> Answer<'a> {
    let call: Call<'a> = match serde_json::from_slice(text) {
        Ok(call) => call,
        Err(error) if error.is_data() => return reject("invalid request"),
        Err(_) => return parse_error(),
    };
    let Some(method) = call.method else {
        return Answer::new(call.id, Err(RpcError::invalid_request("invalid request")));
    };
    let params = call.params.unwrap_or_else(|| Value::Array(Vec::new()));
    Answer::new(call.id, methods.call(&method, params).await)
}

fn reject(message: &str) -> Answer<'static> {
    Answer::new(None, Err(RpcError::invalid_request(message)))
}

fn parse_error() -> Answer<'static> {
    Answer::new(None, Err(RpcError::new(-32700, "parse error")))
}

fn serialize<T: Serialize>(answer: &T) -> Vec<u8> {
    // Answers are plain values, which always serialize.
    serde_json::to_vec(answer).unwrap_or_default()
}
