//! Startup time until the service answers, and its idle memory, without sandbox chains. Without chains nothing can be quoted, so
//! it is alive and never `ready`.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use causeway_benchmarks::{percentile, printed_url, resident_kb};

const STARTS: usize = 10;

pub(crate) async fn measure_all(arguments: Vec<String>) {
    let binary = arguments.first().expect("usage: start PATH-TO-CAUSEWAY");
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("without-chains.toml");
    std::fs::write(&config, "[sandbox]\nenabled = false\n").expect("the configuration is written");
    let (mut times, mut memory) = (Vec::new(), 0);
    for _ in 0..STARTS {
        let start = Instant::now();
        let mut child = Command::new(binary)
            .args(["--listen", "127.0.0.1:0", "--data-dir"])
            .arg(folder.path())
            .arg("--config")
            .arg(&config)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        let url = printed_url(&mut child);
        let response = reqwest::get(format!("{url}/healthz")).await.expect("an answer");
        assert_eq!(response.status(), 200);
        times.push(start.elapsed());
        tokio::time::sleep(Duration::from_millis(500)).await;
        memory = memory.max(resident_kb(child.id()));
        child.kill().expect("the service ends");
        child.wait().expect("the service ended");
    }
    times.sort_unstable();
    println!("| start to first answer, median of {STARTS} | slowest | idle resident memory |\n|---|---|---|");
    println!(
        "| {:.0?} | {:.0?} | {:.1} MB |",
        percentile(&times, 50),
        percentile(&times, 100),
        memory as f64 / 1024.0
    );
}
