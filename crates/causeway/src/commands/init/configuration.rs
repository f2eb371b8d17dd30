use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use causeway_domain::{Chain, Family};
use toml::Value;

use super::Files;
use super::answers::Answers;
use super::signer::role_name;
use crate::boot::config::Overrides;

/// The configuration as an operator would write it: what was answered, and where to add the rest.
pub(super) fn text(files: &Files, answers: &Answers, known: &[Chain], overrides: &Overrides) -> String {
    let mut out = String::from("# Made by `causeway init`. `causeway doctor` says what is missing.\n");
    let quoted = |text: &str| Value::from(text).to_string();
    let path = |file: &Path| quoted(&file.display().to_string());
    // Writing to a string does not fail.
    let _ = writeln!(out, "mode = \"production\"\ndata_dir = {}\n\n[server]", path(&files.data_dir));
    if let Some(listen) = overrides.listen {
        let _ = writeln!(out, "listen = \"{listen}\"");
    }
    let _ = match &answers.public_url {
        Some(url) => writeln!(out, "public_url = {}", quoted(url)),
        None => writeln!(out, "# public_url = \"https://swap.example\""),
    };
    if answers.public_url.as_deref().is_some_and(|url| url.starts_with("https://")) {
        out.push_str("\n[server.rate_limit]\ntrusted_proxies = 1   # the proxy in front, which speaks TLS\n");
    }

    let addresses: Vec<String> = answers.attesters.iter().map(|one| one.address.to_string()).collect();
    let urls: Vec<String> = answers.attesters.iter().map(|one| one.url.clone()).collect();
    let _ = writeln!(
        out,
        "\n[contracts]\nattesters = {}\nthreshold = {}\nattester_urls = {}",
        list(&addresses),
        answers.threshold(),
        list(&urls)
    );

    out.push_str("\n[relayer]\n");
    let key = |out: &mut String, prefix: &str, file: &Option<PathBuf>, role: &str| {
        let _ = match file {
            Some(file) => writeln!(out, "{prefix}key_file = {}", path(file)),
            None if answers.signer(role).is_some() => writeln!(out, "{prefix}signer = {}", quoted(role)),
            None => Ok(()),
        };
    };
    key(&mut out, "", &files.relayer, "relayer");
    key(&mut out, "solana_", &files.solana_relayer, "relayer-solana");

    if let Some(name) = &answers.maker {
        let _ = writeln!(out, "\n[[market_makers]]\nname = {}", quoted(name));
        let sides = [
            ("", Family::Evm, &files.maker, answers.payee.map(|payee| payee.to_string())),
            ("solana_", Family::Solana, &files.solana_maker, answers.solana_payee.clone()),
        ];
        for (prefix, family, file, payee) in sides {
            if !answers.has(family) {
                continue;
            }
            key(&mut out, prefix, file, &role_name(name, family));
            let _ = match payee {
                Some(payee) => writeln!(out, "{prefix}payee = {}", quoted(&payee)),
                None => writeln!(out, "# {prefix}payee = \"…\"   # a cold account for what it earns"),
            };
        }
        out.push_str("max_order_usd = \"1000\"   # raise it when you trust the set-up\n");
    }

    for signer in &answers.signers {
        out.push_str(&signer.text());
    }

    out.push_str("\n# Two sources must agree on each price.\n[prices.chainlink]\n[prices.coingecko]\n");
    for (chain, urls) in answers.chains.iter().zip(&answers.rpc) {
        if urls.is_empty() {
            let _ = writeln!(
                out,
                "\n# [[endpoints]]   # {}\n# chain = {}\n# rpc = [\"https://one.example/key\", \"https://two.example/key\"]",
                chain.name, chain.id
            );
        } else {
            let _ = writeln!(
                out,
                "\n[[endpoints]]   # {}\nchain = {}\nrpc = {}",
                chain.name,
                chain.id,
                list(urls)
            );
        }
    }

    out.push_str(
        "\n# Chains that are not offered. Take a chain out of this list to list and price its tokens.\n",
    );
    let others = known
        .iter()
        .filter(|chain| chain.enabled && answers.chains.iter().all(|chosen| chosen.id != chain.id));
    for chain in others {
        let _ = writeln!(out, "[[chains]]   # {}\nid = {}\nenabled = false", chain.name, chain.id);
    }
    out
}

/// One entry a line where there are several.
fn list(items: &[String]) -> String {
    let quoted: Vec<String> = items.iter().map(|item| Value::from(item.as_str()).to_string()).collect();
    match quoted.len() {
        0 | 1 => format!("[{}]", quoted.join(", ")),
        _ => format!("[\n    {},\n]", quoted.join(",\n    ")),
    }
}
