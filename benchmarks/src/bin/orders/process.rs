use std::path::Path;
use std::process::{Child, Command, Stdio};

use causeway_benchmarks::address;
use tempfile::TempDir;

/// A causeway in a process and a folder of its own, which ends with its owner.
pub(crate) struct Process {
    child: Child,
    pub(crate) url: String,
    _folder: TempDir,
}

impl Process {
    /// All chains of the sandbox and nothing else.
    pub(crate) fn chains(binary: &Path) -> Self {
        Self::start(binary, &["sandbox"])
    }

    /// The service on chains elsewhere.
    pub(crate) fn service(binary: &Path, chains: &str) -> Self {
        Self::start(binary, &["--sandbox-rpc", chains])
    }

    fn start(binary: &Path, arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let config = folder.path().join("orders.toml");
        // Orders stay open for as long as the measuring may take.
        std::fs::write(&config, "[orders]\nopen_slack_seconds = 7200\n")
            .expect("the configuration is written");
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
        let url = address(&mut child);
        let url = url.split("/sandbox").next().unwrap_or(&url).to_owned();
        Self { child, url, _folder: folder }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
