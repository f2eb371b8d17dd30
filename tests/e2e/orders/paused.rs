use tokio::sync::broadcast;

use super::audit::settle;
use super::chains::Chains;
use super::desk::Desk;
use super::dice::{Dice, seed};
use super::payer::Payer;
use super::survive::drain;
use super::wishes::hopeless_wish;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rule_24_deposits_go_back_while_everything_is_paused() {
    let seed = seed();
    eprintln!("CAUSEWAY_SEED={seed}");
    let chains = Chains::start();
    let desk = Desk::start(&chains.base, "");
    let mut dice = Dice::new(seed, "paused");
    let mut payer = Payer::new(hopeless_wish(&mut dice), &mut dice);
    payer.fund(&chains).await;
    payer.build(&desk).await;
    drain(&chains, &desk).await;
    let (from, to) = (payer.wish.from.0.to_string(), payer.wish.to.0.to_string());
    for (kind, name) in [("chain", from.as_str()), ("chain", &to), ("filler", "north"), ("filler", "south")] {
        let paused = desk.run(&["pause", kind, name, "--url", &desk.url()]);
        assert!(paused.status.success(), "{}", String::from_utf8_lossy(&paused.stderr));
    }
    let (tell, _) = broadcast::channel(8);
    payer.deposit(&chains, &desk, &tell).await;
    settle(&chains, &desk, &[payer], seed).await;
}
