use std::fmt::Write as _;

use causeway_domain::Family;

use super::answers::Answers;
use super::{Files, MadeKey};

/// What is left for people to do, in order.
pub(super) fn text(files: &Files, keys: &[MadeKey], answers: &Answers) -> String {
    let mut steps: Vec<String> = Vec::new();
    let configuration = files.configuration.display();
    let names = |family: Family| {
        let chains = answers.chains.iter().filter(|chain| chain.family() == family);
        chains.map(|chain| chain.name.as_str()).collect::<Vec<_>>().join(", ")
    };

    let without: Vec<&str> = answers
        .chains
        .iter()
        .zip(&answers.rpc)
        .filter(|(_, urls)| urls.len() < 2)
        .map(|(chain, _)| chain.name.as_str())
        .collect();
    if !without.is_empty() {
        steps.push(format!(
            "Name two or more RPC addresses of your own for {} under `[[endpoints]]`.",
            without.join(", ")
        ));
    }
    if answers.attesters.is_empty() {
        steps.push(
            "Find three attesters, run by other people, and name their keys and addresses under `[contracts]`.".to_owned(),
        );
    }
    if answers.public_url.is_none() {
        steps.push("Set `server.public_url` to the address that clients use.".to_owned());
    }
    if answers.maker.is_some() {
        for (family, is_missing, key) in [
            (Family::Evm, answers.payee.is_none(), "payee"),
            (Family::Solana, answers.solana_payee.is_none(), "solana_payee"),
        ] {
            if is_missing && answers.has(family) {
                steps.push(format!("Name a cold account for what the market maker earns in its `{key}`."));
            }
        }
    }
    for MadeKey { role, family, address } in keys {
        let chains = names(*family);
        steps.push(match *role {
            "relayer" => format!("Send coins for gas to the {role} `{address}` on {chains}."),
            _ => format!(
                "Send coins for gas, and the tokens to deliver, to the {role} `{address}` on {chains}."
            ),
        });
    }
    let evm = answers.chains.iter().filter(|chain| chain.family() == Family::Evm);
    let flags: Vec<String> = evm.map(|chain| format!("--chain {}", chain.id)).collect();
    if !flags.is_empty() {
        steps.push(format!(
            "Put the contracts on the chains: `CAUSEWAY_DEPLOYER_KEY=0x… causeway deploy --config {configuration} {}`.",
            flags.join(" ")
        ));
    }
    if answers.has(Family::Solana) {
        steps.push("Put the program on Solana, as the page about contracts says.".to_owned());
    }
    steps.push(format!(
        "Give every attester the files of `{}`.",
        files.data_dir.join("deployments").display()
    ));
    steps.push(format!(
        "Back up `{}` and `{}`: nobody can make these keys again.",
        files.data_dir.join("keys").display(),
        files.configuration.with_file_name("keys").display()
    ));
    steps.push(format!(
        "Repeat `causeway doctor --config {configuration}` until nothing fails; then start `causeway --config {configuration}`."
    ));

    let mut out = String::from("# What is left to do\n\n");
    // Writing to a string does not fail.
    let _ = writeln!(out, "The configuration is `{configuration}`.");
    let _ = writeln!(
        out,
        "The token of the operator is in `{}`, which only its owner can read.\n",
        files.data_dir.join("operator-token").display()
    );
    for (number, step) in (1..).zip(steps) {
        let _ = writeln!(out, "{number}. {step}");
    }
    out
}
