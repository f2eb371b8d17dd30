//! The commands of `docs/running.md`, as they stand there, from an empty folder to filled swaps in production mode.
//!
//! The sandbox's chains stand for real ones. The test puts their addresses in place of the document's examples, funds who
//! must be funded, starts the attesters, and does what the tools of Solana do.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use alloy_primitives::Address;
use serde_json::{Value, json};

use crate::production::{ARBITRUM, ATTESTERS, BASE, Host, Role, SOLANA, address, secret, usdc};
use crate::service::{Service, causeway, data_dir};

const DOCUMENT: &str = include_str!("../../docs/running.md");

/// How long the market maker may take to know what it holds; far more than it needs on the slowest machine.
const TIMEOUT: Duration = Duration::from_mins(3);

const USDC_ON_SOLANA: &str = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
/// Who receives the deposits of filled orders on Solana in the document.
const SOLANA_PAYEE: &str = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM";

/// The commands of one step, in their order; a command may have several lines.
fn commands(step: &str) -> Vec<String> {
    let section = DOCUMENT.split("\n## Production from nothing\n").nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let step = section.split("\n### ").find(|text| text.starts_with(step)).unwrap();
    let blocks = step.split("```sh").skip(1).map(|rest| rest.split("```").next().unwrap());
    // The first line of a block says how the document is checked.
    let lines = blocks.flat_map(|block| {
        let (_, block) = block.split_once('\n').unwrap();
        block.replace("\\\n", " ").lines().map(str::to_owned).collect::<Vec<_>>()
    });
    lines.filter(|line| !line.trim().is_empty()).collect()
}

/// A host with the document's commands on its path.
struct Walk {
    host: Host,
    /// The document's examples, and what the test has in their place.
    examples: Vec<(String, String)>,
}

impl Walk {
    fn new() -> Self {
        let host = Host::new();
        let bin = host.path("bin");
        std::fs::create_dir(&bin).unwrap();
        std::os::unix::fs::symlink(causeway().get_program(), bin.join("causeway")).unwrap();
        let path = |name: &str| host.path(name).display().to_string();
        let other_name = |chain| host.node(chain).replace("127.0.0.1", "localhost");
        let mut examples = vec![
            ("/etc/causeway".to_owned(), path("etc")),
            ("/var/lib/causeway".to_owned(), path("data")),
            ("https://base.rpc.example".to_owned(), host.node(BASE)),
            ("https://sol.rpc.example".to_owned(), host.node(SOLANA)),
            ("=0x…".to_owned(), format!("={}", secret(Role::Deployer as u8))),
            // A name, until the service has an address.
            ("https://swap.example".to_owned(), "https://swap.test".to_owned()),
        ];
        for (name, chain) in [("base", BASE), ("arb", ARBITRUM), ("sol", SOLANA)] {
            examples.push((format!("https://{name}.one.example/key"), host.node(chain)));
            examples.push((format!("https://{name}.two.example/key"), other_name(chain)));
        }
        for (digit, (number, byte)) in (1..).zip(["one", "two", "three"].into_iter().zip(ATTESTERS)) {
            examples.push((format!("0x{}", digit.to_string().repeat(40)), address(byte).to_string()));
            examples.push((format!("https://{number}.example"), format!("https://{number}.test")));
        }
        Self { host, examples }
    }

    /// A command as the test runs it.
    fn filled_in(&self, command: &str) -> String {
        let replace = |command: String, (from, to): &(String, String)| command.replace(from, to);
        let filled = self.examples.iter().fold(command.to_owned(), replace);
        assert!(!filled.contains(".example") && !filled.contains('…'), "not filled in: {filled}");
        filled
    }

    fn shell(&self, line: &str) -> Output {
        let mut shell = Command::new("bash");
        for (name, value) in causeway().get_envs() {
            assert!(value.is_none(), "the binary is called without settings");
            shell.env_remove(name);
        }
        let path = std::env::var("PATH").unwrap_or_default();
        shell.env("PATH", format!("{}:{path}", self.host.path("bin").display()));
        shell.current_dir(self.host.folder.path()).args(["-c", line]).output().unwrap()
    }

    /// What a command of the document prints, which must succeed.
    fn run(&self, command: &str) -> String {
        let line = self.filled_in(command);
        let output = self.shell(&line);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(output.status.success(), "{line}\n{}{}", text(&output.stdout), text(&output.stderr));
        text(&output.stdout)
    }

    fn account(&self, file: &str) -> String {
        self.run(&format!("causeway key address {file}")).trim().to_owned()
    }

    fn edit(&self, from: &str, to: &str) {
        let file = self.configuration();
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.contains(from), "{from:?} is not in {text}");
        std::fs::write(&file, text.replace(from, to)).unwrap();
    }

    fn configuration(&self) -> PathBuf {
        self.host.path("etc/causeway.toml")
    }

    async fn post(&self, path: &str, body: &Value) {
        let url = format!("{}{path}", self.host.base);
        let answer = self.host.nodes().client.post(url).body(body.to_string()).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{body}: {}", answer.text().await.unwrap());
    }

    async fn fund_on_solana(&self, account: &str, token: Option<&str>) {
        let gift = json!({ "chainId": SOLANA, "address": account, "token": token });
        self.post("/sandbox/faucet", &gift).await;
    }

    /// What a command of Solana's own tools does, which the sandbox does instead.
    async fn solana_tool(&self, command: &str) {
        let control = if command.starts_with("solana program deploy contracts/solana/escrow.so ") {
            assert!(command.contains("--program-id program.json --keypair id.json"), "{command}");
            let (program, authority) = (self.account("program.json"), self.account("id.json"));
            json!({ "action": "program", "address": program, "authority": authority })
        } else {
            let rest = command.strip_prefix("solana program set-upgrade-authority --final ").unwrap();
            let program = self.run(&format!("echo {}", rest.split(" --keypair").next().unwrap()));
            json!({ "action": "program", "address": program.trim() })
        };
        let path = format!("/sandbox/control/{SOLANA}");
        self.post(&path, &control).await;
        // Those tools wait until it is final.
        self.post(&path, &json!({ "action": "mine", "blocks": 4 })).await;
    }

    /// The filled order of a swap, which the market maker may not be ready for at once.
    async fn swap(&self, command: &str) -> Value {
        let line = format!("{} --json", self.filled_in(command));
        let begun = Instant::now();
        loop {
            let output = self.shell(&line);
            if output.status.success() {
                return serde_json::from_slice(&output.stdout).unwrap();
            }
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let words = format!("{line}\n{}{}", text(&output.stdout), text(&output.stderr));
            assert!(output.status.code() == Some(5) && begun.elapsed() < TIMEOUT, "{words}");
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }

    /// Relayer, market maker, deployers and payers get what they need.
    async fn fund_everyone(&self) {
        let host = &self.host;
        let evm = |file: &str| -> Address { self.account(file).parse().unwrap() };
        let (relayer, house) = (evm("/etc/causeway/keys/relayer.key"), evm("/etc/causeway/keys/house.key"));
        for chain in [BASE, ARBITRUM] {
            for owner in [relayer, house] {
                host.fund_account(owner, chain, None).await;
            }
            for role in [Role::Deployer, Role::Payer] {
                host.fund(role, chain, None).await;
            }
        }
        host.fund_account(house, ARBITRUM, Some(usdc(ARBITRUM))).await;
        host.fund(Role::Payer, BASE, Some(usdc(BASE))).await;
        self.run("causeway key new payer-solana.json --solana");
        let (house, payer) =
            (self.account("/etc/causeway/keys/house-solana.json"), self.account("payer-solana.json"));
        let relayer = self.account("/etc/causeway/keys/relayer-solana.json");
        for account in [relayer.as_str(), &house, &payer, SOLANA_PAYEE] {
            self.fund_on_solana(account, None).await;
        }
        for account in [house.as_str(), &payer, SOLANA_PAYEE] {
            self.fund_on_solana(account, Some(USDC_ON_SOLANA)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_commands_of_the_document_lead_from_an_empty_folder_to_filled_swaps() {
    let mut walk = Walk::new();
    let path = |name: &str| walk.host.path(name);
    // What the document's commands take from the operator.
    std::fs::write(path("beta.key"), secret(0x66)).unwrap();
    std::fs::write(path("password"), "a password of the operator's choice\n").unwrap();
    std::fs::set_permissions(path("password"), Permissions::from_mode(0o600)).unwrap();

    for command in commands("Step 1") {
        let printed = walk.run(&command);
        assert!(!printed.is_empty(), "{command}");
        if command.starts_with("causeway init") {
            assert_eq!(printed, std::fs::read_to_string(path("etc/checklist.md")).unwrap());
        }
    }
    walk.fund_everyone().await;

    assert!(commands("Step 2").is_empty());
    // The sandbox's chains have no Chainlink, and the test has no other source.
    walk.edit(
        "[prices.chainlink]\n[prices.coingecko]",
        "[prices.median]\nleast_sources = 1\n[prices.fixed]\nusd-coin = \"1\"\nethereum = \"3000\"\nsolana = \"150\"",
    );

    for command in commands("Step 3") {
        if command.starts_with("solana ") {
            walk.solana_tool(&command).await;
            continue;
        }
        let printed = walk.run(&command);
        if command.contains("goes into contracts.solana_program") {
            let named = format!("[contracts]\nsolana_program = \"{}\"", printed.trim());
            walk.edit("[contracts]", &named);
        }
        if command.contains("key new id.json") {
            walk.fund_on_solana(&walk.account("id.json"), None).await;
        }
    }

    assert!(commands("Step 4").is_empty());
    let folders = ATTESTERS.map(|_| data_dir());
    let attesters: Vec<Service> = ATTESTERS
        .iter()
        .zip(&folders)
        .map(|(byte, folder)| walk.host.attester(folder.path(), *byte))
        .collect();
    for (name, attester) in ["one", "two", "three"].iter().zip(&attesters) {
        walk.edit(&format!("https://{name}.test"), &attester.url);
    }

    let (mut service, mut filled) = (None, 0);
    for command in commands("Step 5") {
        if command.starts_with("causeway --config") {
            let start = walk.filled_in(&command);
            let arguments: Vec<&str> = start.split_whitespace().skip(1).collect();
            let started = Service::start_with(&walk.host.path("data"), &arguments);
            let record = std::fs::read_to_string(walk.host.path("data/deployments/8453.json")).unwrap();
            let record: Value = serde_json::from_str(&record).unwrap();
            let escrow = format!("--escrow {}", record["escrow"].as_str().unwrap());
            walk.examples.insert(0, ("--escrow 0x…".to_owned(), escrow));
            walk.examples.insert(0, ("https://swap.example".to_owned(), started.url.clone()));
            service = Some(started);
        } else if command.starts_with("causeway swap") {
            let order = walk.swap(&command).await;
            assert_eq!(order["status"], "filled", "{order}");
            filled += 1;
        } else {
            walk.run(&command);
        }
    }
    assert!(service.is_some(), "the document starts the service");
    assert_eq!(filled, 3, "among EVM chains, to Solana and from it");
}
