use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use causeway_domain::ports::QuoteStore;
use causeway_store::{Location, Store};
use reqwest::Client;
use serde_json::{Value, json};

use crate::service::{Service, data_dir};

/// Rounds of kill and restart; the long count comes from the environment.
fn rounds() -> u32 {
    std::env::var("CAUSEWAY_SOAK").ok().and_then(|text| text.parse().ok()).unwrap_or(3)
}

pub(crate) async fn ask_for_quote(client: &Client, url: &str) -> Option<String> {
    let ask = json!({
        "tradeType": "EXACT_INPUT",
        "fromChainId": 1, "fromToken": "0x0000000000000000000000000000000000000000",
        "toChainId": 8453, "toToken": "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        "amount": "1000000000000000000", "fromAddress": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    });
    let request = client.post(format!("{url}/v1/quotes")).body(ask.to_string());
    let answer: Value = request.send().await.ok()?.json().await.ok()?;
    answer["quoteId"].as_str().map(str::to_owned)
}

/// Whether the store really holds a quote, asked past the service.
pub(crate) async fn is_kept(store: &Store, id: &str) -> bool {
    store.quote(&id.parse().unwrap()).await.unwrap().is_some()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answered_quotes_survive_kill_9() {
    let folder = data_dir();
    let answered = Arc::new(Mutex::new(BTreeSet::new()));
    for round in 0..rounds() {
        let mut service = Service::start(folder.path());
        let tasks: Vec<_> = (0..16)
            .map(|_| {
                let (client, url, answered) =
                    (service.client.clone(), service.url.clone(), Arc::clone(&answered));
                tokio::spawn(async move {
                    while let Some(id) = ask_for_quote(&client, &url).await {
                        answered.lock().unwrap().insert(id);
                    }
                })
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(150 + u64::from(round * 67 % 200))).await;
        service.child.kill().unwrap();
        service.child.wait().unwrap();
        for task in tasks {
            task.await.unwrap();
        }
    }
    let answered = answered.lock().unwrap().clone();
    assert!(answered.len() > 100, "only {} quotes were answered", answered.len());
    let service = Service::start(folder.path());
    assert_eq!(service.get("/readyz").await.status(), 200);
    drop(service);
    let store = Store::open(&Location::Sqlite(folder.path().join("causeway.db"))).await.unwrap();
    let mut lost = 0;
    for id in &answered {
        lost += u32::from(!is_kept(&store, id).await);
    }
    assert_eq!(lost, 0, "of {} answered quotes", answered.len());
}
