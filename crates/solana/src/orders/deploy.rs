use std::time::Duration;

use alloy_primitives::Address as Attester;
use causeway_domain::ports::ChainError;
use causeway_domain::{SOLANA_CHAIN_ID, SolanaDeployment};
use thiserror::Error;

use crate::program::{EpochAccount, EscrowProgram, NotOurs, Office};
use crate::{
    Account, BuildError, Commitment, Landing, SendError, SignedError, SolanaKey, SolanaRpc,
    UnsignedTransaction,
};

/// How often a program that was just put into office is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Where the loader's account tells the slot in which the code was put there.
const CODE_SLOT_AT: usize = 4;

/// How the program begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstEpoch {
    /// The shortest time, in seconds, between an order's fill deadline and its unsigned refund.
    pub min_grace: u64,
    pub threshold: u8,
    /// In any order.
    pub members: Vec<Attester>,
}

/// Why the program is not in office.
#[derive(Debug, Error)]
pub enum DeployError {
    #[error(transparent)]
    Chain(#[from] ChainError),
    #[error("no program lies at {0}")]
    NoProgram(String),
    /// It began otherwise than asked; nobody can change that any more.
    #[error("the program at {program} began with another {what}; use a program of its own, or start fresh")]
    BegunOtherwise { program: String, what: &'static str },
    /// The chain would refuse its beginning, in words.
    #[error("the program cannot begin: {0}")]
    WouldFail(String),
    #[error("the transaction that begins the program was lost; try again")]
    Lost,
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error(transparent)]
    Sign(#[from] SignedError),
    #[error(transparent)]
    NotOurs(#[from] NotOurs),
}

/// Begins the program's first epoch with `authority`, who may still replace its code. Once begun, this only looks whether it
/// began as asked.
pub async fn ensure_program(
    rpc: &SolanaRpc,
    program: EscrowProgram,
    authority: &SolanaKey,
    first: &FirstEpoch,
) -> Result<SolanaDeployment, DeployError> {
    let mut members = first.members.clone();
    members.sort_unstable();
    let first = FirstEpoch { members, ..first.clone() };
    if find_program(rpc, program).await?.is_none() {
        begin(rpc, program, authority, &first).await?;
    }
    let missing = || DeployError::NoProgram(program.id.to_string());
    let deployment = find_program(rpc, program).await?.ok_or_else(missing)?;
    let epoch = rpc.accounts(&[program.epoch(1)], Commitment::Finalized, None).await?.value.pop().flatten();
    let epoch = EpochAccount::parse(&epoch.ok_or_else(missing)?.data)?;
    let otherwise = |what| DeployError::BegunOtherwise { program: program.id.to_string(), what };
    if deployment.min_grace != first.min_grace {
        return Err(otherwise("grace"));
    }
    if epoch.threshold != first.threshold || epoch.members != first.members {
        return Err(otherwise("set of attesters"));
    }
    Ok(deployment)
}

/// The program as it lies on the chain; `None` until its first epoch stands.
pub async fn find_program(
    rpc: &SolanaRpc,
    program: EscrowProgram,
) -> Result<Option<SolanaDeployment>, DeployError> {
    let asked = [program.code(), program.office()];
    let found = rpc.accounts(&asked, Commitment::Finalized, None).await?.value;
    let [code, office] = <[Option<Account>; 2]>::try_from(found).unwrap_or_default();
    let Some(code) = code else { return Err(DeployError::NoProgram(program.id.to_string())) };
    let Some(office) = office.filter(|office| office.owner == program.id) else { return Ok(None) };
    let slot = code.data.get(CODE_SLOT_AT..).and_then(|rest| rest.first_chunk().copied());
    Ok(Some(SolanaDeployment {
        chain: SOLANA_CHAIN_ID,
        program: program.id.to_bytes().into(),
        min_grace: Office::parse(&office.data)?.min_grace,
        from_slot: slot.map_or(0, u64::from_le_bytes),
    }))
}

async fn begin(
    rpc: &SolanaRpc,
    program: EscrowProgram,
    authority: &SolanaKey,
    first: &FirstEpoch,
) -> Result<(), DeployError> {
    let init = program.init(authority.address(), first.min_grace, first.threshold, &first.members);
    let recent = rpc.recent_blockhash().await?;
    let unsigned = UnsignedTransaction::build(&authority.address(), &[init], &[], recent)?;
    let signed = authority.sign(&unsigned)?;
    rpc.send(&signed, true).await.map_err(|error| match error {
        SendError::WouldFail(words) => DeployError::WouldFail(words),
        SendError::UnknownBlockhash => DeployError::Lost,
        SendError::Chain(error) => DeployError::Chain(error),
    })?;
    let stands = async {
        // The landing looks rarely; whoever starts up waits for this.
        while !matches!(find_program(rpc, program).await, Ok(Some(_))) {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    };
    tokio::select! {
        () = stands => Ok(()),
        landing = rpc.land(&signed) => match landing {
            Landing::Landed { .. } => Ok(()),
            Landing::Failed { words, .. } => Err(DeployError::WouldFail(words)),
            Landing::Expired => Err(DeployError::Lost),
        },
    }
}
