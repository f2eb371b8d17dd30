//! A service none of whose keys lies in a plain file: the relayer's in an encrypted keystore, the market maker's at a remote signer.

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use causeway_testing::signers::{Behaviour, SignerStandIn};
use serde_json::Value;

use crate::production::{ARBITRUM, ATTESTERS, BASE, Host, Role, address, usdc};
use crate::service::{Service, data_dir};

/// How long anything may take; far more than it needs on the slowest machine.
const TIMEOUT: Duration = Duration::from_mins(3);

const TOKEN: &str = "hunter2hunter2";

fn write_private(host: &Host, name: &str, text: &str) {
    let file = host.path(name);
    std::fs::write(&file, text).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
}

/// Makes the relayer's keystore by the command, and removes the plain key.
fn seal_relayer(host: &Host) {
    write_private(host, "relayer.password", "correct horse\n");
    let seal = ["key", "export", "relayer.key", "relayer.json", "--password-file", "relayer.password"];
    let output = host.run(&seal, &[]);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(
        shown.contains(&address(Role::Relayer as u8).to_string()) && shown.contains("encrypted"),
        "{shown}"
    );
    let shown = host.run(&["key", "address", "relayer.json"], &[]).stdout;
    assert_eq!(String::from_utf8(shown).unwrap().trim(), address(Role::Relayer as u8).to_string());
    for name in ["relayer.key", "house.key"] {
        std::fs::remove_file(host.path(name)).unwrap();
    }
}

/// The keys of the configuration, and limits that a swap stays below.
fn keys(host: &Host, signer_url: &str) -> String {
    let mut text = format!(
        "[relayer]\nsigner = \"relayer\"\n\
         [[market_makers]]\nname = \"house\"\nsigner = \"house\"\npayee_is_hot_key = true\ncoins = [\"usd-coin\"]\n\
         spreads = {{ same_asset = [200, 400, 800] }}\n\
         [[signers]]\nname = \"relayer\"\nkind = \"keystore\"\nfile = \"{}\"\npassword_file = \"{}\"\n\
         [[signers]]\nname = \"house\"\nkind = \"web3signer\"\nurl = \"{signer_url}\"\ntoken = \"{TOKEN}\"\n\
         address = \"{}\"\n",
        host.path("relayer.json").display(),
        host.path("relayer.password").display(),
        address(Role::House as u8)
    );
    for chain in [BASE, ARBITRUM] {
        let _ = write!(
            text,
            "[[spending_limits]]\nchain = {chain}\nfees_per_hour = \"5\"\ncoins_per_hour = \"0\"\n"
        );
    }
    text
}

/// What `causeway doctor` says of the keys, by subject.
fn doctor(host: &Host) -> Vec<(String, bool, String)> {
    let output = host.run(&["doctor", "--json"], &[]);
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(!text.contains(TOKEN) && !text.contains("correct horse"), "{text}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let checks = report["checks"].as_array().unwrap().iter().filter(|check| check["area"] == "keys");
    let text = |check: &Value, name: &str| check[name].as_str().unwrap().to_owned();
    checks.map(|check| (text(check, "subject"), check["ok"] == true, text(check, "message"))).collect()
}

fn says(found: &[(String, bool, String)], subject: &str, ok: bool, words: &str) {
    let known =
        found.iter().any(|(name, fine, message)| name == subject && *fine == ok && message.contains(words));
    assert!(known, "{subject}, {ok}, {words}: {found:#?}");
}

async fn count(service: &Service, outcome: &str) -> u64 {
    let text = service.get("/metrics").await.text().await.unwrap();
    let start =
        format!("causeway_signer_requests_total{{signer=\"market_makers.house\",outcome=\"{outcome}\"}} ");
    text.lines().find_map(|line| line.strip_prefix(&start)).map_or(0, |number| number.parse().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn swap_is_filled_by_a_market_maker_whose_key_is_at_a_remote_signer() {
    let host = Host::new();
    for chain in [BASE, ARBITRUM] {
        for role in [Role::Deployer, Role::Relayer, Role::House, Role::Payer] {
            host.fund(role, chain, None).await;
        }
    }
    host.fund(Role::House, ARBITRUM, Some(usdc(ARBITRUM))).await;
    host.fund(Role::Payer, BASE, Some(usdc(BASE))).await;
    host.deploy();
    seal_relayer(&host);
    let signer = SignerStandIn::start(&[[Role::House as u8; 32]], &[], Some(TOKEN)).await;
    let folders = ATTESTERS.map(|_| data_dir());
    let attesters: Vec<Service> =
        ATTESTERS.iter().zip(&folders).map(|(byte, folder)| host.attester(folder.path(), *byte)).collect();
    let urls: Vec<String> = attesters.iter().map(|attester| attester.url.clone()).collect();
    host.configure(&urls, &keys(&host, &signer.url));

    let house = "market_makers.house";
    let found = doctor(&host);
    says(&found, "relayer", true, &format!("in the keystore {}", host.path("relayer.json").display()));
    says(&found, house, true, &format!("in the remote signer at {}", signer.url));
    signer.behaves(Behaviour::OtherKey);
    says(&doctor(&host), house, false, "another key");
    signer.behaves(Behaviour::Refuses);
    says(&doctor(&host), house, false, "this key is disabled");
    signer.behaves(Behaviour::Page);
    says(&doctor(&host), house, false, "HTML");
    write_private(&host, "relayer.password", "wrong\n");
    says(&doctor(&host), "relayer", false, "the password does not open it");
    write_private(&host, "relayer.password", "correct horse\n");

    // A service starts while a signer is down, and nothing that another key has signed leaves it.
    signer.behaves(Behaviour::OtherKey);
    let service = host.serve();
    let record = std::fs::read_to_string(host.path("data/deployments/8453.json")).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    let escrow = record["escrow"].as_str().unwrap();
    let (before, begun) = (signer.asked(), Instant::now());
    let order = std::thread::scope(|threads| {
        let swap = threads.spawn(|| host.swap(&service, "contract-call", escrow));
        while signer.asked() < before + 2 {
            assert!(begun.elapsed() < TIMEOUT && !swap.is_finished(), "the signer is not asked");
            std::thread::sleep(Duration::from_millis(50));
        }
        // From now on each signature is another one, as those of key management services are.
        signer.behaves(Behaviour::Varies);
        swap.join().unwrap()
    });
    assert_eq!(order["status"], "filled", "{order}");
    let order = host.swap(&service, "permit2", escrow);
    assert_eq!(order["status"], "filled", "{order}");
    assert!(count(&service, "other_key").await >= 1);
    assert!(count(&service, "signed").await >= 2);
    let spent = doctor(&host);
    says(&spent, "relayer, chain 8453, within an hour", true, "of 5 in fees");
}
