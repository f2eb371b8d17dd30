use std::path::Path;
use std::process::{Child, Command, Stdio};

use causeway_benchmarks::printed_url;
use tempfile::TempDir;

/// A causeway process with its own data folder; it is killed on drop.
pub(crate) struct Process {
    child: Child,
    pub(crate) url: String,
    _folder: TempDir,
}

impl Process {
    /// Starts the sandbox chains only.
    pub(crate) fn chains(binary: &Path) -> Self {
        Self::start(binary, &["sandbox"])
    }

    /// Starts the service with chains of another process.
    pub(crate) fn service(binary: &Path, chains: &str) -> Self {
        Self::start(binary, &["--sandbox-rpc", chains])
    }

    fn start(binary: &Path, arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let config = folder.path().join("orders.toml");
        // Orders stay open during the whole measurement.
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
        let url = printed_url(&mut child);
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
