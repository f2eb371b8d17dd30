use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::ports::{ChainError, ChainRecord, OpenedBy};
use causeway_domain::{Address, ChainId, SOLANA_CHAIN_ID, SolanaDeployment, Terms};

use crate::SolanaRpc;
use crate::program::EscrowProgram;

/// What Solana knows of orders beside what their accounts show.
#[derive(Clone, Debug)]
pub struct SolanaRecord {
    rpc: SolanaRpc,
    program: EscrowProgram,
}

impl SolanaRecord {
    /// Of the cluster of `rpc`, where this program lies.
    pub fn new(rpc: SolanaRpc, there: &SolanaDeployment) -> Self {
        Self { rpc, program: EscrowProgram::new(there.program.0.into()) }
    }
}

#[async_trait]
impl ChainRecord for SolanaRecord {
    fn chain(&self) -> ChainId {
        SOLANA_CHAIN_ID
    }

    async fn newest(&self) -> Result<u64, ChainError> {
        self.rpc.final_slot().await
    }

    fn address_for(&self, id: B256) -> Address {
        Address::Solana(self.program.deposit(id).to_bytes())
    }

    async fn opened_by(&self, tx: &str, terms: &Terms) -> Result<OpenedBy, ChainError> {
        Ok(self.rpc.opened_by(self.program, tx, terms).await?.unwrap_or(OpenedBy::Call))
    }

    async fn moment(&self) -> Result<u64, ChainError> {
        self.rpc.end_of_all_signed().await
    }

    async fn is_quiet(&self, accounts: &[Address], since: u64) -> Result<bool, ChainError> {
        if !accounts.iter().any(|account| matches!(account, Address::Solana(_))) {
            return Ok(true);
        }
        self.rpc.is_past(since).await
    }
}
