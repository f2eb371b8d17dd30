use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::table::{Behaviour, End};

/// A received request.
#[derive(Clone, Debug)]
pub(crate) struct RecordedRequest {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl RecordedRequest {
    /// Whether it is a request of an order's event stream.
    fn is_for_events(&self) -> bool {
        self.head.split_ascii_whitespace().nth(1).is_some_and(|target| target.ends_with("/events"))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let fields = self.head.lines().filter_map(|line| line.split_once(": "));
        fields.into_iter().find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

/// A server that handles each request with the next configured behavior.
pub(crate) struct Server {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<RecordedRequest>>>,
    /// Signals that the server has sent its response to one request.
    pub(crate) responded: mpsc::UnboundedReceiver<()>,
    /// Signals that the client closed a connection that the server keeps open.
    pub(crate) disconnected: mpsc::UnboundedReceiver<()>,
    _tasks: JoinSet<()>,
}

impl Server {
    pub(crate) async fn start(behaviours: Vec<Behaviour>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::<Mutex<Vec<RecordedRequest>>>::default();
        let ((respond, responded), (disconnect, disconnected)) =
            (mpsc::unbounded_channel(), mpsc::unbounded_channel());
        let mut tasks = JoinSet::new();
        let (log, behaviours) = (Arc::clone(&requests), Arc::new(behaviours));
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (behaviours, log) = (Arc::clone(&behaviours), Arc::clone(&log));
                let (respond, disconnect) = (respond.clone(), disconnect.clone());
                connections.spawn(async move {
                    // The client may disconnect at any point.
                    let _ = serve(stream, &behaviours, &log, &respond, &disconnect).await;
                });
            }
        });
        Self { url, requests, responded, disconnected, _tasks: tasks }
    }

    pub(crate) fn requests(&self) -> Vec<RecordedRequest> {
        self.requests.lock().unwrap().clone()
    }
}

async fn serve(
    mut stream: TcpStream,
    behaviours: &[Behaviour],
    log: &Mutex<Vec<RecordedRequest>>,
    respond: &mpsc::UnboundedSender<()>,
    disconnect: &mpsc::UnboundedSender<()>,
) -> std::io::Result<()> {
    let request = read_request(&mut stream).await?;
    // Counted by request, because clients may open connections that they do not use.
    let behaviour = {
        let mut log = log.lock().unwrap();
        log.push(request);
        next_behaviour(behaviours, &log)
    };
    if behaviour.end != End::Reset {
        if let Some(status) = behaviour.status {
            let (head, parts) = answer(status, behaviour);
            stream.write_all(head.as_bytes()).await?;
            for part in parts {
                tokio::time::sleep(Duration::from_millis(behaviour.pause_ms)).await;
                stream.write_all(part.as_bytes()).await?;
                stream.flush().await?;
            }
        }
        let _ = respond.send(());
    }
    if behaviour.end == End::Hang {
        let _ = stream.read(&mut [0; 1]).await;
        let _ = disconnect.send(());
    }
    stream.shutdown().await
}

/// What to do with the last request. Requests of the event stream are counted apart if the table has behaviours for them.
fn next_behaviour<'a>(behaviours: &'a [Behaviour], log: &[RecordedRequest]) -> &'a Behaviour {
    let counted_apart = behaviours.iter().any(|behaviour| behaviour.events);
    let is_events = |request: &RecordedRequest| counted_apart && request.is_for_events();
    let kind = is_events(log.last().unwrap());
    let place = log.iter().filter(|request| is_events(request) == kind).count() - 1;
    let mut candidates = behaviours.iter().filter(|behaviour| behaviour.events == kind);
    candidates.clone().nth(place).or(candidates.next_back()).unwrap()
}

/// The head of the answer, and the rest of it in the pieces in which it is sent.
fn answer(status: u16, behaviour: &Behaviour) -> (String, Vec<String>) {
    let mut head = format!("HTTP/1.1 {status} Test\r\nconnection: close\r\n");
    for (name, value) in &behaviour.headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    let lines = behaviour.lines.as_ref().map(|lines| lines.iter().map(|line| format!("{line}\n")).collect());
    if let Some(chunks) = lines.or_else(|| behaviour.chunks.clone()) {
        if !behaviour.headers.contains_key("content-type") {
            head += "content-type: application/x-ndjson\r\n";
        }
        head += "transfer-encoding: chunked\r\n\r\n";
        let chunk = |text: &String| format!("{:x}\r\n{text}\r\n", text.len());
        let mut parts: Vec<String> = chunks.iter().map(chunk).collect();
        if behaviour.end == End::Clean {
            parts.push("0\r\n\r\n".to_owned());
        }
        return (head, parts);
    }
    let body = match (&behaviour.json, &behaviour.body) {
        (Some(json), _) => json.to_string(),
        (None, text) => text.clone().unwrap_or_default(),
    };
    if !behaviour.headers.contains_key("content-type") {
        head += "content-type: application/json\r\n";
    }
    if status != 204 {
        let missing = if behaviour.end == End::Clean { 0 } else { 100 };
        let _ = write!(head, "content-length: {}\r\n", body.len() + missing);
    }
    (head + "\r\n", vec![body])
}

async fn read_request(stream: &mut TcpStream) -> std::io::Result<RecordedRequest> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = bytes.windows(4).position(|part| part == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
            let mut request = RecordedRequest { head, body: bytes[end + 4..].to_vec() };
            let length = request.header("content-length").map_or(0, |length| length.parse().unwrap());
            while request.body.len() < length {
                stream.read_buf(&mut request.body).await?;
            }
            return Ok(request);
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
    }
}
