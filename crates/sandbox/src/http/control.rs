use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use serde::Deserialize;
use serde_json::{Value, json};

use super::answer::{Refusal, chain_id, done, node_number, read};
use crate::Sandbox;
use crate::evm::{self, EvmChain, Reorged};
use crate::jsonrpc::FIRST_NODE;
use crate::solana::{self, SolanaChain};

/// What can be done to a chain. On Solana a block is a slot.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "action", rename_all = "camelCase", deny_unknown_fields)]
enum Control {
    /// Makes blocks at once.
    Mine {
        #[serde(default = "one")]
        blocks: u64,
    },
    Pause,
    Resume,
    /// The time of the next block, in seconds since 1970.
    SetTime {
        timestamp: u64,
    },
    /// Accepts the next transactions and loses them.
    Drop {
        transactions: u32,
    },
    /// Lets the next transactions wait; on Solana all later ones, for so many slots of 400 ms.
    Delay {
        #[serde(default = "one")]
        transactions: u64,
        milliseconds: u64,
    },
    /// Replaces the newest blocks by others without their transactions.
    Reorg {
        blocks: u64,
        /// The transactions are gone instead of waiting for a block again.
        #[serde(default)]
        forget: bool,
    },
    /// Makes the JSON-RPC of one node misbehave, or behave again when nothing is set.
    Faults(FaultsAsked),
    /// Solana only: makes every blockhash handed out until now too old.
    ExpireBlockhashes,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct FaultsAsked {
    #[serde(default = "first_node")]
    node: u64,
    #[serde(default)]
    slow_milliseconds: u64,
    /// Every how many calls one fails.
    #[serde(default)]
    fail_every: u32,
    /// What fails is carried out all the same, and only its answer lost.
    #[serde(default)]
    lose_answers: bool,
    /// Answer as of so many blocks ago; on Solana any number but 0 means as of now.
    #[serde(default)]
    stale_blocks: u64,
    /// Answer as of now, also when the chain has left this fork.
    #[serde(default)]
    frozen: bool,
}

impl FaultsAsked {
    fn node(&self) -> Result<u8, Refusal> {
        node_number(self.node).ok_or_else(|| refused("a node is a number from 1 to 255"))
    }
}

const fn first_node() -> u64 {
    FIRST_NODE as u64
}

const fn one() -> u64 {
    1
}

const SLOT_MILLISECONDS: u64 = 400;

/// Does something to a chain that only a sandbox can.
pub(super) async fn control(
    State(sandbox): State<Arc<Sandbox>>,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Json<Value>, Refusal> {
    let id = chain_id(&id)?;
    let control: Control = read(&body)?;
    match (sandbox.evm.get(&id), &sandbox.solana) {
        (Some(chain), _) => control_evm(chain, control).await,
        (None, Some(solana)) if solana.chain_id() == id => control_solana(solana, control).await,
        _ => Err(Refusal::NoChain),
    }
}

fn refused(error: impl std::fmt::Display) -> Refusal {
    Refusal::Refused(format!("{error}."))
}

async fn control_evm(chain: &EvmChain, control: Control) -> Result<Json<Value>, Refusal> {
    let mut gone = Vec::new();
    match control {
        Control::Mine { blocks } => drop(chain.mine(blocks, 1).await.map_err(refused)?),
        Control::Pause => chain.pause(),
        Control::Resume => chain.resume(),
        Control::SetTime { timestamp } => chain.set_next_timestamp(timestamp).map_err(refused)?,
        Control::Drop { transactions } => chain.drop_next(transactions.into()),
        Control::Delay { transactions, milliseconds } => {
            chain.delay_next(transactions, Duration::from_millis(milliseconds));
        }
        Control::Reorg { blocks, forget } => {
            let fate = if forget { Reorged::Drop } else { Reorged::Return };
            gone = chain.reorg(blocks, fate).await.map_err(refused)?;
        }
        Control::Faults(asked) => chain.set_faults_at(asked.node()?, evm_faults(&asked)),
        Control::ExpireBlockhashes => return Err(refused("EVM chains have no blockhashes to expire")),
    }
    Ok(done(json!({ "blockNumber": chain.block_number(), "paused": chain.is_paused(), "removed": gone })))
}

fn evm_faults(asked: &FaultsAsked) -> evm::Faults {
    evm::Faults {
        slow: Duration::from_millis(asked.slow_milliseconds),
        fail: (asked.fail_every > 0).then(|| evm::Failing {
            every: asked.fail_every.into(),
            code: -32603,
            message: "internal error".to_owned(),
            after_effect: asked.lose_answers,
        }),
        stale: asked.stale_blocks,
        frozen: asked.frozen,
        methods: Vec::new(),
    }
}

fn solana_faults(asked: &FaultsAsked) -> solana::RpcFaults {
    let every = match asked.fail_every {
        0 => solana::Failing::Never,
        every => solana::Failing::Every { every, passed: 0 },
    };
    let (failing, answer_lost) =
        if asked.lose_answers { (solana::Failing::Never, every) } else { (every, solana::Failing::Never) };
    let delay = Duration::from_millis(asked.slow_milliseconds);
    solana::RpcFaults { delay, failing, answer_lost, stale: asked.stale_blocks > 0 || asked.frozen }
}

async fn control_solana(chain: &SolanaChain, control: Control) -> Result<Json<Value>, Refusal> {
    match control {
        Control::Mine { blocks } => drop(chain.advance(blocks).await.map_err(refused)?),
        Control::Pause => chain.pause().await.map_err(refused)?,
        Control::Resume => chain.resume().await.map_err(refused)?,
        Control::SetTime { timestamp } => {
            let seconds = i64::try_from(timestamp).map_err(|_| refused("the time is beyond the calendar"))?;
            chain.set_time(seconds).await.map_err(refused)?;
        }
        Control::Drop { transactions } => chain.drop_next(transactions).await.map_err(refused)?,
        Control::Delay { milliseconds, .. } => {
            chain.delay(milliseconds.div_ceil(SLOT_MILLISECONDS)).await.map_err(refused)?;
        }
        Control::Reorg { blocks, forget } => {
            let slots = usize::try_from(blocks).map_err(|_| refused("so many slots do not exist"))?;
            let forked = if forget { chain.fork(slots).await } else { chain.fork_and_return(slots).await };
            forked.map_err(refused)?;
        }
        Control::Faults(asked) => {
            chain.set_faults_at(asked.node()?, solana_faults(&asked)).await.map_err(refused)?;
        }
        Control::ExpireBlockhashes => drop(chain.expire_blockhashes().await.map_err(refused)?),
    }
    Ok(done(json!({ "slot": chain.slot().await.map_err(refused)? })))
}
