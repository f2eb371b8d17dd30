use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::ports::{ChainError, ChainHistory, OpenedBy};
use causeway_domain::{Address, ChainId, IntentTerms, SOLANA_CHAIN_ID, SolanaDeployment};

use crate::SolanaRpc;
use crate::program::EscrowProgram;

/// The history of orders on Solana beyond their accounts, for recovery.
#[derive(Clone, Debug)]
pub struct SolanaChainHistory {
    rpc: SolanaRpc,
    program: EscrowProgram,
}

impl SolanaChainHistory {
    /// The history of this deployment on the cluster of `rpc`.
    pub fn new(rpc: SolanaRpc, deployment: &SolanaDeployment) -> Self {
        Self { rpc, program: EscrowProgram::new(deployment.program.0.into()) }
    }
}

#[async_trait]
impl ChainHistory for SolanaChainHistory {
    fn chain(&self) -> ChainId {
        SOLANA_CHAIN_ID
    }

    async fn newest(&self) -> Result<u64, ChainError> {
        self.rpc.final_slot().await
    }

    fn address_for(&self, id: B256) -> Address {
        Address::Solana(self.program.deposit(id).to_bytes())
    }

    async fn opened_by(&self, tx: &str, terms: &IntentTerms) -> Result<OpenedBy, ChainError> {
        Ok(self.rpc.opened_by(self.program, tx, terms).await?.unwrap_or(OpenedBy::Call))
    }

    async fn moment(&self) -> Result<u64, ChainError> {
        self.rpc.last_valid_height().await
    }

    async fn is_settled_since(&self, accounts: &[Address], since: u64) -> Result<bool, ChainError> {
        if !accounts.iter().any(|account| matches!(account, Address::Solana(_))) {
            return Ok(true);
        }
        self.rpc.is_past_height(since).await
    }
}
