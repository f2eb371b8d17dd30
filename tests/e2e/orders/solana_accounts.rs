use alloy_primitives::{B256, U256};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use causeway_domain::Address;
use causeway_solana::program::{
    AttesterConfig, EpochAccount, EscrowProgram, FillMarker, OrderAccount, OrderStatus, SANDBOX_PROGRAM,
};
use serde_json::{Value, json};

use super::audit::EventCounts;
use super::chains::Chains;
use super::payer::Payer;
use super::solana::{SOL, SOLANA};

pub(super) const PROGRAM: EscrowProgram = EscrowProgram::new(SANDBOX_PROGRAM);

/// Accounts are made with less than a hundredth of a SOL, and no order delivers so little.
const MAX_RENT: u64 = 10_000_000;

/// The page size of a node's signature list.
const PAGE: usize = 1_000;

/// What an account has spent on fees and rent on Solana, as far as it was read.
#[derive(Clone, Debug, Default)]
pub(super) struct Spent {
    newest: Option<String>,
    /// For fees, and for the rent of accounts that it made.
    pub(super) lamports: u64,
    /// How many of its transactions have failed.
    pub(super) failed: usize,
}

impl Chains {
    /// What the program keeps of each order, and which orders it says to be delivered. All of it is final.
    async fn program_accounts(&self) -> (Vec<(u64, OrderAccount)>, Vec<FillMarker>) {
        let options = json!({ "encoding": "base64", "commitment": "finalized" });
        let asked = json!([PROGRAM.id.to_string(), options]);
        let (mut orders, mut fills) = (Vec::new(), Vec::new());
        for found in self.solana("getProgramAccounts", asked).await.unwrap().as_array().unwrap() {
            let (at, account) = (found["pubkey"].as_str().unwrap(), &found["account"]);
            let data = STANDARD.decode(account["data"][0].as_str().unwrap()).unwrap();
            if let Ok(order) = OrderAccount::parse(&data) {
                assert_eq!(at, PROGRAM.order(order.terms.id()).to_string(), "{order:?}");
                orders.push((account["lamports"].as_u64().unwrap(), order));
            } else if let Ok(fill) = FillMarker::parse(&data) {
                assert_eq!(at, PROGRAM.fill_marker(fill.order).to_string(), "{fill:?}");
                fills.push(fill);
            } else {
                assert!(
                    EpochAccount::parse(&data).is_ok() || AttesterConfig::parse(&data).is_ok(),
                    "{account}"
                );
            }
        }
        (orders, fills)
    }

    /// The rent that was paid for the record of an order.
    pub(super) async fn rent_on_solana(&self, intent: B256) -> u64 {
        let (orders, _) = self.program_accounts().await;
        orders.iter().find(|(_, order)| order.terms.id() == intent).map_or(0, |(_, order)| order.rent)
    }

    /// The event counts of all orders, from the program's accounts.
    pub(super) async fn event_counts_on_solana(&self) -> Vec<(B256, EventCounts)> {
        let (orders, fills) = self.program_accounts().await;
        let order = |(_, order): &(u64, OrderAccount)| {
            let (claimed, refunded) = match order.status {
                OrderStatus::Open => (0, 0),
                OrderStatus::Claimed => (1, 0),
                OrderStatus::Refunded(_) => (0, 1),
            };
            (order.terms.id(), EventCounts { opened: 1, filled: 0, claimed, refunded })
        };
        let fill = |fill: &FillMarker| (fill.order, EventCounts { filled: 1, ..EventCounts::default() });
        orders.iter().map(order).chain(fills.iter().map(fill)).collect()
    }

    /// Reads an account's new transactions. The sandbox prunes old ones, so long runs call this regularly.
    pub(super) async fn spent_on_solana(&self, owner: Address) -> Spent {
        let mut all = self.spent.lock().await;
        let spent = all.entry(owner).or_default();
        let (mut newest, mut before) = (None, None::<String>);
        loop {
            let options = json!({
                "commitment": "confirmed", "limit": PAGE, "before": before, "until": spent.newest,
            });
            let asked = json!([owner.to_string(), options]);
            let page = self.solana("getSignaturesForAddress", asked).await.unwrap();
            let page = page.as_array().unwrap();
            for one in page {
                let signature = one["signature"].as_str().unwrap();
                spent.failed += usize::from(!one["err"].is_null());
                spent.lamports += self.cost_on_solana(signature, owner).await;
                newest.get_or_insert_with(|| signature.to_owned());
                before = Some(signature.to_owned());
            }
            if page.len() < PAGE {
                break;
            }
        }
        spent.newest = newest.or_else(|| spent.newest.take());
        spent.clone()
    }

    /// What a transaction cost its fee payer; zero for other accounts.
    async fn cost_on_solana(&self, signature: &str, payer: Address) -> u64 {
        let options =
            json!({ "commitment": "confirmed", "encoding": "json", "maxSupportedTransactionVersion": 0 });
        let found = self.solana("getTransaction", json!([signature, options])).await.unwrap();
        let meta = &found["meta"];
        if found["transaction"]["message"]["accountKeys"][0] != Value::String(payer.to_string()) {
            return 0;
        }
        let balances = |name: &str| meta[name].as_array().unwrap().iter().map(|one| one.as_u64().unwrap());
        let made = balances("preBalances").zip(balances("postBalances"));
        let rents = made.filter(|(pre, post)| *pre == 0 && *post < MAX_RENT).map(|(_, post)| post);
        meta["fee"].as_u64().unwrap() + rents.sum::<u64>()
    }

    /// Asserts that nothing of any order is left on Solana except the rent of its record.
    pub(super) async fn nothing_left_on_solana(&self, payers: &[Payer], seed: u64) {
        let (orders, _) = self.program_accounts().await;
        for (lamports, order) in &orders {
            assert_eq!(*lamports, order.rent, "seed {seed}: lamports lie in {order:?}");
        }
        for payer in payers.iter().filter(|payer| payer.plan.from.0 == SOLANA) {
            let (intent, token) = (payer.built_order().intent, payer.plan.from.1);
            let at = Address::Solana(PROGRAM.deposit(intent).to_bytes());
            let mut left = self.balance(SOLANA, token, at).await + self.balance(SOLANA, SOL, at).await;
            if token != SOL {
                left += self.held_on_solana(PROGRAM.vault(intent).to_bytes()).await;
            }
            assert_eq!(left, U256::ZERO, "seed {seed}: something of {payer:?} is left");
        }
    }
}
