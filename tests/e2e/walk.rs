//! The commands of `docs/running.md`, as they stand there, from an empty folder to a filled swap in production mode.
//!
//! The test puts its own addresses in place of the document's examples, funds who must be funded, and starts the attesters.

use std::process::Stdio;
use std::time::{Duration, Instant};

use alloy_primitives::Address;
use serde_json::Value;

use crate::production::{ARBITRUM, ATTESTERS, BASE, Host, Role, address, secret, usdc};
use crate::service::{Service, causeway, data_dir};

const DOCUMENT: &str = include_str!("../../docs/running.md");

/// How long the market maker may take to know what it holds; far more than it needs on the slowest machine.
const TIMEOUT: Duration = Duration::from_mins(3);

/// The commands of the section, in their order, without comments.
fn commands() -> Vec<String> {
    let section = DOCUMENT.split("## Production from nothing\n").nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let blocks = section.split("```sh").skip(1).map(|rest| rest.split("```").next().unwrap());
    // The first line of a block says how the document is checked.
    let lines = blocks.flat_map(|block| {
        let (_, block) = block.split_once('\n').unwrap();
        let block = block.replace("\\\n", " ");
        block.lines().map(|line| line.split(" #").next().unwrap().trim().to_owned()).collect::<Vec<_>>()
    });
    lines.filter(|line| !line.is_empty()).collect()
}

/// A command with the test's addresses in place of the document's.
fn fill_in(command: &str, examples: &[(&str, String)]) -> String {
    let filled =
        examples.iter().fold(command.to_owned(), |command, (example, ours)| command.replace(example, ours));
    assert!(!filled.contains("example") && !filled.contains('…'), "not filled in: {filled}");
    filled
}

/// What a command prints, which must succeed.
fn run(host: &Host, line: &str) -> Result<String, (Option<i32>, String)> {
    let (line, stdin) = match line.split_once(" < ") {
        Some((line, file)) => (line, Stdio::from(std::fs::File::open(host.path(file.trim())).unwrap())),
        None => (line, Stdio::null()),
    };
    let mut words = line.split_whitespace().peekable();
    let mut command = causeway();
    while let Some((name, value)) = words.peek().and_then(|word| word.split_once('=')) {
        command.env(name, value);
        words.next();
    }
    assert_eq!(words.next(), Some("causeway"), "{line}");
    let output = command.current_dir(host.folder.path()).args(words).stdin(stdin).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() {
        return Ok(text(&output.stdout));
    }
    Err((output.status.code(), format!("{line}\n{}{}", text(&output.stdout), text(&output.stderr))))
}

/// The document's examples, and what the test has in their place.
fn examples(host: &Host) -> Vec<(&'static str, String)> {
    let path = |name: &str| host.path(name).display().to_string();
    let other_name = |chain| host.node(chain).replace("127.0.0.1", "localhost");
    let attester = |index: usize| address(ATTESTERS[index]).to_string();
    vec![
        ("/etc/causeway", path("etc")),
        ("/var/lib/causeway", path("data")),
        ("https://base.one.example/key", host.node(BASE)),
        ("https://base.two.example/key", other_name(BASE)),
        ("https://arb.one.example/key", host.node(ARBITRUM)),
        ("https://arb.two.example/key", other_name(ARBITRUM)),
        ("https://base.rpc.example", host.node(BASE)),
        ("0x1111111111111111111111111111111111111111", attester(0)),
        ("0x2222222222222222222222222222222222222222", attester(1)),
        ("0x3333333333333333333333333333333333333333", attester(2)),
        ("CAUSEWAY_DEPLOYER_KEY=0x…", format!("CAUSEWAY_DEPLOYER_KEY={}", secret(Role::Deployer as u8))),
        // These are names until somebody answers there.
        ("https://swap.example", "https://swap.test".to_owned()),
        ("https://one.example", "https://one.test".to_owned()),
        ("https://two.example", "https://two.test".to_owned()),
        ("https://three.example", "https://three.test".to_owned()),
    ]
}

/// The filled order of the command, which the market maker may not be ready for at once.
async fn swap(host: &Host, line: &str) -> Value {
    let begun = Instant::now();
    loop {
        match run(host, line) {
            Ok(order) => return serde_json::from_str(&order).unwrap(),
            Err((Some(5), _)) if begun.elapsed() < TIMEOUT => {
                tokio::time::sleep(Duration::from_millis(500)).await;
            }
            Err((_, words)) => panic!("{words}"),
        }
    }
}

#[tokio::test]
async fn the_commands_of_the_document_lead_from_an_empty_folder_to_a_filled_swap() {
    let commands = commands();
    let names = |command: &String| {
        let words = command.split_whitespace().skip_while(|word| *word != "causeway");
        words.skip(1).take_while(|word| !word.starts_with(['-', '/', '2'])).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        commands.iter().map(names).collect::<Vec<_>>(),
        [
            "init",
            "key new",
            "key address",
            "key import",
            "key fingerprint",
            "deploy",
            "doctor",
            "key show",
            "",
            "swap"
        ]
    );
    let host = Host::new();
    let path = |name: &str| host.path(name).display().to_string();
    let mut examples = examples(&host);
    let succeed = |line: &str| run(&host, line).unwrap_or_else(|(_, words)| panic!("{words}"));
    let list = succeed(&fill_in(&commands[0], &examples));
    assert_eq!(list, std::fs::read_to_string(host.path("etc/checklist.md")).unwrap());

    // Steps 1 and 2: more keys, funds, and prices that the sandbox's chains have.
    std::fs::write(host.path("beta.key"), secret(0x66)).unwrap();
    for command in &commands[1..5] {
        assert!(!succeed(&fill_in(command, &examples)).is_empty(), "{command}");
    }
    let account = |file: &str| -> Address {
        succeed(&format!("causeway key address {}", path(file))).trim().parse().unwrap()
    };
    for owner in [account("etc/keys/relayer.key"), account("etc/keys/house.key")] {
        for chain in [BASE, ARBITRUM] {
            host.fund_account(owner, chain, None).await;
        }
    }
    host.fund_account(account("etc/keys/house.key"), ARBITRUM, Some(usdc(ARBITRUM))).await;
    for chain in [BASE, ARBITRUM] {
        host.fund(Role::Deployer, chain, None).await;
        host.fund(Role::Payer, chain, None).await;
    }
    host.fund(Role::Payer, BASE, Some(usdc(BASE))).await;
    let file = host.path("etc/causeway.toml");
    let edit = |from: &str, to: &str| {
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.contains(from), "{from:?} is not in {text}");
        std::fs::write(&file, text.replace(from, to)).unwrap();
    };
    edit(
        "[prices.chainlink]\n[prices.coingecko]",
        "[prices.median]\nleast_sources = 1\n[prices.fixed]\nusd-coin = \"1\"\nethereum = \"3000\"",
    );

    // Steps 3 and 4.
    succeed(&fill_in(&commands[5], &examples));
    let folders = ATTESTERS.map(|_| data_dir());
    let attesters: Vec<Service> =
        ATTESTERS.iter().zip(&folders).map(|(byte, folder)| host.attester(folder.path(), *byte)).collect();
    for (name, attester) in ["one", "two", "three"].iter().zip(&attesters) {
        edit(&format!("https://{name}.test"), &attester.url);
    }

    // Step 5.
    for command in &commands[6..8] {
        succeed(&fill_in(command, &examples));
    }
    let start = fill_in(&commands[8], &examples);
    let arguments: Vec<&str> = start.split_whitespace().skip(1).collect();
    let service = Service::start_with(&host.path("data"), &arguments);
    let record = std::fs::read_to_string(host.path("data/deployments/8453.json")).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    examples.retain(|(example, _)| *example != "https://swap.example");
    examples.push(("https://swap.example", service.url.clone()));
    examples.push(("--escrow 0x…", format!("--escrow {}", record["escrow"].as_str().unwrap())));
    let order = swap(&host, &format!("{} --json", fill_in(&commands[9], &examples))).await;
    assert_eq!(order["status"], "filled", "{order}");
}
