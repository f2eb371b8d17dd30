use std::collections::HashMap;

use alloy_primitives::{B256, U64, U256};
use causeway_domain::Address;
use causeway_evm::{BlockTag, Call};
use serde_json::{Value, json};

use super::chains::Chains;

/// Everything that happened on a chain in blocks that stay, added up block by block.
#[derive(Clone, Debug, Default)]
pub(super) struct ChainTotals {
    /// The first block that was not read yet.
    next: u64,
    /// What each account has paid for gas, and how many of its transactions have failed.
    pub(super) gas: HashMap<Address, (U256, usize)>,
    /// Events by contract, kind and order.
    pub(super) event_counts: HashMap<(Address, B256, B256), u32>,
}

impl Chains {
    /// Reads what is new. The sandbox forgets old blocks, so this is done now and then in a long run.
    pub(super) async fn totals(&self, chain: u64) -> ChainTotals {
        let mut totals_by_chain = self.totals_by_chain.lock().await;
        let totals = totals_by_chain.entry(chain).or_default();
        let client = self.client(chain);
        let newest = client.block(BlockTag::Finalized).await.unwrap().unwrap().number;
        let calls: Vec<Call> = (totals.next..=newest)
            .map(|number| Call::new("eth_getBlockReceipts", json!([U64::from(number)])))
            .collect();
        for some in calls.chunks(100) {
            for receipts in client.batch::<Vec<Value>>(some).await {
                receipts.unwrap().iter().for_each(|receipt| totals.add(receipt));
            }
        }
        totals.next = totals.next.max(newest + 1);
        totals.clone()
    }
}

impl ChainTotals {
    fn add(&mut self, receipt: &Value) {
        let number = |name: &str| receipt[name].as_str().unwrap().parse::<U256>().unwrap();
        let (cost, failed) = self.gas.entry(address(&receipt["from"])).or_default();
        *cost += number("gasUsed") * number("effectiveGasPrice");
        *cost += receipt["l1Fee"].as_str().map_or(U256::ZERO, |fee| fee.parse().unwrap());
        *failed += usize::from(number("status").is_zero());
        for log in receipt["logs"].as_array().unwrap() {
            let topic =
                |place: usize| log["topics"][place].as_str().map(|text| text.parse::<B256>().unwrap());
            if let Some((kind, order)) = topic(0).zip(topic(1)) {
                let contract = address(&log["address"]);
                *self.event_counts.entry((contract, kind, order)).or_default() += 1;
            }
        }
    }
}

fn address(text: &Value) -> Address {
    Address::parse_any(text.as_str().unwrap()).unwrap()
}
