use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What the server answers next.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    Document {
        body: Vec<u8>,
        tag: Option<&'static str>,
    },
    Status(u16),
    /// A body without end or announced length.
    Endless,
}

/// A web server on the loopback interface that serves one document.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) url: String,
    answer: Arc<Mutex<Answer>>,
    requests: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Server {
    pub(crate) async fn start(answer: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/list.json", listener.local_addr().unwrap());
        let answer = Arc::new(Mutex::new(answer));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (shared, log) = (Arc::clone(&answer), Arc::clone(&requests));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let answer = shared.lock().unwrap().clone();
                let log = Arc::clone(&log);
                tokio::spawn(async move { serve(stream, answer, &log).await });
            }
        });
        Self { url, answer, requests, task }
    }

    pub(crate) fn answer(&self, answer: Answer) {
        *self.answer.lock().unwrap() = answer;
    }

    /// The heads of all requests so far, in lower case.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    pub(crate) async fn stop(self) {
        self.task.abort();
        let _ = self.task.await;
    }
}

async fn serve(mut stream: TcpStream, answer: Answer, log: &Mutex<Vec<String>>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let Ok(byte) = stream.read_u8().await else { return };
        head.push(byte);
    }
    let head = String::from_utf8_lossy(&head).to_lowercase();
    log.lock().unwrap().push(head.clone());
    let bytes = match answer {
        Answer::Document { tag: Some(tag), .. } if head.contains(&format!("if-none-match: {tag}")) => {
            b"HTTP/1.1 304 Not Modified\r\nconnection: close\r\n\r\n".to_vec()
        }
        Answer::Document { body, tag } => {
            let tag = tag.map(|tag| format!("etag: {tag}\r\n")).unwrap_or_default();
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n{tag}connection: close\r\n\r\n",
                body.len()
            );
            [head.into_bytes(), body].concat()
        }
        Answer::Status(status) => {
            format!("HTTP/1.1 {status} No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").into_bytes()
        }
        Answer::Endless => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n").await;
            while stream.write_all(&[b' '; 8_192]).await.is_ok() {}
            return;
        }
    };
    let _ = stream.write_all(&bytes).await;
}
