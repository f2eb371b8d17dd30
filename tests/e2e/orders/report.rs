use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use alloy_primitives::U256;
use causeway_domain::Address;

use super::chains::{ARBITRUM, BASE, ETHEREUM, ETHEREUM_USDT, OPTIMISM, OPTIMISM_USDT, coin, usdc};
use super::conservation::{Flow, Flows};
use super::fault_injection::Fault;
use super::payer::{DepositVia, Outcome, Payer};
use super::solana::SOLANA;

/// What a run of many orders under kills and faults came to.
pub(super) struct Report<'a> {
    pub(super) seed: u64,
    pub(super) payers: &'a [Payer],
    pub(super) kills: u64,
    pub(super) faults: BTreeMap<(Fault, bool), u64>,
    /// How many transactions of the service were in a block and did nothing.
    pub(super) reverted: usize,
    pub(super) took: Duration,
    pub(super) flows: Flows,
}

/// Where the report goes: `CAUSEWAY_REPORT`, else among what tests leave in the target folder.
fn place() -> PathBuf {
    let default = || PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("orders-under-faults.md");
    std::env::var_os("CAUSEWAY_REPORT").map_or_else(default, PathBuf::from)
}

impl Report<'_> {
    /// Writes the report and returns its path.
    pub(super) fn write(&self) -> PathBuf {
        let path = place();
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).unwrap();
        }
        std::fs::write(&path, self.text()).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        path
    }

    fn text(&self) -> String {
        let faults: u64 = self.faults.values().sum();
        let mut text = format!(
            "# Orders under kills and faults\n\n\
             | | |\n|---|---|\n| Seed | {} |\n| Orders | {} |\n| Kills (`kill -9`) | {} |\n| Faults | {faults} |\n\
             | Transactions of the service that were in a block and did nothing | {} |\n| Time | {} s |\n\n\
             Every order ended as it had to: none is open, none was delivered or refunded twice, and all money is accounted \
             for to the last unit.\n",
            self.seed,
            self.payers.len(),
            self.kills,
            self.reverted,
            self.took.as_secs(),
        );
        self.orders(&mut text);
        self.faults(&mut text);
        self.money(&mut text);
        text
    }

    fn orders(&self, text: &mut String) {
        let mut counts: BTreeMap<(&str, &str, &str), u64> = BTreeMap::new();
        for Payer { plan, .. } in self.payers {
            let between = match (plan.from.0, plan.to.0) {
                (SOLANA, SOLANA) => "within Solana",
                (SOLANA, _) => "Solana to EVM",
                (_, SOLANA) => "EVM to Solana",
                (from, to) if from == to => "within an EVM chain",
                _ => "EVM to EVM",
            };
            *counts.entry((between, via(plan.via), end(plan.outcome))).or_default() += 1;
        }
        text.push_str("\n## Orders\n\n| between | deposit | end | orders |\n|---|---|---|---:|\n");
        for ((between, via, end), count) in counts {
            let _ = writeln!(text, "| {between} | {via} | {end} | {count} |");
        }
    }

    fn faults(&self, text: &mut String) {
        text.push_str("\n## Faults\n\n| fault | on | times |\n|---|---|---:|\n");
        for ((fault, on_solana), count) in &self.faults {
            let family = if *on_solana { "Solana" } else { "EVM" };
            let _ = writeln!(text, "| {} | {family} | {count} |", fault.name());
        }
    }

    fn money(&self, text: &mut String) {
        text.push_str(
            "\n## Money\n\nIn units, read from balances before and after; fees of transactions and rents are added back. \
             What was deposited was paid to fillers or came back, and recipients have what fillers delivered.\n\n\
             | chain | token | deposited | paid to fillers | came back | left | missing | delivered | received | missing |\n\
             |---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        );
        for ((at, token), flow) in &self.flows {
            let Flow { deposited, paid, refunded, left, delivered, received } = flow;
            let _ = writeln!(
                text,
                "| {} | {} | {deposited} | {paid} | {refunded} | {left} | {} | {delivered} | {received} | {} |",
                chain(*at),
                symbol(*at, *token),
                difference(*deposited, *paid + *refunded),
                difference(*delivered, *received),
            );
        }
    }
}

fn difference(one: U256, other: U256) -> String {
    if one >= other { (one - other).to_string() } else { format!("-{}", other - one) }
}

const fn via(via: DepositVia) -> &'static str {
    match via {
        DepositVia::Call => "sent and submitted",
        DepositVia::Silent => "sent, not submitted",
        DepositVia::Signed => "signed transaction submitted",
        DepositVia::Late => "signed transaction submitted after expiry, then again",
        DepositVia::Permit => "PERMIT2",
        DepositVia::Transfer => "TRANSFER",
    }
}

const fn end(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Filled => "filled",
        Outcome::Refunded => "refunded",
        Outcome::NeverDeposited => "never deposited",
    }
}

fn chain(id: u64) -> String {
    let name = match id {
        ETHEREUM => "Ethereum",
        OPTIMISM => "Optimism",
        BASE => "Base",
        ARBITRUM => "Arbitrum",
        SOLANA => "Solana",
        _ => return id.to_string(),
    };
    name.to_owned()
}

fn symbol(chain: u64, token: Address) -> String {
    if token == coin(chain) {
        return if chain == SOLANA { "SOL" } else { "ETH" }.to_owned();
    }
    if token == usdc(chain) {
        return "USDC".to_owned();
    }
    if [ETHEREUM_USDT, OPTIMISM_USDT].contains(&token) {
        return "USDT".to_owned();
    }
    token.to_string()
}
