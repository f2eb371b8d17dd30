use causeway_domain::ports::ChainError;
use causeway_domain::{SOLANA_CHAIN_ID, SolanaDeployment};
use causeway_jsonrpc_client::{Disagreement, agreed};
use thiserror::Error;

use super::deploy::FirstEpoch;
use crate::account::{WireAccount, accounts_call, read_accounts};
use crate::commitment::Contextual;
use crate::program::{AttesterConfig, EpochAccount, EscrowProgram, LOADER};
use crate::{Account, Commitment, SolanaRpc};

/// The account tags of the upgradeable loader.
const PROGRAM: [u8; 4] = 2_u32.to_le_bytes();
const PROGRAM_DATA: [u8; 4] = 3_u32.to_le_bytes();
/// Where the loader says whether somebody may replace the code, and where the code starts.
const HAS_AUTHORITY: usize = 12;
const CODE: usize = 45;

/// What a program has to be.
#[derive(Clone, Debug)]
pub struct ExpectedProgram<'a> {
    /// The compiled program.
    pub code: &'a [u8],
    pub first_epoch: FirstEpoch,
    /// Whether nobody may be able to replace the code.
    pub immutable: bool,
}

/// Why a program is not the expected one.
#[derive(Debug, Error)]
pub enum VerifyProgramError {
    /// Solana does not answer, or its endpoints differ: nothing is known.
    #[error(transparent)]
    Chain(#[from] ChainError),
    #[error("{0}")]
    Mismatch(String),
}

/// Reads code, upgrade authority, grace and first epoch from the chain, where the endpoints must agree.
pub async fn verify_program(
    rpc: &SolanaRpc,
    deployment: &SolanaDeployment,
    expected: &ExpectedProgram<'_>,
) -> Result<(), VerifyProgramError> {
    let program = EscrowProgram::new(deployment.program.0.into());
    let found = agreed_accounts(rpc, program).await?;
    check(program, deployment, expected, &found).map_err(VerifyProgramError::Mismatch)
}

/// The program's account, its code, its configuration and its first epoch.
type Found = [Option<Account>; 4];

async fn agreed_accounts(rpc: &SolanaRpc, program: EscrowProgram) -> Result<Found, ChainError> {
    let addresses = [program.id, program.code(), program.attester_config(), program.epoch(1)];
    let call = accounts_call(&addresses, Commitment::Finalized, None);
    let asked = rpc.ask_all::<Contextual<Vec<Option<WireAccount>>>>(&[call]).await;
    let answers = asked.into_iter().map(|mut asked| {
        let answer = asked.answers.pop().and_then(Result::ok);
        let accounts = answer.and_then(|answer| read_accounts(answer, addresses.len(), None).ok());
        (asked.endpoint, asked.trusted, accounts.and_then(|read| Found::try_from(read.value).ok()))
    });
    agreed(rpc.quorum(), answers.collect::<Vec<_>>()).map_err(|disagreement| match disagreement {
        Disagreement::Contradiction(one, other) => {
            let reason = format!("{one} and {other} show the program differently");
            ChainError::Disagreement(SOLANA_CHAIN_ID, reason)
        }
        Disagreement::TooFew(_) => ChainError::Unavailable(SOLANA_CHAIN_ID),
    })
}

fn check(
    program: EscrowProgram,
    deployment: &SolanaDeployment,
    expected: &ExpectedProgram<'_>,
    [executable, code, config, epoch]: &Found,
) -> Result<(), String> {
    let id = program.id;
    let executable = executable.as_ref().filter(|account| account.executable && account.owner == LOADER);
    let points_to = executable.and_then(|account| account.data.strip_prefix(&PROGRAM));
    let code_address = program.code();
    if points_to != Some(code_address.as_ref()) {
        return Err(format!("there is no program of the upgradeable loader at {id} on Solana"));
    }
    let data = code.as_ref().filter(|account| account.owner == LOADER).map(|account| account.data.as_slice());
    let data = data.filter(|data| data.starts_with(&PROGRAM_DATA));
    let Some((has_authority, found)) =
        data.and_then(|data| Some((*data.get(HAS_AUTHORITY)?, data.get(CODE..)?)))
    else {
        return Err(format!("the program at {id} on Solana has no code"));
    };
    if !is_code(found, expected.code) {
        return Err(format!(
            "the code of the program at {id} on Solana is not that of contracts/solana/escrow.so"
        ));
    }
    if expected.immutable && has_authority != 0 {
        return Err(format!(
            "somebody may still replace the code of the program at {id} on Solana: run `solana program set-upgrade-authority {id} \
             --final`"
        ));
    }
    let own = |account: &Option<Account>| account.clone().filter(|account| account.owner == id);
    let uninitialized = || {
        format!(
            "the program at {id} on Solana is not initialized: run `causeway deploy --chain {SOLANA_CHAIN_ID}`"
        )
    };
    let config = own(config).and_then(|account| AttesterConfig::parse(&account.data).ok());
    let epoch = own(epoch).and_then(|account| EpochAccount::parse(&account.data).ok());
    let (config, epoch) = config.zip(epoch).ok_or_else(uninitialized)?;
    let first = &expected.first_epoch;
    if config.min_grace != first.min_grace || deployment.min_grace != first.min_grace {
        return Err(format!(
            "the program at {id} on Solana has a grace of {} seconds, its record {} and this configuration {}",
            config.min_grace, deployment.min_grace, first.min_grace
        ));
    }
    let mut members = first.members.clone();
    members.sort_unstable();
    if epoch.threshold != first.threshold || epoch.members != members {
        return Err(format!(
            "the program at {id} on Solana has {} of {:?} in its first epoch, and the configuration has {} of {members:?}",
            epoch.threshold, epoch.members, first.threshold
        ));
    }
    Ok(())
}

/// The loader may leave zeros behind the code.
fn is_code(found: &[u8], expected: &[u8]) -> bool {
    found.strip_prefix(expected).is_some_and(|rest| rest.iter().all(|byte| *byte == 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_zeros_may_follow_the_code() {
        assert!(is_code(&[1, 2, 3], &[1, 2, 3]) && is_code(&[1, 2, 3, 0, 0], &[1, 2, 3]));
        assert!(!is_code(&[1, 2, 3, 4], &[1, 2, 3]) && !is_code(&[1, 2], &[1, 2, 3]));
        assert!(!is_code(&[1, 9, 3], &[1, 2, 3]));
    }
}
