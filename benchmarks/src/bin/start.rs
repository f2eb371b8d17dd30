//! Without the chains of the sandbox: how long the service takes from its start to its first `ready`, and how much memory it holds when idle.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use causeway_benchmarks::percentile;

const STARTS: usize = 10;

#[tokio::main]
async fn main() {
    causeway_benchmarks::install_tls();
    let binary = std::env::args().nth(1).expect("usage: start PATH-TO-CAUSEWAY");
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("without-chains.toml");
    std::fs::write(&config, "[sandbox]\nenabled = false\n").expect("the configuration is written");
    let (mut times, mut memory) = (Vec::new(), 0);
    for _ in 0..STARTS {
        let start = Instant::now();
        let mut child = Command::new(&binary)
            .args(["--listen", "127.0.0.1:0", "--data-dir"])
            .arg(folder.path())
            .arg("--config")
            .arg(&config)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        let url = address(&mut child);
        let response = reqwest::get(format!("{url}/readyz")).await.expect("an answer");
        assert_eq!(response.status(), 200);
        times.push(start.elapsed());
        tokio::time::sleep(Duration::from_millis(500)).await;
        memory = memory.max(resident(child.id()));
        child.kill().expect("the service ends");
        child.wait().expect("the service ended");
    }
    times.sort_unstable();
    println!("| start to ready, median of {STARTS} | slowest | idle resident memory |\n|---|---|---|");
    println!(
        "| {:.0?} | {:.0?} | {:.1} MB |",
        percentile(&times, 50),
        percentile(&times, 100),
        memory as f64 / 1024.0
    );
}

fn address(child: &mut Child) -> String {
    let lines = BufReader::new(child.stdout.take().expect("stdout is piped")).lines();
    let word =
        |line: String| line.split_whitespace().find(|word| word.starts_with("http://")).map(str::to_owned);
    let url = lines.map_while(Result::ok).find_map(word).expect("the summary names an address");
    url.trim_end_matches('/').to_owned()
}

/// Kilobytes of resident memory, as the kernel counts them.
fn resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("the process lives");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("its memory");
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("a number")
}
