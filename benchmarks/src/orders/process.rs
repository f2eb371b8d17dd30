use std::path::Path;
use std::process::{Child, Command, Stdio};

use causeway_benchmarks::printed_url;
use tempfile::TempDir;

/// Orders stay open during the whole measurement, and all clients call from one address.
const SETTINGS: &str = "[orders]\nopen_slack_seconds = 7200\n[server.connections]\nper_address = 20000\n";

/// A causeway process with its own data folder; it is killed on drop.
pub(crate) struct Process {
    child: Child,
    pub(crate) url: String,
    folder: TempDir,
}

impl Process {
    /// Starts the sandbox chains only.
    pub(crate) fn chains(binary: &Path) -> Self {
        Self::start(binary, &["sandbox"], "", None)
    }

    /// Starts the service with chains of another process.
    pub(crate) fn service(binary: &Path, chains: &str) -> Self {
        Self::service_with(binary, chains, "", None)
    }

    /// The same with more settings, and with the keys of a replica.
    pub(crate) fn service_with(binary: &Path, chains: &str, settings: &str, replica: Option<&Self>) -> Self {
        Self::start(binary, &["--sandbox-rpc", chains], settings, replica)
    }

    fn start(binary: &Path, arguments: &[&str], settings: &str, replica: Option<&Self>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        if let Some(replica) = replica {
            copy_keys(replica.folder.path(), folder.path());
        }
        let config = folder.path().join("orders.toml");
        std::fs::write(&config, format!("{SETTINGS}{settings}")).expect("the configuration is written");
        let mut child = Command::new(binary)
            .args(arguments)
            .args(["--listen", "127.0.0.1:0", "--data-dir"])
            .arg(folder.path())
            .arg("--config")
            .arg(&config)
            .env("CAUSEWAY_LOG", "warn")
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let url = printed_url(&mut child);
        let url = url.split("/sandbox").next().unwrap_or(&url).to_owned();
        Self { child, url, folder }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Replicas have the same keys.
fn copy_keys(from: &Path, to: &Path) {
    let (from, to) = (from.join("keys"), to.join("keys"));
    std::fs::create_dir_all(&to).expect("a folder for the keys");
    for file in std::fs::read_dir(from).expect("the first replica has keys") {
        let file = file.expect("a file");
        std::fs::copy(file.path(), to.join(file.file_name())).expect("the key is copied");
    }
}
