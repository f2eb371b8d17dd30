use std::time::Duration;

use causeway_client::webhooks::{Webhook, verify, verify_any};
use serde_json::Value;

use super::receiver::Receiver;
use crate::purchases::{ended, order, pay};
use crate::service::{Service, causeway, data_dir};

const ETHER: &str = "0x0000000000000000000000000000000000000000";
const ARBITRUM: u64 = 42161;
const SOMEONE: &str = "0x00000000000000000000000000000000c0ffee01";

/// Adds an endpoint and returns its secret.
fn add(service: &Service, folder: &std::path::Path, args: &[&str]) -> String {
    let mut command = causeway();
    command.args(["webhooks", "add"]).args(args).args(["--json", "--url", &service.url, "--data-dir"]);
    let output = command.arg(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let added: Value = serde_json::from_slice(&output.stdout).unwrap();
    added["secret"].as_str().unwrap().to_owned()
}

/// The statuses of the purchase that arrived, as they arrived.
fn statuses(receiver: &Receiver, secret: &str, id: &str) -> Vec<String> {
    let mut statuses = Vec::new();
    for delivery in receiver.deliveries() {
        match verify_any(secret, &delivery.signature, &delivery.body).unwrap() {
            Webhook::Purchase(webhook) => {
                assert!(verify(secret, &delivery.signature, &delivery.body).is_err(), "it is no order");
                assert_eq!(webhook.event.order_id, webhook.purchase.view.order_id);
                if webhook.event.order_id == id {
                    statuses.extend(webhook.event.status);
                }
            }
            Webhook::Order(webhook) => panic!("not asked for: {webhook:?}"),
        }
    }
    statuses
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_purchase_is_pushed_from_its_order_to_its_delivery_to_those_who_ask_for_it() {
    let folder = data_dir();
    let service = Service::start_with(folder.path(), &[]);
    let (shop, swaps, others) = (Receiver::start().await, Receiver::start().await, Receiver::start().await);
    let secret = add(&service, folder.path(), &["shop", &shop.url(), "--about", "purchases"]);
    let swaps_secret = add(&service, folder.path(), &["swaps", &swaps.url()]);
    add(
        &service,
        folder.path(),
        &["others", &others.url(), "--about", "all", "--integrator", "another-00ff00ff"],
    );
    let order = order(&service, ARBITRUM, ETHER, SOMEONE).await;
    pay(&service, &order).await;
    let id = order["orderId"].as_str().unwrap();
    let view = ended(&service, id).await;
    assert_eq!(view["status"], "completed", "{view}");
    let begun = tokio::time::Instant::now();
    while statuses(&shop, &secret, id).last().map(String::as_str) != Some("completed") {
        assert!(begun.elapsed() < Duration::from_mins(2), "{:?}", statuses(&shop, &secret, id));
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let pushed = statuses(&shop, &secret, id);
    assert_eq!(pushed.first().map(String::as_str), Some("created"), "{pushed:?}");
    let order_of = ["created", "pending", "processing", "completed"];
    let positions: Vec<_> = pushed.iter().map(|status| order_of.iter().position(|it| it == status)).collect();
    assert!(positions.is_sorted() && !positions.contains(&None), "{pushed:?}");
    // Whoever asks for nothing else gets the swap that forwarded the money, as before.
    let swap = view["swapOrderId"].as_str().unwrap();
    for delivery in swaps.deliveries() {
        let event = verify(&swaps_secret, &delivery.signature, &delivery.body).unwrap();
        assert_eq!(event.order.id, swap);
    }
    assert!(others.deliveries().is_empty(), "{:?}", others.deliveries());
}
