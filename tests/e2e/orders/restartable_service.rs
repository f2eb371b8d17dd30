use std::fmt::Write as _;
use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, RwLock};
use std::time::{Duration, Instant};

use causeway_domain::ports::OrderStore as _;
use causeway_domain::{Address, OrderId};
use causeway_store::{Location, Store};
use reqwest::{Client, Method};
use serde_json::Value;
use tempfile::TempDir;

use crate::service::{causeway, data_dir, few_chains, read_address_or_end};

/// How long one request is tried while the service is killed and started; far more than any start takes.
const TIMEOUT: Duration = Duration::from_mins(3);

/// What a shell counts files' sizes in.
const SHELL_BLOCK: u64 = 512;

/// A service that can be killed and restarted on the same data.
pub(super) struct RestartableService {
    folder: TempDir,
    arguments: Vec<String>,
    child: Mutex<Option<Child>>,
    url: RwLock<String>,
    client: Client,
}

fn write_config(folder: &TempDir, config: &str) -> PathBuf {
    let file = folder.path().join("orders.toml");
    std::fs::write(&file, format!("{config}\n{}", few_chains())).unwrap();
    file
}

impl RestartableService {
    /// A service on the chains of another process, configured by `config`.
    pub(super) fn start(chains: &str, config: &str) -> Self {
        let folder = data_dir();
        let file = write_config(&folder, config);
        let _ = rustls::crypto::ring::default_provider().install_default();
        let arguments = ["--sandbox-rpc", chains, "--config", file.to_str().unwrap()].map(str::to_owned);
        let client = Client::builder().timeout(Duration::from_mins(1)).build().unwrap();
        let service = Self {
            folder,
            arguments: arguments.to_vec(),
            child: Mutex::default(),
            url: RwLock::default(),
            client,
        };
        service.restart();
        service
    }

    /// The configuration from the next start on.
    pub(super) fn configure(&self, config: &str) {
        write_config(&self.folder, config);
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    /// Whether the process has written a line with this text to its log.
    pub(super) fn has_logged(&self, text: &str) -> bool {
        std::fs::read_to_string(self.log()).unwrap_or_default().contains(text)
    }

    /// Starts the process, again where it ends because a chain does not answer; what it logs is added to one file.
    pub(super) fn restart(&self) {
        let begun = Instant::now();
        while !self.start_once(causeway()) {
            assert!(begun.elapsed() < TIMEOUT, "the service does not start");
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// Starts the process on a disk that is nearly full: none of its files can grow beyond so many bytes.
    pub(super) fn restart_on_full_disk(&self, bytes: u64) {
        let binary = causeway();
        let mut shell = Command::new("sh");
        // The signal that comes with it would end the process, which a full disk does not.
        shell.args(["-c", "trap '' XFSZ && ulimit -S -f \"$0\" && exec \"$@\""]);
        shell.arg((bytes / SHELL_BLOCK).to_string()).arg(binary.get_program());
        for (name, _) in binary.get_envs() {
            shell.env_remove(name);
        }
        assert!(self.start_once(shell), "the service does not start");
    }

    fn start_once(&self, mut command: Command) -> bool {
        let log = File::options().create(true).append(true).open(self.log()).unwrap();
        let mut child = command
            .current_dir(self.folder.path())
            .args(["--listen", "127.0.0.1:0", "--data-dir"])
            .arg(self.folder.path())
            .args(&self.arguments)
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("the binary starts");
        let url = read_address_or_end(&mut child);
        let Some(url) = url else {
            child.wait().unwrap();
            return false;
        };
        *self.url.write().unwrap() = url;
        *self.child.lock().unwrap() = Some(child);
        true
    }

    /// Ends the process as a power cut would: `kill -9`.
    pub(super) fn kill(&self) {
        if let Some(mut child) = self.child.lock().unwrap().take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Asks once, whatever the answer is.
    pub(super) async fn ask_once(&self, method: Method, path: &str, body: &Value) -> (u16, Value) {
        let url = self.url.read().unwrap().clone();
        let request = self.client.request(method, format!("{url}{path}"));
        let request = if body.is_null() { request } else { request.body(body.to_string()) };
        let response = request.send().await.unwrap();
        (response.status().as_u16(), response.json().await.unwrap())
    }

    /// Asks until the service answers for good: what it cannot say now, or could not say because it died, is asked again.
    pub(super) async fn ask(&self, method: Method, path: &str, body: &Value) -> Result<Value, (u16, Value)> {
        let begun = Instant::now();
        loop {
            let url = self.url.read().unwrap().clone();
            let request = self.client.request(method.clone(), format!("{url}{path}"));
            let request = if body.is_null() { request } else { request.body(body.to_string()) };
            let answer = match request.send().await {
                Ok(response) => Some((response.status().as_u16(), response.json::<Value>().await)),
                Err(_) => None,
            };
            match answer {
                Some((200..300, Ok(answer))) => return Ok(answer),
                Some((status @ 400..500, Ok(answer))) if status != 429 => return Err((status, answer)),
                // The chain has said no, and says it again to the same bytes.
                Some((status, Ok(answer))) if answer["name"] == "BroadcastException" => {
                    return Err((status, answer));
                }
                other => assert!(begun.elapsed() < TIMEOUT, "{path} {body} came to nothing: {other:?}"),
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    pub(super) async fn get(&self, path: &str) -> Value {
        self.ask(Method::GET, path, &Value::Null).await.unwrap_or_else(|error| panic!("{path}: {error:?}"))
    }

    /// The orders that a payer can see.
    pub(super) async fn orders_of(&self, payer: Address) -> Vec<Value> {
        self.get(&format!("/v1/orders/{payer}")).await["data"].as_array().unwrap().clone()
    }

    /// The store of a service that was stopped.
    pub(super) async fn store(&self) -> Store {
        Store::open(&Location::Sqlite(self.database())).await.unwrap()
    }

    pub(super) fn database(&self) -> PathBuf {
        self.folder.path().join("causeway.db")
    }

    pub(super) fn url(&self) -> String {
        self.url.read().unwrap().clone()
    }

    /// Runs another command of the binary on the same data and chains.
    pub(super) fn run(&self, command: &[&str]) -> std::process::Output {
        let folder = self.folder.path();
        let mut run = causeway();
        run.current_dir(folder).args(command).arg("--data-dir").arg(folder).args(&self.arguments);
        run.output().expect("the binary starts")
    }

    /// The stored order, its events and the relevant log lines, for a failure message. Stops the service.
    pub(super) async fn diagnostics(&self, order: Option<&str>) -> String {
        self.kill();
        let mut text = String::new();
        if let Some(id) = order.and_then(|id| id.parse::<OrderId>().ok()) {
            let store = self.store().await;
            text = format!("{:#?}\n", store.order(&id).await.unwrap());
            for event in store.order_events(&id).await.unwrap() {
                let _ = writeln!(text, "{} {:?} {}", event.at, event.kind, event.detail);
            }
            store.close().await;
        }
        let log = std::fs::read_to_string(self.log()).unwrap_or_default();
        let is_relevant = |line: &&str| order.is_some_and(|id| line.contains(id)) || line.contains("ERROR");
        let lines: Vec<&str> = log.lines().filter(is_relevant).collect();
        text + &lines[lines.len().saturating_sub(60)..].join("\n")
    }
}

impl Drop for RestartableService {
    fn drop(&mut self) {
        self.kill();
    }
}
