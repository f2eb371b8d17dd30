use std::time::Duration;

use alloy_primitives::Address as Attester;
use causeway_domain::ports::ChainError;
use causeway_domain::{SOLANA_CHAIN_ID, SolanaDeployment};
use thiserror::Error;

use crate::program::{AttesterConfig, EpochAccount, EscrowProgram, InvalidAccountData};
use crate::{
    Account, BuildError, Commitment, Landing, SendError, SignedError, SolanaKey, SolanaRpc,
    UnsignedTransaction,
};

/// How often the chain is polled for the initialized program.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// The offset of the deployment slot in the program data account.
const DEPLOYMENT_SLOT_OFFSET: usize = 4;

/// The configuration that initializes the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstEpoch {
    /// The shortest time, in seconds, between an order's fill deadline and its unsigned refund.
    pub min_grace: u64,
    pub threshold: u8,
    /// In any order.
    pub members: Vec<Attester>,
}

/// Why the program is not initialized.
#[derive(Debug, Error)]
pub enum DeployError {
    #[error(transparent)]
    Chain(#[from] ChainError),
    #[error("there is no program at {0}")]
    NoProgram(String),
    /// It was initialized with another configuration, which cannot be changed.
    #[error(
        "the program at {program} was initialized with another {what}; deploy another program, or start fresh"
    )]
    ConfigMismatch { program: String, what: &'static str },
    /// The chain would refuse the initialization.
    #[error("the program cannot be initialized: {0}")]
    WouldFail(String),
    #[error("the initializing transaction expired; try again")]
    Lost,
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error(transparent)]
    Sign(#[from] SignedError),
    #[error(transparent)]
    InvalidAccountData(#[from] InvalidAccountData),
}

/// Initializes the program's first epoch, signed by its upgrade authority. If the program is already initialized, only
/// checks that the configuration matches.
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
        initialize(rpc, program, authority, &first).await?;
    }
    let missing = || DeployError::NoProgram(program.id.to_string());
    let deployment = find_program(rpc, program).await?.ok_or_else(missing)?;
    let epoch = rpc.accounts(&[program.epoch(1)], Commitment::Finalized, None).await?.value.pop().flatten();
    let epoch = EpochAccount::parse(&epoch.ok_or_else(missing)?.data)?;
    let mismatch = |what| DeployError::ConfigMismatch { program: program.id.to_string(), what };
    if deployment.min_grace != first.min_grace {
        return Err(mismatch("grace"));
    }
    if epoch.threshold != first.threshold || epoch.members != first.members {
        return Err(mismatch("set of attesters"));
    }
    Ok(deployment)
}

/// The program on the chain; `None` until its first epoch is final.
pub async fn find_program(
    rpc: &SolanaRpc,
    program: EscrowProgram,
) -> Result<Option<SolanaDeployment>, DeployError> {
    let addresses = [program.code(), program.attester_config()];
    let found = rpc.accounts(&addresses, Commitment::Finalized, None).await?.value;
    let [code, config] = <[Option<Account>; 2]>::try_from(found).unwrap_or_default();
    let Some(code) = code else { return Err(DeployError::NoProgram(program.id.to_string())) };
    let Some(config) = config.filter(|config| config.owner == program.id) else { return Ok(None) };
    let slot = code.data.get(DEPLOYMENT_SLOT_OFFSET..).and_then(|rest| rest.first_chunk().copied());
    Ok(Some(SolanaDeployment {
        chain: SOLANA_CHAIN_ID,
        program: program.id.to_bytes().into(),
        min_grace: AttesterConfig::parse(&config.data)?.min_grace,
        from_slot: slot.map_or(0, u64::from_le_bytes),
    }))
}

async fn initialize(
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
        SendError::WouldFail(reason) => DeployError::WouldFail(reason),
        SendError::UnknownBlockhash => DeployError::Lost,
        SendError::Chain(error) => DeployError::Chain(error),
    })?;
    let initialized = async {
        // `land` polls rarely, and startup waits for this.
        while !matches!(find_program(rpc, program).await, Ok(Some(_))) {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    };
    tokio::select! {
        () = initialized => Ok(()),
        landing = rpc.land(&signed) => match landing {
            Landing::Landed { .. } => Ok(()),
            Landing::Failed { reason, .. } => Err(DeployError::WouldFail(reason)),
            Landing::Expired => Err(DeployError::Lost),
        },
    }
}
