use std::collections::HashMap;

use alloy_primitives::{B256, U64, U256};
use causeway_domain::Address;
use causeway_evm::{BlockTag, Call};
use serde_json::{Value, json};

use super::chains::Chains;

/// Everything that happened on a chain in blocks that stay, added up block by block.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    /// The first block that was not read yet.
    next: u64,
    /// What each account has paid for gas, and how many of its transactions have failed.
    pub(super) gas: HashMap<Address, (U256, usize)>,
    /// How often a contract told that kind of thing of an order.
    pub(super) told: HashMap<(Address, B256, B256), u32>,
}

impl Chains {
    /// Reads what is new. The sandbox forgets old blocks, so this is done now and then in a long run.
    pub(super) async fn tally(&self, chain: u64) -> Tally {
        let mut tallies = self.tallies.lock().await;
        let tally = tallies.entry(chain).or_default();
        let client = self.client(chain);
        let newest = client.block(BlockTag::Finalized).await.unwrap().unwrap().number;
        let calls: Vec<Call> = (tally.next..=newest)
            .map(|number| Call::new("eth_getBlockReceipts", json!([U64::from(number)])))
            .collect();
        for some in calls.chunks(100) {
            for receipts in client.batch::<Vec<Value>>(some).await {
                receipts.unwrap().iter().for_each(|receipt| tally.add(receipt));
            }
        }
        tally.next = tally.next.max(newest + 1);
        tally.clone()
    }
}

impl Tally {
    fn add(&mut self, receipt: &Value) {
        let number = |name: &str| receipt[name].as_str().unwrap().parse::<U256>().unwrap();
        let (cost, failed) = self.gas.entry(address(&receipt["from"])).or_default();
        *cost += number("gasUsed") * number("effectiveGasPrice");
        *failed += usize::from(number("status").is_zero());
        for log in receipt["logs"].as_array().unwrap() {
            let topic =
                |place: usize| log["topics"][place].as_str().map(|text| text.parse::<B256>().unwrap());
            if let Some((kind, order)) = topic(0).zip(topic(1)) {
                let contract = address(&log["address"]);
                *self.told.entry((contract, kind, order)).or_default() += 1;
            }
        }
    }
}

fn address(text: &Value) -> Address {
    Address::parse_any(text.as_str().unwrap()).unwrap()
}
