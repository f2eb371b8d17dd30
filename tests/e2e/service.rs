use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use reqwest::{Client, Response};
use serde_json::Value;
use tempfile::TempDir;

/// The binary under test, without any setting of the person who runs the tests.
pub(crate) fn causeway() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_causeway"));
    for name in ["LISTEN", "DATA_DIR", "CONFIG", "DATABASE_URL", "LOG", "SANDBOX_RPC"] {
        command.env_remove(format!("CAUSEWAY_{name}"));
    }
    command
}

/// A running service on a port of its own; it ends with the value.
pub(crate) struct Service {
    pub(crate) child: Child,
    pub(crate) url: String,
    pub(crate) client: Client,
}

impl Service {
    /// The service without the sandbox's chains, which most tests do not need.
    pub(crate) fn start(data_dir: &Path) -> Self {
        let file = data_dir.join("without-chains.toml");
        std::fs::write(&file, "[sandbox]\nenabled = false\n").unwrap();
        Self::start_with(data_dir, &["--config", file.to_str().unwrap()])
    }

    pub(crate) fn start_with(data_dir: &Path, args: &[&str]) -> Self {
        let mut child = causeway()
            .current_dir(data_dir)
            .args(["--listen", "127.0.0.1:0", "--data-dir"])
            .arg(data_dir)
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        let url = read_address(&mut child);
        Self { child, url, client: client() }
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        self.client.get(format!("{}{path}", self.url)).send().await.expect("the service answers")
    }

    pub(crate) async fn get_json(&self, path: &str) -> Value {
        let response = self.get(path).await;
        assert_eq!(response.status(), 200, "{path}");
        response.json().await.expect("JSON")
    }

    /// Waits for the process to end by itself.
    pub(crate) fn wait(&mut self, limit: Duration) -> Option<i32> {
        let start = Instant::now();
        while start.elapsed() < limit {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        None
    }
}

/// The client wants a TLS provider even where it speaks plain HTTP.
fn client() -> Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().timeout(Duration::from_secs(20)).build().unwrap()
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The start-up summary names the address; the rest of it is read away so that the pipe never fills.
pub(crate) fn read_address(child: &mut Child) -> String {
    let mut lines = BufReader::new(child.stdout.take().expect("stdout is piped")).lines();
    let url = lines
        .by_ref()
        .map_while(Result::ok)
        .find_map(|line| line.split_whitespace().find(|word| word.starts_with("http://")).map(str::to_owned))
        .expect("the start-up summary names an address");
    std::thread::spawn(move || lines.for_each(drop));
    url.trim_end_matches('/').to_owned()
}

pub(crate) fn data_dir() -> TempDir {
    tempfile::tempdir().unwrap()
}

pub(crate) fn run(args: &[&str]) -> std::process::Output {
    causeway().args(args).output().expect("the binary starts")
}
