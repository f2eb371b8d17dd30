use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use causeway_solana::{MAINNET_GENESIS, RpcConfig, RpcUrl, SolanaRpc};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// How a fake node handles one HTTP request.
#[derive(Clone, Debug)]
pub(crate) enum NodeBehavior {
    Normal,
    NoResponse,
    CloseConnection,
    Status(u16, &'static str),
    Raw(String),
    EndlessBody,
}

type Answer = dyn Fn(&str, &Value) -> Result<Value, Value> + Send + Sync;

/// A node on loopback that answers by method and misbehaves on request.
pub(crate) struct FakeNode {
    pub(crate) url: RpcUrl,
    state: Arc<State>,
}

struct State {
    answer: Box<Answer>,
    behaviors: Mutex<VecDeque<NodeBehavior>>,
    default_behavior: Mutex<NodeBehavior>,
    methods: Mutex<Vec<String>>,
    requests: Mutex<usize>,
}

impl FakeNode {
    /// A mainnet node that answers every method but `getGenesisHash` with `answer`.
    pub(crate) async fn start(
        answer: impl Fn(&str, &Value) -> Result<Value, Value> + Send + Sync + 'static,
    ) -> Self {
        Self::with_genesis(MAINNET_GENESIS, answer).await
    }

    pub(crate) async fn with_genesis(
        genesis: &'static str,
        answer: impl Fn(&str, &Value) -> Result<Value, Value> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/secret-key-0123456789", listener.local_addr().unwrap()).parse().unwrap();
        let answer = move |method: &str, params: &Value| match method {
            "getGenesisHash" => Ok(genesis.into()),
            other => answer(other, params),
        };
        let state = Arc::new(State {
            answer: Box::new(answer),
            behaviors: Mutex::default(),
            default_behavior: Mutex::new(NodeBehavior::Normal),
            methods: Mutex::default(),
            requests: Mutex::default(),
        });
        let serving = Arc::clone(&state);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&serving)));
            }
        });
        Self { url, state }
    }

    /// Applies each behavior to one of the next requests, in order.
    pub(crate) fn queue(&self, behaviors: impl IntoIterator<Item = NodeBehavior>) {
        self.state.behaviors.lock().unwrap().extend(behaviors);
    }

    pub(crate) fn set_behavior(&self, behavior: NodeBehavior) {
        *self.state.default_behavior.lock().unwrap() = behavior;
    }

    /// How often the node answered a method.
    pub(crate) fn call_count(&self, method: &str) -> usize {
        self.state.methods.lock().unwrap().iter().filter(|asked| *asked == method).count()
    }

    pub(crate) fn requests(&self) -> usize {
        *self.state.requests.lock().unwrap()
    }
}

/// A client of these nodes with short timeouts.
pub(crate) fn client(fakes: &[&FakeNode]) -> SolanaRpc {
    client_with(fakes, |_| {})
}

pub(crate) fn client_with(fakes: &[&FakeNode], change: impl FnOnce(&mut RpcConfig)) -> SolanaRpc {
    let mut config = RpcConfig::new(fakes.iter().map(|fake| fake.url.clone()).collect());
    config.pool.call_timeout = Duration::from_millis(1_500);
    config.pool.max_response_bytes = 100_000;
    for endpoint in &mut config.pool.endpoints {
        endpoint.calls_per_second = NonZeroU32::new(1_000);
    }
    config.poll_interval = Duration::from_millis(20);
    change(&mut config);
    SolanaRpc::new(config).unwrap()
}

pub(crate) fn rpc_error(code: i64, message: &str) -> Result<Value, Value> {
    Err(json!({ "code": code, "message": message }))
}

async fn serve(mut stream: TcpStream, state: Arc<State>) -> Option<()> {
    let body = read_request(&mut stream).await?;
    *state.requests.lock().unwrap() += 1;
    let behavior = state.behaviors.lock().unwrap().pop_front();
    let behavior = behavior.unwrap_or_else(|| state.default_behavior.lock().unwrap().clone());
    match behavior {
        NodeBehavior::NoResponse => tokio::time::sleep(Duration::from_mins(1)).await,
        NodeBehavior::CloseConnection => {}
        NodeBehavior::Status(status, text) => respond(&mut stream, status, text).await?,
        NodeBehavior::Raw(text) => respond(&mut stream, 200, &text).await?,
        NodeBehavior::EndlessBody => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n").await.ok()?;
            while stream.write_all(&[b' '; 4096]).await.is_ok() {}
        }
        NodeBehavior::Normal => {
            let request: Value = serde_json::from_slice(&body).ok()?;
            let answer = match &request {
                Value::Array(all) => all.iter().rev().map(|one| state.answer_one(one)).collect(),
                one => state.answer_one(one),
            };
            respond(&mut stream, 200, &answer.to_string()).await?;
        }
    }
    Some(())
}

impl State {
    fn answer_one(&self, request: &Value) -> Value {
        let method = request["method"].as_str().unwrap_or_default();
        self.methods.lock().unwrap().push(method.to_owned());
        match (self.answer)(method, &request["params"]) {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }),
            Err(error) => json!({ "jsonrpc": "2.0", "id": request["id"], "error": error }),
        }
    }
}

async fn read_request(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let mut chunk = [0; 4096];
        let read = stream.read(&mut chunk).await.ok()?;
        if read == 0 {
            return None;
        }
        bytes.extend_from_slice(&chunk[..read]);
        let Some(head) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let headers = String::from_utf8_lossy(&bytes[..head]).to_ascii_lowercase();
        let length = headers.lines().find_map(|line| line.strip_prefix("content-length:"))?;
        let end = head + 4 + length.trim().parse::<usize>().ok()?;
        if bytes.len() >= end {
            return Some(bytes[head + 4..end].to_vec());
        }
    }
}

async fn respond(stream: &mut TcpStream, status: u16, body: &str) -> Option<()> {
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.ok()?;
    stream.write_all(body.as_bytes()).await.ok()
}
