use async_trait::async_trait;
use causeway_domain::ports::{AttesterRegistry, ChainError, EpochAttesters};
use causeway_domain::{ChainId, SOLANA_CHAIN_ID};

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
        let asked = [self.program.epoch(epoch)];
        let account = self.rpc.accounts(&asked, Commitment::Confirmed, None).await?.value.pop().flatten();
        let account = account.filter(|account| account.owner == self.program.id);
        let account = account.and_then(|account| EpochAccount::parse(&account.data).ok());
        let account =
            account.ok_or_else(|| RpcError::InvalidResponse("the program has no such epoch".to_owned()))?;
        let counts = |member: &alloy_primitives::Address| !account.resigned.contains(member);
        Ok(EpochAttesters {
            threshold: usize::from(account.threshold),
            members: account.members.iter().copied().filter(counts).collect(),
        })
    }
}
