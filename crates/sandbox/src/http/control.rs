use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use serde::Deserialize;
use serde_json::{Value, json};

use super::error::{HttpError, chain_id, done, node_number, read};
use crate::Sandbox;
use crate::evm::{self, EvmChain, Reorged};
use crate::jsonrpc::FIRST_NODE;
use crate::lies::Lies;
use crate::solana::{self, SolanaChain};

/// A control request for a chain. On Solana a block is a slot.
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
    /// Accepts the next transactions and drops them.
    Drop {
        transactions: u32,
    },
    /// Delays the next transactions; on Solana all later ones, by slots of 400 ms.
    Delay {
        #[serde(default = "one")]
        transactions: u64,
        milliseconds: u64,
    },
    /// Replaces the newest blocks by others without their transactions.
    Reorg {
        blocks: u64,
        /// Drops the transactions instead of returning them to the pool.
        #[serde(default)]
        forget: bool,
    },
    /// Sets faults of one node's JSON-RPC; none when nothing is set.
    Faults(FaultsRequest),
    /// Solana only: expires every blockhash issued so far.
    ExpireBlockhashes,
    /// Solana only: puts a program at an address, as the tools of Solana do.
    Program {
        address: String,
        #[serde(default)]
        code: ProgramCode,
        /// Who may replace the code; nobody if absent.
        #[serde(default)]
        authority: Option<String>,
    },
}

/// A program of `contracts/solana`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
enum ProgramCode {
    #[default]
    Escrow,
    /// The play exchange.
    Exchange,
}

impl ProgramCode {
    const fn bytes(self) -> &'static [u8] {
        match self {
            Self::Escrow => solana::ESCROW_CODE,
            Self::Exchange => solana::EXCHANGE_CODE,
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct FaultsRequest {
    #[serde(default = "first_node")]
    node: u64,
    #[serde(default)]
    slow_milliseconds: u64,
    /// Fails one in this many calls.
    #[serde(default)]
    fail_every: u32,
    /// Failing calls are executed and only their answers are lost.
    #[serde(default)]
    lose_answers: bool,
    /// Answers as of this many blocks ago; on Solana any number but 0 means as of now.
    #[serde(default)]
    stale_blocks: u64,
    /// Answers as of now, even after the chain leaves this fork.
    #[serde(default)]
    frozen: bool,
    /// False answers.
    #[serde(default)]
    lies: Option<Lies>,
}

impl FaultsRequest {
    fn node(&self) -> Result<u8, HttpError> {
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

/// Handles a control request.
pub(super) async fn control(
    State(sandbox): State<Arc<Sandbox>>,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Json<Value>, HttpError> {
    let id = chain_id(&id)?;
    let control: Control = read(&body)?;
    match (sandbox.evm.get(&id), &sandbox.solana) {
        (Some(chain), _) => control_evm(chain, control).await,
        (None, Some(solana)) if solana.chain_id() == id => control_solana(solana, control).await,
        _ => Err(HttpError::NoChain),
    }
}

/// How a chain's switches stand: whether it is paused, and what its first node does wrong.
pub(super) async fn state(
    State(sandbox): State<Arc<Sandbox>>,
    Path(id): Path<String>,
) -> Result<Json<Value>, HttpError> {
    let id = chain_id(&id)?;
    match (sandbox.evm.get(&id), &sandbox.solana) {
        (Some(chain), _) => {
            let faults = chain.faults_at(FIRST_NODE);
            Ok(done(json!({
                "blockNumber": chain.block_number(),
                "paused": chain.is_paused(),
                "failing": faults.fail.is_some(),
                "lying": faults.lies.is_some(),
            })))
        }
        (None, Some(solana)) if solana.chain_id() == id => {
            let faults = solana.faults_at(FIRST_NODE);
            let never = solana::FaultSchedule::Never;
            Ok(done(json!({
                "slot": solana.slot().await.map_err(refused)?,
                "paused": solana.is_paused().await.map_err(refused)?,
                "failing": faults.failing != never || faults.response_lost != never,
                "lying": faults.lies.is_some(),
            })))
        }
        _ => Err(HttpError::NoChain),
    }
}

fn refused(error: impl std::fmt::Display) -> HttpError {
    HttpError::Refused(format!("{error}."))
}

async fn control_evm(chain: &EvmChain, control: Control) -> Result<Json<Value>, HttpError> {
    let mut removed = Vec::new();
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
            let reorged = if forget { Reorged::Drop } else { Reorged::Return };
            removed = chain.reorg(blocks, reorged).await.map_err(refused)?;
        }
        Control::Faults(request) => chain.set_faults_at(request.node()?, evm_faults(&request)),
        Control::ExpireBlockhashes => return Err(refused("EVM chains have no blockhashes to expire")),
        Control::Program { .. } => return Err(refused("EVM chains have contracts: deploy them")),
    }
    Ok(done(json!({ "blockNumber": chain.block_number(), "paused": chain.is_paused(), "removed": removed })))
}

fn evm_faults(request: &FaultsRequest) -> evm::Faults {
    evm::Faults {
        slow: Duration::from_millis(request.slow_milliseconds),
        fail: (request.fail_every > 0).then(|| evm::Failing {
            every: request.fail_every.into(),
            code: -32603,
            message: "internal error".to_owned(),
            after_effect: request.lose_answers,
        }),
        stale: request.stale_blocks,
        frozen: request.frozen,
        methods: Vec::new(),
        lies: request.lies.clone(),
    }
}

fn solana_faults(request: &FaultsRequest) -> solana::RpcFaults {
    let every = match request.fail_every {
        0 => solana::FaultSchedule::Never,
        every => solana::FaultSchedule::Every { every, passed: 0 },
    };
    let (failing, response_lost) = if request.lose_answers {
        (solana::FaultSchedule::Never, every)
    } else {
        (every, solana::FaultSchedule::Never)
    };
    let delay = Duration::from_millis(request.slow_milliseconds);
    let stale = request.stale_blocks > 0 || request.frozen;
    solana::RpcFaults { delay, failing, response_lost, stale, lies: request.lies.clone() }
}

async fn control_solana(chain: &SolanaChain, control: Control) -> Result<Json<Value>, HttpError> {
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
        Control::Faults(request) => {
            chain.set_faults_at(request.node()?, solana_faults(&request)).await.map_err(refused)?;
        }
        Control::ExpireBlockhashes => drop(chain.expire_blockhashes().await.map_err(refused)?),
        Control::Program { address, code, authority } => {
            let read = |text: &str| {
                text.parse::<solana::Address>().map_err(|_| refused("it is not an address on Solana"))
            };
            let authority = authority.as_deref().map(read).transpose()?;
            let program = read(&address)?;
            chain.set_program(program, code.bytes(), authority).await.map_err(refused)?;
        }
    }
    Ok(done(json!({ "slot": chain.slot().await.map_err(refused)? })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_program_is_the_escrow_by_default_and_the_exchange_by_its_name() {
        let config =
            solana::SolanaConfig { slot_time: Duration::from_hours(1), ..solana::SolanaConfig::default() };
        let chain = SolanaChain::open(config, solana::Genesis::new().unwrap()).unwrap();
        for (code, bytes) in [
            (json!({}), solana::ESCROW_CODE),
            (json!({ "code": "escrow" }), solana::ESCROW_CODE),
            (json!({ "code": "exchange" }), solana::EXCHANGE_CODE),
        ] {
            let program = solana::Address::new_unique();
            let mut body = code;
            body["action"] = json!("program");
            body["address"] = json!(program.to_string());
            let _ = control_solana(&chain, read(body.to_string().as_bytes()).unwrap()).await.unwrap();
            let called = chain.account(program).await.unwrap().unwrap();
            let place = solana::Address::from(<[u8; 32]>::try_from(&called.data[4..]).unwrap());
            assert!(chain.account(place).await.unwrap().unwrap().data.ends_with(bytes), "{body}");
        }
        let other = br#"{"action":"program","address":"","code":"other"}"#;
        assert!(read::<Control>(other).is_err());
    }
}
