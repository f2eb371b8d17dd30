use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use reqwest::{Client, Response};
use serde_json::Value;
use tempfile::TempDir;

/// How long a process may take to name its address; far more than it needs on the slowest machine.
const START_LIMIT: Duration = Duration::from_mins(3);

/// The binary under test, or another in its place, without any setting of the person who runs the tests.
pub(crate) fn causeway() -> Command {
    let other = std::env::var_os("CAUSEWAY_BIN");
    command_of(&other.unwrap_or_else(|| env!("CARGO_BIN_EXE_causeway").into()))
}

fn command_of(binary: &OsStr) -> Command {
    let mut command = Command::new(binary);
    for name in ["LISTEN", "DATA_DIR", "CONFIG", "DATABASE_URL", "LOG", "SANDBOX_RPC", "DEPLOYER_KEY"] {
        command.env_remove(format!("CAUSEWAY_{name}"));
    }
    for name in ["URL", "KEY", "KEY_FILE"] {
        command.env_remove(format!("CAUSEWAY_{name}"));
    }
    command
}

/// The chains that few tests use. The hub is not among them: every order is written there.
const RARE_CHAINS: [u64; 13] =
    [56, 130, 137, 143, 324, 2741, 5000, 16_661, 43_114, 59_144, 80_094, 747_474, 5_734_951];

/// A configuration without the chains that few tests use: each costs every service that runs it time.
pub(crate) fn few_chains() -> String {
    RARE_CHAINS.map(|id| format!("[[chains]]\nid = {id}\nenabled = false\n\n")).concat()
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

    /// The service, or another command, with few chains, unless it is given a configuration or its folder has one.
    pub(crate) fn start_with(data_dir: &Path, args: &[&str]) -> Self {
        let file = data_dir.join("causeway.toml");
        if !args.contains(&"--config") && !file.exists() {
            std::fs::write(&file, few_chains()).unwrap();
        }
        Self::start_logging(data_dir, args, Stdio::null())
    }

    /// The service with few chains and further settings, written into its folder.
    pub(crate) fn start_configured(data_dir: &Path, settings: &str) -> Self {
        std::fs::write(data_dir.join("causeway.toml"), format!("{settings}\n{}", few_chains())).unwrap();
        Self::start_with(data_dir, &[])
    }

    /// The service with all chains.
    pub(crate) fn start_with_all_chains(data_dir: &Path) -> Self {
        Self::start_logging(data_dir, &[], Stdio::null())
    }

    pub(crate) fn start_logging(data_dir: &Path, args: &[&str], log: Stdio) -> Self {
        let mut command = causeway();
        command.stderr(log);
        Self::run(command, data_dir, args)
    }

    /// Another version of the service.
    pub(crate) fn start_binary(binary: &OsStr, data_dir: &Path, args: &[&str]) -> Self {
        let mut command = command_of(binary);
        command.stderr(Stdio::null());
        Self::run(command, data_dir, args)
    }

    fn run(mut command: Command, data_dir: &Path, args: &[&str]) -> Self {
        let child = command
            .current_dir(data_dir)
            .args(["--listen", "127.0.0.1:0", "--data-dir"])
            .arg(data_dir)
            .args(args)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        // From here on the process ends with the value, also when its address never comes.
        let mut service = Self { child, url: String::new(), client: client() };
        service.url = read_address(&mut service.child);
        service
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
    // A test that runs a command does not see meanwhile that the service closes an idle connection.
    let builder = Client::builder().timeout(Duration::from_mins(1)).pool_idle_timeout(Duration::from_secs(5));
    builder.build().unwrap()
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The start-up summary names the address; the rest is drained so that the pipe never fills.
///
/// A process that never names one is ended, so that it does not outlive the test that waits for it.
pub(crate) fn read_address(child: &mut Child) -> String {
    read_address_or_end(child).unwrap_or_else(|| {
        let _ = child.kill();
        let _ = child.wait();
        panic!("the start-up summary names no address");
    })
}

/// As [`read_address`]; nothing when the process ends before, or is ended for taking too long.
pub(crate) fn read_address_or_end(child: &mut Child) -> Option<String> {
    let lines = BufReader::new(child.stdout.take().expect("stdout is piped")).lines();
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            if let Some(url) = line.split_whitespace().find(|word| word.starts_with("http://")) {
                let _ = sender.send(url.trim_end_matches('/').to_owned());
            }
        }
    });
    let url = receiver.recv_timeout(START_LIMIT).ok();
    if url.is_none() {
        // It may have ended by itself.
        let _ = child.kill();
    }
    url
}

pub(crate) fn data_dir() -> TempDir {
    tempfile::tempdir().unwrap()
}

pub(crate) fn run(args: &[&str]) -> std::process::Output {
    causeway().args(args).output().expect("the binary starts")
}

#[test]
fn process_without_an_address_is_killed() {
    let mut silent = Command::new("sh")
        .args(["-c", "exec sleep 600 >&-"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("a shell");
    let wait = std::panic::AssertUnwindSafe(|| read_address(&mut silent));
    assert!(std::panic::catch_unwind(wait).is_err());
    assert!(silent.try_wait().unwrap().is_some());
}
