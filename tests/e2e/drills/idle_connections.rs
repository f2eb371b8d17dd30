//! Thousands of connections that send nothing, or half a request, while a swap goes on.

use std::collections::VecDeque;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use causeway_sandbox::genesis::EvmGenesis;
use futures::future::join_all;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use crate::attester::{Chains, signed};
use crate::service::{Service, causeway, data_dir};

/// The adversary's address; the payer has another one.
const ADVERSARY: &str = "127.0.0.2:0";
const KEY: &str = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

/// Of an ordinary run; `CAUSEWAY_CONNECTIONS` is another number.
const CONNECTIONS: usize = 6_000;
const PER_ADDRESS: usize = 300;
const FIRST_BYTE: Duration = Duration::from_secs(4);
const TIMEOUT: Duration = Duration::from_mins(1);

fn settings() -> String {
    format!(
        "[server.connections]\nper_address = {PER_ADDRESS}\nfirst_byte_seconds = {}\nhead_seconds = 6\n",
        FIRST_BYTE.as_secs()
    )
}

fn start(folder: &Path) -> Service {
    Service::start_configured(folder, &settings())
}

fn open_files(process: u32) -> usize {
    std::fs::read_dir(format!("/proc/{process}/fd")).map_or(0, Iterator::count)
}

async fn connect(service: &Service) -> std::io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(ADVERSARY.parse().unwrap())?;
    socket.connect(service.url.trim_start_matches("http://").parse().unwrap()).await
}

/// How many files this process may still open, with some to spare for the tests beside this one.
fn bounded(wanted: usize) -> usize {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find(|line| line.starts_with("Max open files")).unwrap_or_default();
    let soft = line.split_whitespace().nth(3).and_then(|text| text.parse::<usize>().ok());
    wanted.min(soft.unwrap_or(1_024) / 2)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idle_connections_from_one_address_do_not_stop_a_swap() {
    let folder = data_dir();
    let service = start(folder.path());
    let process = service.child.id();
    let before = open_files(process);
    let wanted =
        std::env::var("CAUSEWAY_CONNECTIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(CONNECTIONS);
    let (mut held, mut opened, at_once) = (VecDeque::new(), 0, bounded(wanted));
    for number in 0..wanted {
        let Ok(mut stream) = connect(&service).await else { continue };
        opened += 1;
        // Some send a little, so that only the deadline of the head ends them.
        if number % 3 == 0 {
            let _ = stream.write_all(b"P").await;
        }
        held.push_back(stream);
        if held.len() > at_once {
            held.pop_front();
        }
    }
    let taken = open_files(process).saturating_sub(before);
    assert!(opened > wanted / 2, "only {opened} connections were opened");
    assert!(taken <= PER_ADDRESS + 100, "{taken} descriptors are held for one address");

    let key = folder.path().join("key");
    std::fs::write(&key, KEY).unwrap();
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
    let url = service.url.clone();
    // As many again at one moment, when the first may have been closed: those beyond the limit are refused.
    let more = join_all((0..PER_ADDRESS * 2).map(|_| connect(&service))).await;
    let answers = join_all(more.into_iter().flatten().map(answer)).await;
    let refused = answers.iter().flatten().filter(|answer| *answer == "HTTP/1.1 429").count();
    assert!(refused > 0, "none of {} more connections is refused", answers.len());
    assert_eq!(service.get("/v1/chains").await.status(), 200, "others are served");
    let swap = tokio::task::spawn_blocking(move || {
        let mut command = causeway();
        command.args(["swap", "25", "USDC@base", "ETH@arbitrum", "--yes", "--at-least", "0.001", "--json"]);
        command.arg("--key-file").arg(key).env("CAUSEWAY_URL", url).output().unwrap()
    });
    for _ in 0..PER_ADDRESS {
        held.extend(connect(&service).await.ok());
    }
    let swap = swap.await.unwrap();
    assert!(swap.status.success(), "{}", String::from_utf8_lossy(&swap.stderr));

    // None of the idle ones is left after its deadline, and the address can connect again.
    let (begun, mut left) = (Instant::now(), usize::MAX);
    while left >= 100 && begun.elapsed() < TIMEOUT {
        tokio::time::sleep(Duration::from_millis(250)).await;
        left = open_files(process).saturating_sub(before);
    }
    assert!(left < 100, "{left} descriptors are still held");
    let mut stream = connect(&service).await.unwrap();
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n").await.unwrap();
    assert_eq!(answer(stream).await.as_deref(), Some("HTTP/1.1 200"));
    drop(held);
}

/// The first words of what the server says.
async fn answer(mut stream: TcpStream) -> Option<String> {
    let mut buffer = [0; 12];
    let read = tokio::time::timeout(TIMEOUT, stream.read_exact(&mut buffer)).await;
    read.ok()?.ok()?;
    Some(String::from_utf8_lossy(&buffer).into_owned())
}

/// Of the attesters; anybody can reach them as well.
const AT_AN_ATTESTER: usize = 1_500;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idle_connections_do_not_stop_an_attester() {
    let chains = Chains::start();
    let genesis = EvmGenesis::new().unwrap();
    let (folder, key) = (data_dir(), &genesis.roles().attesters[0]);
    let attester = chains.attester_with(folder.path(), key, &settings());
    let before = open_files(attester.child.id());
    let (mut held, mut opened, at_once) = (VecDeque::new(), 0, bounded(AT_AN_ATTESTER));
    for _ in 0..AT_AN_ATTESTER {
        let Ok(stream) = connect(&attester).await else { continue };
        opened += 1;
        held.push_back(stream);
        if held.len() > at_once {
            held.pop_front();
        }
    }
    let taken = open_files(attester.child.id()).saturating_sub(before);
    assert!(opened > AT_AN_ATTESTER / 2, "only {opened} connections were opened");
    assert!(taken <= PER_ADDRESS + 100, "{taken} descriptors are held for one address");
    let (terms, _) = chains.open_and_fill(genesis.wallets()).await;
    assert_eq!(signed(&attester, &terms).await["outcome"], "filled");
    let (begun, mut left) = (Instant::now(), usize::MAX);
    while left >= 100 && begun.elapsed() < TIMEOUT {
        tokio::time::sleep(Duration::from_millis(250)).await;
        left = open_files(attester.child.id()).saturating_sub(before);
    }
    assert!(left < 100, "{left} descriptors are still held");
    drop(held);
}
