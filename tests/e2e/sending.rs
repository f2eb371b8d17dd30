use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::{Address, Bytes, U256};
use causeway_domain::ChainId;
use causeway_domain::ports::{Outbox as _, OutgoingEnd};
use causeway_evm::{BlockTag, EvmClient, EvmConfig, NextStep, SendPolicy, Sender, Signer, TxRequest};
use causeway_sandbox::genesis::Roles;
use causeway_store::{Location, Store};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::service::{Service, data_dir};

const CHAIN: u64 = 10;
const STRANGER: Address = Address::repeat_byte(0xa1);
const POLICY: SendPolicy =
    SendPolicy { stuck_after: Duration::from_mins(1), max_fee_per_gas: 1_000_000_000_000, depth: 2 };

struct Chain {
    service: Service,
    client: EvmClient,
}

impl Chain {
    fn start(folder: &Path) -> Self {
        let service = Service::start_with(folder, &["sandbox"]);
        let base = service.url.split("/sandbox").next().unwrap().to_owned();
        let url = format!("{base}/sandbox/rpc/{CHAIN}").parse().unwrap();
        let client = EvmClient::new(ChainId::new(CHAIN).unwrap(), EvmConfig::new([url])).unwrap();
        Self { service, client }
    }

    async fn control(&self, action: Value) {
        let base = self.service.url.split("/sandbox").next().unwrap();
        let request = self.service.client.post(format!("{base}/sandbox/control/{CHAIN}"));
        assert_eq!(request.body(action.to_string()).send().await.unwrap().status(), 200, "{action}");
    }

    /// A sender as a process would make it at its start.
    fn sender(&self, store: &Arc<Store>) -> Sender {
        let relayer = Signer::from_bytes(&Roles::new().unwrap().relayer.key.0).unwrap();
        Sender::new(self.client.clone(), relayer, store.clone(), POLICY)
    }
}

async fn open(folder: &Path) -> Arc<Store> {
    Arc::new(Store::open(&Location::Sqlite(folder.join("outbox.db"))).await.unwrap())
}

fn gift(wei: u64) -> TxRequest {
    TxRequest { to: STRANGER, value: U256::from(wei), data: Bytes::new() }
}

#[tokio::test]
async fn transaction_signed_before_a_crash_is_resent_and_lands_once() {
    let folder = data_dir();
    let chain = Chain::start(folder.path());
    let store = open(folder.path()).await;
    // The store keeps milliseconds.
    let now = Timestamp::from_millisecond(Timestamp::now().as_millisecond()).unwrap();
    // The node takes both and loses them, and then the process dies.
    chain.control(json!({ "action": "drop", "transactions": 2 })).await;
    let sender = chain.sender(&store);
    let first = sender.send("gift:1", &gift(3), now).await.unwrap();
    let second = sender.send("gift:2", &gift(4), now).await.unwrap();
    assert_eq!(second.nonce, first.nonce + 1);
    drop(sender);
    store.close().await;
    drop(store);

    let store = open(folder.path()).await;
    let sender = chain.sender(&store);
    assert_eq!(sender.send("gift:1", &gift(3), now).await.unwrap(), first, "the purpose is on its way");
    let third = sender.send("gift:3", &gift(5), now).await.unwrap();
    assert_eq!(third.nonce, second.nonce + 1, "nonces go on where they were");
    for _ in 0..200 {
        sender.poll_pending(now).await.unwrap();
        if store.open(chain.client.chain_id(), first.signer).await.unwrap().is_empty() {
            break;
        }
        chain.control(json!({ "action": "mine" })).await;
    }
    assert_eq!(chain.client.native_balance(STRANGER).await.unwrap(), U256::from(12), "each gift once");
    let sent = chain.client.nonce(Roles::new().unwrap().relayer.address, BlockTag::Latest).await.unwrap();
    assert_eq!(sent, third.nonce + 1);
}

#[tokio::test]
async fn stuck_transaction_is_replaced_with_the_same_nonce_and_exactly_one_lands() {
    let folder = data_dir();
    let chain = Chain::start(folder.path());
    let store = open(folder.path()).await;
    let (sender, now) = (chain.sender(&store), Timestamp::now());
    chain.control(json!({ "action": "pause" })).await;
    let first = sender.send("gift", &gift(7), now).await.unwrap();
    assert_eq!(sender.poll_pending(now).await.unwrap()[0].1, NextStep::Wait);
    let later = now + SignedDuration::from_mins(2);
    let replaced = sender.poll_pending(later).await.unwrap();
    assert!(matches!(replaced[0].1, NextStep::Replace(_)), "{replaced:?}");
    let stored = store.for_purpose(chain.client.chain_id(), "gift").await.unwrap().unwrap();
    assert_eq!((stored.nonce, stored.attempts.len()), (first.nonce, 2));
    let fees: Vec<u128> = stored.attempts.iter().map(|attempt| attempt.max_fee_per_gas).collect();
    assert!(fees[1] > fees[0], "{fees:?}");

    chain.control(json!({ "action": "resume" })).await;
    let mut ended = None;
    for _ in 0..200 {
        chain.control(json!({ "action": "mine" })).await;
        let decided = sender.poll_pending(later).await.unwrap();
        ended = decided
            .iter()
            .find_map(|(_, next)| if let NextStep::End(end) = next { Some(*end) } else { None });
        if ended.is_some() {
            break;
        }
    }
    assert_eq!(ended, Some(OutgoingEnd::Succeeded(stored.attempts[1].hash)), "the dearer one");
    assert_eq!(chain.client.native_balance(STRANGER).await.unwrap(), U256::from(7));
}
