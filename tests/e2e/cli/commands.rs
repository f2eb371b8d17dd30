//! The commands over the API, as a person and as a script would run them.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::service::{Service, causeway, data_dir, run};

/// The first account of the customary test phrase.
const KEY: &str = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
/// The same phrase's first account on Solana.
const SOLANA_KEY: &str =
    "4Cfc4TJ6dsWwLcw8aJ5uhx7UJKPR5VGXTu2iJr5bVRoTDsxzb6qfJrzR5HNhBcwGwsXqGeHzDR3eUWLr7MRnska8";
const PAYER: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const USDC_ON_BASE: &str = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const SWAP: [&str; 3] = ["25", "USDC@base", "ETH@arbitrum"];

/// A service, and a user who runs commands against it.
struct Terminal {
    service: Service,
    folder: tempfile::TempDir,
    key: PathBuf,
}

impl Terminal {
    fn open() -> Self {
        let folder = data_dir();
        let key = folder.path().join("key");
        std::fs::write(&key, format!("{KEY}\n")).unwrap();
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
        Self { service: Service::start_with(folder.path(), &[]), folder, key }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = causeway();
        command.args(args).env("CAUSEWAY_URL", format!("{}/", self.service.url)).stdin(Stdio::null());
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    fn text(&self, args: &[&str]) -> String {
        super::stdout(&self.run(args))
    }

    fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.text(&[args, &["--json"]].concat())).unwrap()
    }

    fn swap<'a>(&'a self, more: &[&'a str]) -> Vec<&'a str> {
        [&["swap"], &SWAP[..], &["--key-file", self.key.to_str().unwrap()], more].concat()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn every_client_command_works_against_a_service() {
    let terminal = Terminal::open();
    wait_for_quote(&terminal);
    quote_prints_a_table(&terminal);
    let order = swap_is_filled(&terminal);
    severe_warnings_need_their_option(&terminal);
    more_time_for_the_deposit_is_asked_for(&terminal);
    order_is_tracked(&terminal, &order);
    operator_uses_names(&terminal, &order);
    webhooks_are_received_and_sent_in_development(&terminal);
    swap_from_solana_is_filled(&terminal);
    interrupted_swap_continues(&terminal);
    purchase_ends_as_its_payment_does(&terminal);
    balances_are_shown(&terminal);
    qr_codes_are_drawn(&terminal);
    every_failure_has_its_exit_code(&terminal);
}

/// The fillers may need a moment after the start until they know prices and gas.
fn wait_for_quote(terminal: &Terminal) {
    let begun = Instant::now();
    while !terminal.run(&[&["quote"], &SWAP[..]].concat()).status.success() {
        assert!(begun.elapsed() < Duration::from_mins(1), "nobody offers anything");
        std::thread::sleep(Duration::from_millis(200));
    }
}

fn quote_prints_a_table(terminal: &Terminal) {
    let text = terminal.text(&["quote", "25 usdc on base to eth on arbitrum"]);
    assert!(text.starts_with("25 USDC on Base → 0.00") && text.contains("ETH on Arbitrum One"), "{text}");
    assert!(
        text.contains("you give") && text.contains("CONTRACT_CALL") && text.contains("TRANSFER"),
        "{text}"
    );
    assert!(text.contains("before fees; $2") && text.contains("USDC (") && text.contains("gas 0."), "{text}");

    let quote = terminal.json(&["quote", "USDC@base", "0.01", "ETH@42161", "--from", PAYER]);
    assert_eq!(quote["routes"][0]["quote"]["amountOut"], "10000000000000000");
    let raw = [
        "quote",
        "--from-chain",
        "8453",
        "--from-token",
        USDC_ON_BASE,
        "--to-chain",
        "1",
        "--to-token",
        "native",
        "--amount",
        "25000000",
    ];
    assert_eq!(terminal.json(&raw)["routes"][0]["quote"]["amountIn"], "25000000");
}

/// Swaps in a pipe: the order on standard output, how far it is on standard error, and the key nowhere.
fn swap_is_filled(terminal: &Terminal) -> String {
    let output = terminal.run(&terminal.swap(&["--yes", "--at-least", "0.001", "--json"]));
    let order: Value = serde_json::from_str(&super::stdout(&output)).unwrap();
    assert_eq!((&order["status"], &order["fromChainId"]), (&"filled".into(), &8453.into()));
    let progress = stderr(&output);
    let steps: Vec<&str> = progress.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!((steps.first(), steps.last()), (Some(&"bound"), Some(&"filled")), "{progress}");
    for step in ["chosen", "allowed", "sent", "order"] {
        assert!(steps.contains(&step), "{step} is missing from\n{progress}");
    }
    assert!(progress.contains("/sandbox/explorer/8453/tx/0x") && !progress.contains('\x1b'), "{progress}");
    assert!(!progress.contains(&KEY[2..]) && !String::from_utf8_lossy(&output.stdout).contains(&KEY[2..]));

    let by_permit = terminal
        .command(&[
            "swap",
            "25 USDC@base ETH@arbitrum",
            "--by",
            "permit2",
            "-y",
            "--at-least",
            "0.001",
            "--quiet",
        ])
        .env("CAUSEWAY_KEY", KEY)
        .output()
        .unwrap();
    let text = super::stdout(&by_permit);
    assert!(text.starts_with("filled: 25 USDC on Base → ") && text.contains("delivery"), "{text}");
    assert_eq!(stderr(&by_permit), "", "quiet");
    order["id"].as_str().unwrap().to_owned()
}

fn severe_warnings_need_their_option(terminal: &Terminal) {
    let burn = "0x000000000000000000000000000000000000dEaD";
    let to_nobody = ["--yes", "--at-least", "0.001", "--to", burn];
    let refused = terminal.run(&terminal.swap(&to_nobody));
    let words = stderr(&refused);
    assert_eq!(refused.status.code(), Some(5), "{words}");
    assert!(
        words.contains("severe: The recipient") && words.contains("--accept-warning NO_WAY_OUT"),
        "{words}"
    );
    let json = terminal.run(&terminal.swap(&[&to_nobody[..], &["--json"]].concat()));
    let document: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(document["error"]["warnings"][0]["code"], "NO_WAY_OUT");
    let accepted =
        terminal.run(&terminal.swap(&[&to_nobody[..], &["--accept-warning", "NO_WAY_OUT"]].concat()));
    assert!(super::stdout(&accepted).starts_with("filled: "), "{}", stderr(&accepted));
    assert!(stderr(&accepted).contains("is a burn address"), "it is shown: {}", stderr(&accepted));
}

fn more_time_for_the_deposit_is_asked_for(terminal: &Terminal) {
    let hour = ["--deposit-within", "3600"];
    let quote = terminal.json(&[&["quote", "25", "USDC@base", "ETH@arbitrum"][..], &hour].concat());
    for route in quote["routes"].as_array().unwrap() {
        let price = &route["quote"];
        let window = price["openUntil"].as_i64().unwrap() - price["validBefore"].as_i64().unwrap();
        assert_eq!(window, 3_600, "{route}");
        assert!(!route["depositMethods"].as_array().unwrap().contains(&"TRANSFER".into()), "{route}");
    }
    let swap = [&["--yes", "--at-least", "0.001", "--json"][..], &hour].concat();
    let filled = terminal.run(&terminal.swap(&swap));
    let order: Value = serde_json::from_slice(&filled.stdout).unwrap();
    assert_eq!(order["status"], "filled", "{}", stderr(&filled));
    let refused = terminal.run(&terminal.swap(&["--yes", "--at-least", "0.001", "--deposit-within", "60"]));
    assert_eq!(refused.status.code(), Some(3), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("between 600 and 86400"), "{}", stderr(&refused));
}

fn order_is_tracked(terminal: &Terminal, order: &str) {
    assert_eq!(terminal.json(&["track", order])["status"], "filled");
    let text = terminal.text(&["track", order, "--once"]);
    assert!(text.starts_with("filled: 25 USDC on Base → ") && text.contains(order), "{text}");
}

fn operator_uses_names(terminal: &Terminal, order: &str) {
    let folder = ["--data-dir", terminal.folder.path().to_str().unwrap()];
    let operate = |args: &[&str]| terminal.text(&[args, &folder].concat());
    let shown = operate(&["order", "show", order]);
    assert!(shown.starts_with("filled: 25 USDC on Base → 0.00"), "{shown}");
    assert!(
        shown.contains("  25 USDC  Base block ") && shown.contains("succeeded on Arbitrum One"),
        "{shown}"
    );
    for args in [&["order", "list", "--status", "filled", "--from", "base"][..], &["order", "find", order]] {
        let listed = operate(args);
        assert!(listed.contains(order) && listed.contains("25 USDC  Base"), "{listed}");
    }
    assert_eq!(operate(&["order", "list", "--to", "katana"]), "no such orders\n");
    let overview = operate(&["overview"]);
    for part in ["Orders\n", "Inventory and gas\n", "Arbitrum One", "Prices\n", "sandbox-card"] {
        assert!(overview.contains(part), "{part} is missing in\n{overview}");
    }
    operate(&["pause", "chain", "arb"]);
    operate(&["pause", "token", "usdc@base"]);
    let pauses = operate(&["pauses"]);
    assert!(pauses.contains("Arbitrum One (42161)"), "{pauses}");
    assert!(pauses.contains("eip155:8453:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"), "{pauses}");
    operate(&["resume", "chain", "Arbitrum One"]);
    operate(&["resume", "token", "usdc@base"]);
    assert_eq!(operate(&["pauses"]), "nothing is paused\n");
}

/// Starts a receiver that is an endpoint while it runs; the line on standard error has its address and its secret.
fn listen(terminal: &Terminal, more: &[&str]) -> (Child, String, String) {
    let folder = ["--data-dir", terminal.folder.path().to_str().unwrap()];
    let args = [&["webhooks", "listen"], &folder[..], more].concat();
    let mut child = terminal.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
    let after = |words: &str| {
        let (_, rest) = line.split_once(words).unwrap_or_else(|| panic!("{words:?} is not in {line:?}"));
        rest.split_whitespace().next().unwrap().to_owned()
    };
    let (address, secret) = (after("arrive at "), after("secret is "));
    (child, address, secret)
}

fn webhooks_are_received_and_sent_in_development(terminal: &Terminal) {
    let (mut target, address, secret) = listen(terminal, &[]);
    let trigger = |to: &str, secret: &str| {
        let args = ["webhooks", "trigger", to, "--status", "refunded"];
        terminal.command(&args).env("CAUSEWAY_WEBHOOK_SECRET", secret).output().unwrap()
    };
    assert!(trigger(&address, &secret).status.success());
    let refused = trigger(&address, "whsec_of_somebody_else");
    assert!(!refused.status.success() && stderr(&refused).contains("400"), "{refused:?}");

    // What is passed on keeps the signature of its own endpoint, which the target does not know.
    let (mut relay, ..) = listen(terminal, &["--forward-to", &address]);
    let order = terminal.run(&terminal.swap(&["--yes", "--at-least", "0.001", "--json"]));
    let order: Value = serde_json::from_str(&super::stdout(&order)).unwrap();
    let lines = |child: &mut Child, wanted: &str| {
        let found = BufReader::new(child.stdout.as_mut().unwrap()).lines().map(Result::unwrap);
        let mut seen = Vec::new();
        for line in found {
            let is_last = line.contains(wanted);
            seen.push(line);
            if is_last {
                break;
            }
        }
        seen
    };
    let relayed = lines(&mut relay, "created");
    assert!(relayed.last().unwrap().ends_with("→ 400 Bad Request"), "{relayed:?}");
    let received = lines(&mut target, " filled ");
    assert!(received[0].contains("refunded") && received[0].contains("webhooks trigger"), "{received:?}");
    let id = order["id"].as_str().unwrap();
    assert!(received[1..].iter().all(|line| line.contains(id)), "{received:?}");

    for child in [&mut target, &mut relay] {
        interrupt(child.id());
        assert!(child.wait().unwrap().success());
    }
    let folder = ["--data-dir", terminal.folder.path().to_str().unwrap()];
    let left = terminal.text(&[&["webhooks", "list"], &folder[..]].concat());
    assert!(left.contains("There are no endpoints"), "{left}");
}

fn swap_from_solana_is_filled(terminal: &Terminal) {
    let args =
        ["swap", "0.5", "SOL@solana", "USDC@base", "--to", PAYER, "--yes", "--at-least", "1", "--json"];
    let output = terminal.command(&args).env("CAUSEWAY_KEY", SOLANA_KEY).output().unwrap();
    let order: Value = serde_json::from_str(&super::stdout(&output)).unwrap();
    assert_eq!((&order["status"], &order["recipient"]), (&"filled".into(), &PAYER.into()));
    assert!(!stderr(&output).contains(SOLANA_KEY));
}

/// Pays at the sandbox provider's checkout, as the user of `buy` would.
fn purchase_ends_as_its_payment_does(terminal: &Terminal) {
    let pay = |card: &str| {
        let buy = ["buy", "50 EUR USDC@base", "--to", PAYER, "--provider", "sandbox-card", "--no-wait"];
        let order = terminal.json(&buy);
        let url = format!("{}/pay", order["widgetUrl"].as_str().unwrap());
        let form = format!("number={card}&expiry=12/30&cvc=123");
        let payment = async { terminal.service.client.post(url).body(form).send().await };
        let paid = tokio::runtime::Runtime::new().unwrap().block_on(payment).unwrap();
        assert!(paid.status().is_success() || paid.status().is_redirection(), "{paid:?}");
        order["orderId"].as_str().unwrap().to_owned()
    };
    let completed = terminal.json(&["track", &pay("4242424242424242")]);
    assert_eq!(completed["status"], "completed");
    assert!(completed["fillTxHash"].is_string(), "{completed}");

    let declined = terminal.run(&["track", &pay("4000000000000002"), "--json"]);
    assert_eq!(declined.status.code(), Some(7), "{}", stderr(&declined));
    let document: Value = serde_json::from_slice(&declined.stdout).unwrap();
    assert_eq!(document["error"]["order"]["failure"]["reason"], "payment_declined");
    let nobody = terminal.run(&["buy", "1 EUR USDC@base", "--to", PAYER]);
    assert_eq!(nobody.status.code(), Some(5), "{}", stderr(&nobody));
    assert!(stderr(&nobody).contains("sandbox-card: "), "{}", stderr(&nobody));
}

/// Ctrl-C ends the looking with the words that go on with it.
fn interrupt(process: u32) {
    assert!(Command::new("kill").args(["-INT", &process.to_string()]).status().unwrap().success());
}

fn interrupted_swap_continues(terminal: &Terminal) {
    let mut child = terminal
        .command(&terminal.swap(&["--yes", "--at-least", "0.001"]))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let order = lines.find_map(|line| Some(line.strip_prefix("order")?.trim().to_owned())).unwrap();
    interrupt(child.id());
    let last = lines.last().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{last}");
    assert!(
        last.contains("the order continues") && last.contains(&format!("causeway track {order}")),
        "{last}"
    );
    assert_eq!(terminal.json(&["track", &order])["status"], "filled");
}

fn balances_are_shown(terminal: &Terminal) {
    let found = terminal.json(&["tokens", "usdcoin", "--chain", "base", "--limit", "3"]);
    assert_eq!(found["data"][0]["address"], USDC_ON_BASE);
    assert!(found["data"].as_array().unwrap().len() <= 3);
    let listed = terminal.text(&["tokens", "--chain", "base", "--chain", "10"]);
    assert!(listed.starts_with("symbol") && listed.contains("There are more: --cursor "), "{listed}");

    let held = terminal.json(&["balances", PAYER, "--chain", "base"]);
    assert!(held["tokens"].as_array().unwrap().iter().any(|token| token["address"] == USDC_ON_BASE));
    assert_eq!(held["silentChains"], serde_json::json!([]));
    let text = terminal.text(&["balances", PAYER, "--chain", "base"]);
    assert!(text.contains("USDC") && text.trim_end().ends_with("in all"), "{text}");
    let nobody = terminal.text(&["balances", "0x00000000000000000000000000000000000A11cE"]);
    assert_eq!(nobody, "Nothing of the well-known tokens.\n");
}

fn qr_codes_are_drawn(terminal: &Terminal) {
    let drawn = terminal.text(&["qr", "hello"]);
    assert!(drawn.starts_with(&"█".repeat(29)) && drawn.ends_with("\n\nhello\n"), "{drawn}");
    let payment = ["qr", "--to", PAYER, "2.5", "USDC@base"];
    let payload = format!("ethereum:{USDC_ON_BASE}@8453/transfer?address={PAYER}&uint256=2500000");
    assert_eq!(terminal.json(&payment)["payload"], payload.as_str());
    assert_eq!(terminal.json(&payment)["warning"], serde_json::Value::Null);
    assert!(terminal.text(&payment).ends_with("The code holds a payment of 2.5 USDC on Base.\n"));
    let recipient = "oeYf6KAJkLYhBuR8CiGc6L4D4Xtfepr85fuDgA9kq96";
    let on_solana = terminal.json(&["qr", "--to", recipient, "2.5", "USDC@solana"]);
    assert_eq!(on_solana["payload"], recipient, "an amount cannot be in a code on Solana");
    assert!(
        on_solana["warning"].as_str().unwrap().contains("the payer has to enter 2.5 USDC"),
        "{on_solana}"
    );
    let request = terminal.json(&["qr", "--solana-pay", "--to", recipient, "2.5", "USDC@solana"]);
    assert_eq!(request["payload"], on_solana["solanaPay"]);
    let (svg, png) = (terminal.file("code.svg"), terminal.file("code.png"));
    for file in [&svg, &png] {
        terminal.text(&[&payment[..], &["--out", file.to_str().unwrap()]].concat());
    }
    assert!(std::fs::read_to_string(svg).unwrap().starts_with("<svg"));
    assert!(std::fs::read(png).unwrap().starts_with(b"\x89PNG"));
}

fn every_failure_has_its_exit_code(terminal: &Terminal) {
    let unsafe_key = terminal.file("open");
    std::fs::write(&unsafe_key, KEY).unwrap();
    std::fs::set_permissions(&unsafe_key, std::fs::Permissions::from_mode(0o644)).unwrap();
    let poor = terminal.file("poor");
    std::fs::write(&poor, "11".repeat(32)).unwrap();
    std::fs::set_permissions(&poor, std::fs::Permissions::from_mode(0o600)).unwrap();
    let no_ending = terminal.file("code");
    let (unsafe_key, poor, no_ending) =
        (unsafe_key.to_str().unwrap(), poor.to_str().unwrap(), no_ending.to_str().unwrap());
    let table: [(&[&str], i32, &str); 21] = [
        (&["quote", "25", "USDC@base", "NOSUCH@base"], 2, "has no token \"NOSUCH\""),
        (&["quote", "25", "USDC@basse", "ETH@base"], 2, "there is no chain \"basse\"; did you mean Base?"),
        (&["quote", "25", "USDC", "ETH@base"], 2, "on which chain is USDC?"),
        (&["quote", "1,5", "USDC@base", "ETH@base"], 2, "is no amount"),
        (&["quote", "25", "USDC@base", "ETH@arbitrum", "--to", "0x12"], 3, "--to: an EVM address is"),
        (&["buy", "50", "EUR", "USDC@base", "--to", "0x12", "--no-open"], 3, "--to: an EVM address is"),
        (&["quote", "0.0000001", "USDC@base", "ETH@base"], 2, "more digits after the point"),
        (&["quote", "--nonsense"], 2, "unexpected argument"),
        (&["quote", "25", "USDC@base", "ETH@arbitrum", "--url", "nonsense"], 2, "see --url"),
        (&["swap", "25", "USDC@base", "ETH@arbitrum"], 2, "add --yes"),
        (&["swap", "25", "USDC@base", "ETH@arbitrum", "--yes"], 2, "--at-least"),
        (&["swap", "25", "USDC@base", "ETH@arbitrum", "--yes", "--at-least", "0.001"], 2, "--key-file"),
        (
            &[
                "swap",
                "25",
                "USDC@base",
                "ETH@arbitrum",
                "--yes",
                "--at-least",
                "0.001",
                "--key-file",
                unsafe_key,
            ],
            2,
            "chmod 600",
        ),
        (
            &["swap", "25", "USDC@base", "ETH@arbitrum", "--yes", "--at-least", "0.001", "--key-file", poor],
            3,
            "USDC",
        ),
        (&["qr", "hello", "--out", no_ending], 2, ".svg or .png"),
        (&["qr", "--to", "vitalik.eth", "2.5", "USDC@base"], 2, "is no recipient on Base"),
        (&["qr", "--to", PAYER, "2.1234567", "USDC@base"], 2, "6 decimals"),
        (&["track", "00000000000000000000000000000000"], 3, "order"),
        (&["balances", "nonsense"], 3, "address"),
        (
            &["quote", "25", "USDC@base", "ETH@base", "--url", "http://127.0.0.1:9"],
            4,
            "Its address is http://127.0.0.1:9",
        ),
        (&["quote", "0.000001", "USDC@base", "ETH@arbitrum"], 5, "north: "),
    ];
    for (args, code, says) in table {
        let output = terminal.run(args);
        let progress = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {progress}");
        assert!(progress.contains(says), "{args:?}: {progress}");
        assert!(output.stdout.is_empty(), "results alone go to standard output: {args:?}");
    }
    let greedy = terminal.run(&terminal.swap(&["--yes", "--at-least", "1000"]));
    assert_eq!(greedy.status.code(), Some(5), "{}", stderr(&greedy));
    let words = stderr(&greedy);
    assert!(
        words.contains("the best route guarantees 0.00") && words.contains("at least 1000 ETH"),
        "{words}"
    );

    let progress = terminal.run(&["track", "00000000000000000000000000000000", "--json"]);
    let document: Value = serde_json::from_slice(&progress.stdout).unwrap();
    assert_eq!((&document["error"]["exitCode"], &document["error"]["status"]), (&3.into(), &404.into()));
    assert_eq!(document["error"]["body"]["name"], "OrderNotFoundException");
}

#[test]
fn completions_and_manual_pages_cover_every_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = super::stdout(&run(&["completions", shell]));
        assert!(script.contains("key-file") && script.contains("balances"), "{shell}");
    }
    let folder = data_dir();
    let pages = folder.path().join("man");
    super::stdout(&run(&["man", pages.to_str().unwrap()]));
    for page in
        ["causeway", "causeway-swap", "causeway-quote", "causeway-track", "causeway-qr", "causeway-buy"]
    {
        assert!(Path::new(&pages).join(format!("{page}.1")).is_file(), "{page}");
    }
    let page = std::fs::read_to_string(pages.join("causeway-swap.1")).unwrap();
    assert!(page.contains("CAUSEWAY_KEY") && page.contains("130"), "{page}");
}

#[test]
fn every_client_command_documents_its_exit_codes() {
    for command in ["quote", "swap", "track", "tokens", "balances", "buy", "qr"] {
        let help = super::stdout(&run(&[command, "--help"]));
        assert!(
            help.contains("Exit codes:") && help.contains("CAUSEWAY_URL") && help.contains("--json"),
            "{help}"
        );
    }
}
