use std::fmt::Write as _;
use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
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

/// A service that can be killed and restarted on the same data: one process, or several on one PostgreSQL.
pub(super) struct RestartableService {
    /// At least one.
    replicas: Vec<Replica>,
    /// The address of the PostgreSQL database; absent for SQLite.
    postgres: Option<String>,
    /// Requests go to the replicas by turns.
    asked: AtomicUsize,
    client: Client,
}

/// One process with a folder of its own.
struct Replica {
    folder: TempDir,
    arguments: Vec<String>,
    child: Mutex<Option<Child>>,
    url: RwLock<String>,
}

fn write_config(folder: &TempDir, config: &str) -> PathBuf {
    let file = folder.path().join("orders.toml");
    std::fs::write(&file, format!("{config}\n{}", few_chains())).unwrap();
    file
}

impl Replica {
    fn new(chains: &str, config: &str) -> Self {
        let folder = data_dir();
        let file = write_config(&folder, config);
        let arguments = ["--sandbox-rpc", chains, "--config", file.to_str().unwrap()].map(str::to_owned);
        Self { folder, arguments: arguments.to_vec(), child: Mutex::default(), url: RwLock::default() }
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    /// Starts the process, again where it ends because a chain or the database does not answer; what it logs is added to one
    /// file.
    fn restart(&self) {
        let begun = Instant::now();
        while !self.start_once(causeway()) {
            assert!(begun.elapsed() < TIMEOUT, "the service does not start");
            std::thread::sleep(Duration::from_millis(200));
        }
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
    fn kill(&self) {
        if let Some(mut child) = self.child.lock().unwrap().take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    fn signal(&self, name: &str) {
        let child = self.child.lock().unwrap();
        let id = child.as_ref().expect("it runs").id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }
}

impl RestartableService {
    /// A service on the chains of another process, configured by `config`.
    pub(super) fn start(chains: &str, config: &str) -> Self {
        Self::with(vec![Replica::new(chains, config)], None, Duration::from_mins(1))
    }

    /// Replicas with the same keys, each with its own configuration, on the PostgreSQL of that address.
    pub(super) fn start_replicas(chains: &str, configs: &[String], postgres: &str) -> Self {
        let replicas = configs.iter().map(|config| Replica::new(chains, config)).collect();
        Self::with(replicas, Some(postgres.to_owned()), Duration::from_secs(10))
    }

    fn with(replicas: Vec<Replica>, postgres: Option<String>, timeout: Duration) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().timeout(timeout).build().unwrap();
        let service = Self { replicas, postgres, asked: AtomicUsize::new(0), client };
        service.restart();
        service
    }

    fn first(&self) -> &Replica {
        self.replicas.first().expect("there is one")
    }

    /// How many replicas there are.
    pub(super) fn replica_count(&self) -> usize {
        self.replicas.len()
    }

    /// The configuration from the next start on.
    pub(super) fn configure(&self, config: &str) {
        write_config(&self.first().folder, config);
    }

    /// Whether the process has written a line with this text to its log.
    pub(super) fn has_logged(&self, text: &str) -> bool {
        self.replicas.iter().any(|it| std::fs::read_to_string(it.log()).unwrap_or_default().contains(text))
    }

    /// Starts every process that does not run. The first one makes the keys of all (rule 32).
    pub(super) fn restart(&self) {
        for (number, replica) in self.replicas.iter().enumerate() {
            let keys = replica.folder.path().join("keys");
            if number > 0 && !keys.exists() {
                std::fs::create_dir(&keys).unwrap();
                for file in std::fs::read_dir(self.first().folder.path().join("keys")).unwrap() {
                    let file = file.unwrap();
                    std::fs::copy(file.path(), keys.join(file.file_name())).unwrap();
                }
            }
            if replica.child.lock().unwrap().is_none() {
                replica.restart();
            }
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
        assert!(self.first().start_once(shell), "the service does not start");
    }

    /// Ends all processes as a power cut would: `kill -9`.
    pub(super) fn kill(&self) {
        self.replicas.iter().for_each(Replica::kill);
    }

    /// Ends one process as a power cut would, and starts it again.
    pub(super) fn kill_and_restart(&self, replica: usize) {
        self.replicas[replica].kill();
        self.replicas[replica].restart();
    }

    /// Stops a process in the middle of whatever it does; it does not know.
    pub(super) fn stall(&self, replica: usize) {
        self.replicas[replica].signal("STOP");
    }

    pub(super) fn resume(&self, replica: usize) {
        self.replicas[replica].signal("CONT");
    }

    /// Where the next request goes.
    fn next_url(&self) -> String {
        let turn = self.asked.fetch_add(1, Ordering::Relaxed);
        self.replicas[turn % self.replicas.len()].url.read().unwrap().clone()
    }

    /// Asks once, whatever the answer is.
    pub(super) async fn ask_once(&self, method: Method, path: &str, body: &Value) -> (u16, Value) {
        let url = self.next_url();
        let request = self.client.request(method, format!("{url}{path}"));
        let request = if body.is_null() { request } else { request.body(body.to_string()) };
        let response = request.send().await.unwrap();
        (response.status().as_u16(), response.json().await.unwrap())
    }

    /// Asks until the service answers for good: what it cannot say now, or could not say because it died, is asked again.
    pub(super) async fn ask(&self, method: Method, path: &str, body: &Value) -> Result<Value, (u16, Value)> {
        let begun = Instant::now();
        loop {
            let url = self.next_url();
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
        let location = match &self.postgres {
            Some(url) => Location::Postgres(url.parse().unwrap()),
            None => Location::Sqlite(self.database()),
        };
        Store::open(&location).await.unwrap()
    }

    pub(super) fn database(&self) -> PathBuf {
        self.first().folder.path().join("causeway.db")
    }

    /// How many rows this query counts in the database of the running service.
    pub(super) async fn count(&self, query: &'static str) -> i64 {
        if let Some(url) = &self.postgres {
            // Of several servers, the store finds the one to ask.
            let one = url.split_once('?').map_or(url.as_str(), |(place, _)| place);
            let (before, hosts) = one.split_once('@').unwrap();
            let (hosts, name) = hosts.split_once('/').unwrap();
            for host in hosts.split(',') {
                let Ok(pool) = sqlx::PgPool::connect(&format!("{before}@{host}/{name}")).await else {
                    continue;
                };
                let counted = sqlx::query_scalar(query).fetch_one(&pool).await;
                pool.close().await;
                return counted.unwrap();
            }
            panic!("no database server answers");
        }
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(self.database());
        let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
        let counted = sqlx::query_scalar(query).fetch_one(&pool).await.unwrap();
        pool.close().await;
        counted
    }

    pub(super) fn url_of(&self, replica: usize) -> String {
        self.replicas[replica].url.read().unwrap().clone()
    }

    pub(super) fn url(&self) -> String {
        self.first().url.read().unwrap().clone()
    }

    /// Runs another command of the binary on the same data and chains.
    pub(super) fn run(&self, command: &[&str]) -> std::process::Output {
        let folder = self.first().folder.path();
        let mut run = causeway();
        run.current_dir(folder).args(command).arg("--data-dir").arg(folder).args(&self.first().arguments);
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
        let logs =
            self.replicas.iter().map(|replica| std::fs::read_to_string(replica.log()).unwrap_or_default());
        let log = logs.collect::<Vec<_>>().join("\n");
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
