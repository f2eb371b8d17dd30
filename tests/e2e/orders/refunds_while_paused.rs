use tokio::sync::broadcast;

use super::audit::wait_until_ended;
use super::chains::Chains;
use super::crashes::drain;
use super::payer::Payer;
use super::random_orders::unfillable_plan;
use super::restartable_service::RestartableService;
use super::seeded_rng::{SeededRng, seed};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rule_24_deposits_are_refunded_while_everything_is_paused() {
    let seed = seed();
    eprintln!("CAUSEWAY_SEED={seed}");
    let chains = Chains::start();
    let service = RestartableService::start(&chains.base, "");
    let mut rng = SeededRng::new(seed, "paused");
    let mut payer = Payer::new(unfillable_plan(&mut rng), &mut rng);
    payer.fund(&chains).await;
    payer.build(&service).await;
    drain(&chains, &service).await;
    let (from, to) = (payer.plan.from.0.to_string(), payer.plan.to.0.to_string());
    for (kind, name) in [("chain", from.as_str()), ("chain", &to), ("filler", "north"), ("filler", "south")] {
        let paused = service.run(&["pause", kind, name, "--url", &service.url()]);
        assert!(paused.status.success(), "{}", String::from_utf8_lossy(&paused.stderr));
    }
    let (stages, _) = broadcast::channel(8);
    payer.deposit(&chains, &service, &stages).await;
    wait_until_ended(&chains, &service, &[payer], seed).await;
}
