//! What goes wrong with the chains while orders are under way, all of it through the sandbox's controls.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Mutex;

use super::chains::{CHAINS, Chains};
use super::dice::Dice;
use super::solana::SOLANA;

/// How many nodes of each chain the service asks; the tests themselves ask another one.
pub(super) const NODES: u8 = 2;

/// How many faults are under way side by side.
const LANES: usize = 3;

/// Longer than any client waits for an answer.
const FOREVER: u64 = 8_000;

/// A way in which a chain or a node of it misbehaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    TimeOuts,
    Errors,
    LostAnswers,
    Outage,
    StaleBlocks,
    Reorg,
    ForgetfulReorg,
    Fork,
    DroppedTransactions,
    DelayedTransactions,
    ExpiredBlockhashes,
    StandStill,
}

use Fault::{
    DelayedTransactions, DroppedTransactions, Errors, ExpiredBlockhashes, ForgetfulReorg, Fork, LostAnswers,
    Outage, Reorg, StaleBlocks, StandStill, TimeOuts,
};

/// Dealt out by turns, so that a short run has most and a long one has all of them on both families.
const DECK: [(Fault, bool); 23] = [
    (DroppedTransactions, true),
    (Reorg, false),
    (Errors, false),
    (Fork, false),
    (ExpiredBlockhashes, true),
    (StaleBlocks, false),
    (StandStill, false),
    (TimeOuts, true),
    (Fork, true),
    (ForgetfulReorg, false),
    (LostAnswers, false),
    (DroppedTransactions, false),
    (Outage, false),
    (Errors, true),
    (Reorg, true),
    (StandStill, true),
    (DelayedTransactions, false),
    (StaleBlocks, true),
    (TimeOuts, false),
    (ForgetfulReorg, true),
    (LostAnswers, true),
    (DelayedTransactions, true),
    (Outage, true),
];

impl Fault {
    pub(super) const fn name(self) -> &'static str {
        match self {
            TimeOuts => "a node answers too late",
            Errors => "a node answers with errors",
            LostAnswers => "a node does what it is asked and answers with an error",
            Outage => "all nodes of a chain answer with errors",
            StaleBlocks => "a node lags behind",
            Reorg => "a reorganisation under the depth",
            ForgetfulReorg => "a reorganisation under the depth that loses transactions",
            Fork => "nodes on different forks",
            DroppedTransactions => "accepted transactions are dropped",
            DelayedTransactions => "transactions wait",
            ExpiredBlockhashes => "blockhashes expire",
            StandStill => "a chain makes no blocks",
        }
    }
}

/// What happened, by fault and family.
pub(super) type Log = Arc<Mutex<BTreeMap<(Fault, bool), u64>>>;

pub(super) async fn note(log: &Log, fault: Fault, on_solana: bool) {
    *log.lock().await.entry((fault, on_solana)).or_default() += 1;
}

/// Lets so many faults come over the chains at moments that the dice choose. Everything is well again afterwards.
pub(super) async fn storm(chains: Arc<Chains>, faults: u64, seed: u64, log: Log) {
    let lanes = (0..LANES).map(|lane| {
        let (chains, log) = (Arc::clone(&chains), Arc::clone(&log));
        let mut dice = Dice::new(seed, &format!("storm {lane}"));
        tokio::spawn(async move {
            let count = usize::try_from(faults).unwrap();
            for number in (0..count).filter(|number| number % LANES == lane) {
                tokio::time::sleep(dice.milliseconds(2_000)).await;
                let (fault, on_solana) = DECK[number % DECK.len()];
                let chain = if on_solana { SOLANA } else { dice.pick(&CHAINS) };
                strike(&chains, chain, fault, &mut dice).await;
                note(&log, fault, on_solana).await;
            }
        })
    });
    for lane in lanes.collect::<Vec<_>>() {
        lane.await.unwrap();
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
async fn strike(chains: &Chains, chain: u64, fault: Fault, dice: &mut Dice) {
    let node = 1 + dice.below(NODES.into());
    let (some, blocks) = (1 + dice.below(3), 1 + dice.below(2));
    let lasting = Duration::from_secs(2) + dice.milliseconds(4_000);
    let control = async |action: Value| chains.control(chain, action).await;
    let faults = |mut faults: Value, node: u64| {
        faults["action"] = json!("faults");
        faults["node"] = json!(node);
        faults
    };
    let reorg = |forget: bool| json!({ "action": "reorg", "blocks": blocks, "forget": forget });
    let begin = match fault {
        TimeOuts => json!({ "slowMilliseconds": FOREVER }),
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
        ForgetfulReorg => return control(reorg(true)).await,
        DroppedTransactions => return control(json!({ "action": "drop", "transactions": some })).await,
        DelayedTransactions => {
            let wait = 1_000 + dice.below(4_000);
            control(json!({ "action": "delay", "transactions": some, "milliseconds": wait })).await;
            tokio::time::sleep(lasting).await;
            // On Solana all transactions wait until that is over.
            return control(json!({ "action": "delay", "transactions": 0, "milliseconds": 0 })).await;
        }
        ExpiredBlockhashes => return control(json!({ "action": "expireBlockhashes" })).await,
        StandStill => {
            control(json!({ "action": "pause" })).await;
            tokio::time::sleep(lasting * 2).await;
            return control(json!({ "action": "resume" })).await;
        }
    };
    control(faults(begin, node)).await;
    if fault == Fork {
        // The others leave the fork that this one goes on showing.
        control(reorg(some == 1)).await;
    }
    tokio::time::sleep(lasting).await;
    control(faults(json!({}), node)).await;
}
