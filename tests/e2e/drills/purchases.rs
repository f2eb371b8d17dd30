//! A purchase to whose address a stranger sends cents, before it is paid and all the time, and one whose provider delivers too
//! little at first.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::purchases::{ended, order, pay, post};
use crate::service::{Service, data_dir};

const BASE: u64 = 8453;
const ARBITRUM: u64 = 42161;
const BASE_USDC: &str = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const ARBITRUM_USDC: &str = "0xaf88d065e77c8cC2239327C5EDb3A432268e5831";
const BUYER: &str = "0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a77";

const LIMIT: Duration = Duration::from_mins(3);

async fn send_usdc(service: &Service, to: &str, amount: u64) {
    let gift = json!({ "chainId": BASE, "address": to, "token": BASE_USDC, "amount": amount.to_string() });
    let (status, answer) = post(service, "/sandbox/faucet", &gift).await;
    assert_eq!(status, 200, "{answer}");
}

fn output(view: &Value) -> u64 {
    view["outputAmount"].as_str().unwrap_or("0").parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rule_21_a_purchase_completes_by_what_was_bought() {
    let folder = data_dir();
    let service = Service::start_with(folder.path(), &[]);
    let order = order(&service, ARBITRUM, ARBITRUM_USDC, BUYER).await;
    let id = order["orderId"].as_str().unwrap();
    let path = format!("/v1/fiat/order/{id}");
    let address = service.get_json(&path).await["depositAddress"].as_str().unwrap().to_owned();
    // More than a hundredth of the sum, and nobody's payment.
    send_usdc(&service, &address, 2_000_000).await;
    let origin = order["widgetUrl"].as_str().unwrap().split("/sandbox-card/").next().unwrap().to_owned();
    let switch = service.client.post(format!("{origin}/sandbox/onramps/sandbox-card/switches"));
    let switch =
        switch.header("content-type", "application/json").body(json!({ "paysBps": 6_000 }).to_string());
    assert_eq!(switch.send().await.unwrap().status(), 200);
    pay(&service, &order).await;

    let begun = Instant::now();
    let part = loop {
        let view = service.get_json(&path).await;
        assert_ne!(view["terminal"], true, "a part completes nothing: {view}");
        if output(&view) > 50_000_000 {
            break view;
        }
        assert!(begun.elapsed() < LIMIT, "no part is delivered: {view}");
        tokio::time::sleep(Duration::from_millis(250)).await;
    };
    assert_eq!(part["status"], "processing", "{part}");
    assert!(output(&part) < 70_000_000, "{part}");

    send_usdc(&service, &address, 40_000_000).await;
    let view = ended(&service, id).await;
    assert_eq!(view["status"], "completed", "{view}");
    assert!(output(&view) > 95_000_000, "what came later was swapped on: {view}");
    assert_eq!(held(&service, BUYER).await, output(&view), "all of it went to the recipient");
}

/// What an address has in USDC on Arbitrum.
async fn held(service: &Service, address: &str) -> u64 {
    let call = json!({ "to": ARBITRUM_USDC, "data": format!("0x70a08231{:0>64}", &address[2..]) });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_call", "params": [call, "latest"] });
    let (_, answer) = post(service, &format!("/sandbox/rpc/{ARBITRUM}"), &call).await;
    u64::from_str_radix(answer["result"].as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rule_21_a_stranger_who_keeps_adding_dust_holds_up_no_purchase() {
    let folder = data_dir();
    let service = Service::start_with(folder.path(), &[]);
    let order = order(&service, ARBITRUM, ARBITRUM_USDC, BUYER).await;
    let id = order["orderId"].as_str().unwrap();
    let view = service.get_json(&format!("/v1/fiat/order/{id}")).await;
    let address = view["depositAddress"].as_str().unwrap();
    // Some in every block, so that no block has the balance that was quoted.
    let dust = async {
        loop {
            send_usdc(&service, address, 7).await;
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let bought = async {
        pay(&service, &order).await;
        ended(&service, id).await
    };
    let view = tokio::select! {
        view = bought => view,
        () = dust => unreachable!(),
    };
    assert_eq!(view["status"], "completed", "{view}");
    assert_eq!(held(&service, BUYER).await, output(&view), "all of it went to the recipient");
}
