//! Injects chain faults through the sandbox's controls while orders are open.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Mutex;

use super::chains::{CHAINS, Chains};
use super::seeded_rng::SeededRng;
use super::solana::SOLANA;

/// How many nodes of each chain the service asks; the tests themselves ask another one.
pub(super) const NODES: u8 = 3;

/// How many faults are injected concurrently.
const CONCURRENCY: usize = 3;

/// Longer than any client's timeout.
const TIMEOUT_MILLISECONDS: u64 = 8_000;

/// A way in which a chain or a node of it misbehaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    Timeouts,
    Errors,
    LostAnswers,
    Outage,
    StaleBlocks,
    Reorg,
    LossyReorg,
    Fork,
    DroppedTransactions,
    DelayedTransactions,
    ExpiredBlockhashes,
    Halted,
}

use Fault::{
    DelayedTransactions, DroppedTransactions, Errors, ExpiredBlockhashes, Fork, Halted, LossyReorg,
    LostAnswers, Outage, Reorg, StaleBlocks, Timeouts,
};

/// Injected in this order, so that a short run has most and a long run has all faults on both families.
const SCHEDULE: [(Fault, bool); 23] = [
    (DroppedTransactions, true),
    (Reorg, false),
    (Errors, false),
    (Fork, false),
    (ExpiredBlockhashes, true),
    (StaleBlocks, false),
    (Halted, false),
    (Timeouts, true),
    (Fork, true),
    (LossyReorg, false),
    (LostAnswers, false),
    (DroppedTransactions, false),
    (Outage, false),
    (Errors, true),
    (Reorg, true),
    (Halted, true),
    (DelayedTransactions, false),
    (StaleBlocks, true),
    (Timeouts, false),
    (LossyReorg, true),
    (LostAnswers, true),
    (DelayedTransactions, true),
    (Outage, true),
];

impl Fault {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Timeouts => "a node answers too late",
            Errors => "a node answers with errors",
            LostAnswers => "a node does what it is asked and answers with an error",
            Outage => "all nodes of a chain answer with errors",
            StaleBlocks => "a node lags behind",
            Reorg => "a reorganisation under the depth",
            LossyReorg => "a reorganisation under the depth that loses transactions",
            Fork => "nodes on different forks",
            DroppedTransactions => "accepted transactions are dropped",
            DelayedTransactions => "transactions wait",
            ExpiredBlockhashes => "blockhashes expire",
            Halted => "a chain makes no blocks",
        }
    }
}

/// What happened, by fault and family.
pub(super) type Log = Arc<Mutex<BTreeMap<(Fault, bool), u64>>>;

pub(super) async fn record_fault(log: &Log, fault: Fault, on_solana: bool) {
    *log.lock().await.entry((fault, on_solana)).or_default() += 1;
}

/// Injects so many faults at random moments, and removes all of them afterwards.
pub(super) async fn inject_faults(chains: Arc<Chains>, faults: u64, seed: u64, log: Log) {
    let workers = (0..CONCURRENCY).map(|worker| {
        let (chains, log) = (Arc::clone(&chains), Arc::clone(&log));
        let mut rng = SeededRng::new(seed, &format!("faults {worker}"));
        tokio::spawn(async move {
            let count = usize::try_from(faults).unwrap();
            for number in (0..count).filter(|number| number % CONCURRENCY == worker) {
                tokio::time::sleep(rng.milliseconds(2_000)).await;
                let (fault, on_solana) = SCHEDULE[number % SCHEDULE.len()];
                let chain = if on_solana { SOLANA } else { rng.pick(&CHAINS) };
                inject(&chains, chain, fault, &mut rng).await;
                record_fault(&log, fault, on_solana).await;
            }
        })
    });
    for worker in workers.collect::<Vec<_>>() {
        worker.await.unwrap();
    }
    for chain in CHAINS.into_iter().chain([SOLANA]) {
        for node in 1..=NODES {
            chains.control(chain, json!({ "action": "faults", "node": node })).await;
        }
        chains.control(chain, json!({ "action": "resume" })).await;
        chains.control(chain, json!({ "action": "drop", "transactions": 0 })).await;
        let delay = json!({ "action": "delay", "transactions": 0, "milliseconds": 0 });
        chains.control(chain, delay).await;
    }
}

/// One fault from its beginning to its end.
async fn inject(chains: &Chains, chain: u64, fault: Fault, rng: &mut SeededRng) {
    let node = 1 + rng.below(NODES.into());
    let (some, blocks) = (1 + rng.below(3), 1 + rng.below(2));
    let lasting = Duration::from_secs(2) + rng.milliseconds(4_000);
    let control = async |action: Value| chains.control(chain, action).await;
    let faults = |mut faults: Value, node: u64| {
        faults["action"] = json!("faults");
        faults["node"] = json!(node);
        faults
    };
    let reorg = |forget: bool| json!({ "action": "reorg", "blocks": blocks, "forget": forget });
    let begin = match fault {
        Timeouts => json!({ "slowMilliseconds": TIMEOUT_MILLISECONDS }),
        Errors => json!({ "failEvery": some }),
        LostAnswers => json!({ "failEvery": some, "loseAnswers": true }),
        StaleBlocks => json!({ "staleBlocks": 2 + 3 * some }),
        Fork => json!({ "frozen": true }),
        Outage => {
            for node in 1..=u64::from(NODES) {
                control(faults(json!({ "failEvery": 1 }), node)).await;
            }
            tokio::time::sleep(lasting).await;
            for node in 1..=u64::from(NODES) {
                control(faults(json!({}), node)).await;
            }
            return;
        }
        Reorg => return control(reorg(false)).await,
        LossyReorg => return control(reorg(true)).await,
        DroppedTransactions => return control(json!({ "action": "drop", "transactions": some })).await,
        DelayedTransactions => {
            let wait = 1_000 + rng.below(4_000);
            control(json!({ "action": "delay", "transactions": some, "milliseconds": wait })).await;
            tokio::time::sleep(lasting).await;
            // On Solana all transactions wait until that is over.
            return control(json!({ "action": "delay", "transactions": 0, "milliseconds": 0 })).await;
        }
        ExpiredBlockhashes => return control(json!({ "action": "expireBlockhashes" })).await,
        Halted => {
            control(json!({ "action": "pause" })).await;
            tokio::time::sleep(lasting * 2).await;
            return control(json!({ "action": "resume" })).await;
        }
    };
    control(faults(begin, node)).await;
    if fault == Fork {
        // The other nodes leave the fork that the frozen node still shows.
        control(reorg(some == 1)).await;
    }
    tokio::time::sleep(lasting).await;
    control(faults(json!({}), node)).await;
}
