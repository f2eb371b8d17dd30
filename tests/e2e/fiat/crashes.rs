use std::time::Duration;

use super::buyer::{Buyer, GOOD_CARD, direct, forwarded, id};
use crate::service::{Service, data_dir};

/// How long after a payment the power goes: before anything is delivered, while it is, and while the swap runs.
const CUTS: [Duration; 4] =
    [Duration::ZERO, Duration::from_millis(900), Duration::from_millis(2_500), Duration::from_secs(5)];

/// Each cut once; the long count comes from the environment, up to 48.
fn kills() -> usize {
    std::env::var("CAUSEWAY_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(CUTS.len())
}

/// The chains run in their own process; the service and the sandbox providers are killed together.
#[tokio::test]
async fn rule_21_and_22_purchases_survive_kill_9_and_complete_once() {
    let (chains_folder, folder) = (data_dir(), data_dir());
    let chains = Service::start_with(chains_folder.path(), &["sandbox"]);
    let base = chains.url.split("/sandbox").next().unwrap().to_owned();
    let revive = || Service::start_with(folder.path(), &["--sandbox-rpc", &base]);

    let mut service = revive();
    let mut bought = Vec::new();
    for (seed, cut) in (0x40..0x70).zip(CUTS.into_iter().cycle()).take(kills()) {
        for (wallet, target) in [(seed, direct()), (seed + 0x40, forwarded())] {
            let buyer = Buyer::new(&service, wallet);
            let order = buyer.order(&target, "sandbox-card").await;
            buyer.pay(&order, GOOD_CARD).await;
            bought.push((wallet, target, order));
        }
        tokio::time::sleep(cut).await;
        service.child.kill().unwrap();
        service.child.wait().unwrap();
        service = revive();
    }
    for (wallet, _, order) in &bought {
        let ended = Buyer::new(&service, *wallet).end(order).await;
        assert_eq!(ended["status"], "completed", "{ended}");
    }
    // Whatever would be done twice would be done by now.
    tokio::time::sleep(Duration::from_secs(5)).await;
    for (wallet, target, order) in &bought {
        let buyer = Buyer::new(&service, *wallet);
        let view = buyer.view(order).await;
        let has = buyer.balance(target, &buyer.wallet.to_string()).await;
        assert_eq!(has.to_string(), view["outputAmount"], "{} got it once: {view}", id(order));
        if let Some(address) = view["depositAddress"].as_str() {
            assert!(buyer.balance(&direct(), address).await.is_zero(), "nothing is left at {address}");
        }
    }
}
