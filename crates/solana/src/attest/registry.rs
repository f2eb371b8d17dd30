use async_trait::async_trait;
use causeway_domain::ports::{AttesterRegistry, ChainError, EpochAttesters};
use causeway_domain::{ChainId, SOLANA_CHAIN_ID};
use causeway_jsonrpc_client::prevailing;

use crate::account::{WireAccount, accounts_call, read_accounts};
use crate::commitment::Contextual;
use crate::program::{EpochAccount, EscrowProgram};
use crate::{Commitment, RpcError, SolanaRpc};

/// Reads the attesters of an epoch from the escrow program's accounts.
#[derive(Clone, Debug)]
pub struct SolanaAttesterRegistry {
    rpc: SolanaRpc,
    program: EscrowProgram,
}

impl SolanaAttesterRegistry {
    pub const fn new(rpc: SolanaRpc, program: EscrowProgram) -> Self {
        Self { rpc, program }
    }
}

#[async_trait]
impl AttesterRegistry for SolanaAttesterRegistry {
    fn chain(&self) -> ChainId {
        SOLANA_CHAIN_ID
    }

    async fn epoch_attesters(&self, epoch: u64) -> Result<EpochAttesters, ChainError> {
        let call = accounts_call(&[self.program.epoch(epoch)], Commitment::Confirmed, None);
        let (mut shown, mut fault) = (Vec::new(), None);
        for asked in self.rpc.ask_all(&[call]).await {
            match asked.answers.into_iter().next() {
                Some(Ok(answer)) => shown.push((asked.trusted, self.read(answer))),
                Some(Err(error)) => fault = Some(error),
                None => {}
            }
        }
        // One endpoint alone does not say who may sign (rule 27).
        let unknown = || RpcError::InvalidResponse("too few endpoints show such an epoch alike".to_owned());
        let epoch = prevailing(self.rpc.quorum(), shown);
        Ok(epoch.ok_or_else(|| fault.unwrap_or_else(unknown))?)
    }
}

impl SolanaAttesterRegistry {
    fn read(&self, answer: Contextual<Vec<Option<WireAccount>>>) -> Option<EpochAttesters> {
        let account = read_accounts(answer, 1, None).ok()?.value.pop().flatten()?;
        let account = Some(account).filter(|account| account.owner == self.program.id)?;
        let account = EpochAccount::parse(&account.data).ok()?;
        let counts = |member: &alloy_primitives::Address| !account.resigned.contains(member);
        Some(EpochAttesters {
            threshold: usize::from(account.threshold),
            members: account.members.iter().copied().filter(counts).collect(),
        })
    }
}
