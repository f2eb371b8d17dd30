//! More value leaves a chain within an hour than its breaker allows: nobody is quoted there, and what has begun goes on.

use std::time::Duration;

use alloy_primitives::U256;
use reqwest::Method;
use serde_json::Value;
use tokio::sync::broadcast;

use super::audit::wait_until_ended;
use super::chains::{BASE, COIN, Chains, ETHEREUM, OPTIMISM, usdc};
use super::payer::{DepositVia, Outcome, Payer, SwapPlan};
use super::restartable_service::RestartableService;
use super::seeded_rng::SeededRng;

/// One order of $20 is enough.
const LIMITS: &str = "[breakers]\nhourly_value_usd = \"15\"\n";

fn payer(to: u64, rng: &mut SeededRng) -> Payer {
    let amount = U256::from(20_000_000);
    let outcome = Outcome::Filled;
    Payer::new(
        SwapPlan { from: (BASE, usdc(BASE)), to: (to, COIN), amount, via: DepositVia::Call, outcome },
        rng,
    )
}

/// Has a deposit built by the best route, and answers its filler.
async fn build(service: &RestartableService, payer: &mut Payer) -> String {
    // The first quote may come before the fillers know what they hold.
    payer.quote(service).await;
    let quote = service.ask(Method::POST, "/v1/quotes", &payer.ask()).await.unwrap();
    let takes = |route: &&Value| {
        route["depositMethods"].as_array().unwrap().contains(&payer.plan.via.method().into())
    };
    let route = quote["routes"].as_array().unwrap().iter().find(takes).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    assert!(payer.build_route(service, text(&quote["quoteId"]), text(&route["routeId"])).await);
    text(&route["filler"])
}

/// Who offers a route, by name; nobody where the quote is refused.
async fn offers(service: &RestartableService, payer: &Payer) -> Vec<String> {
    match service.ask(Method::POST, "/v1/quotes", &payer.ask()).await {
        Ok(quote) => {
            let name = |route: &Value| route["filler"].as_str().unwrap().to_owned();
            quote["routes"].as_array().unwrap().iter().map(name).collect()
        }
        Err(_) => Vec::new(),
    }
}

async fn is_open(service: &RestartableService, filler: &str, chain: u64) -> bool {
    let metrics = reqwest::get(format!("{}/metrics", service.url())).await.unwrap().text().await.unwrap();
    let name =
        format!("causeway_breaker_open{{filler=\"{filler}\",chain=\"{chain}\",breaker=\"hourly_value\"}} ");
    let line = metrics.lines().find_map(|line| line.strip_prefix(&name));
    line.unwrap_or_else(|| panic!("no {name} in\n{metrics}")) == "1"
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rule_30_a_breaker_ends_new_quotes_on_its_chain_and_what_has_begun_goes_on() {
    let chains = Chains::start();
    let service = RestartableService::start(&chains.base, LIMITS);
    let mut rng = SeededRng::new(30, "breakers");
    // Both are built by the same filler before its breaker opens.
    let mut begun = [payer(OPTIMISM, &mut rng), payer(OPTIMISM, &mut rng)];
    let mut fillers = Vec::new();
    for payer in &mut begun {
        payer.fund(&chains).await;
        fillers.push(build(&service, payer).await);
    }
    let filler = fillers.remove(0);
    assert_eq!(fillers, [filler.as_str()]);
    assert!(!is_open(&service, &filler, OPTIMISM).await);
    let (stages, _) = broadcast::channel(8);
    let [first, second] = &mut begun;
    first.deposit(&chains, &service, &stages).await;
    for _ in 0..600 {
        if is_open(&service, &filler, OPTIMISM).await {
            break;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    assert!(is_open(&service, &filler, OPTIMISM).await, "the breaker never opened");
    let new = payer(OPTIMISM, &mut rng);
    assert!(!offers(&service, &new).await.contains(&filler), "it quotes on");
    let elsewhere = payer(ETHEREUM, &mut rng);
    assert!(offers(&service, &elsewhere).await.contains(&filler), "another chain is another breaker");

    // It stays open over a restart, and the second order is filled.
    service.kill();
    service.restart();
    second.deposit(&chains, &service, &stages).await;
    wait_until_ended(&chains, &service, &begun, 30).await;
    assert!(is_open(&service, &filler, OPTIMISM).await, "the restart closed the breaker");
}
