use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::ports::{ChainError, ChainRecord, OpenedBy};
use causeway_domain::{Address, ChainId, SOLANA_CHAIN_ID, SolanaDeployment, Terms};
use serde::Deserialize;
use serde_json::json;

use crate::program::EscrowProgram;
use crate::{Commitment, SolanaRpc};

/// What Solana knows of orders beside what their accounts show.
#[derive(Clone, Debug)]
pub struct SolanaRecord {
    rpc: SolanaRpc,
    program: EscrowProgram,
}

#[derive(Deserialize)]
struct Latest {
    value: Blockhash,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Blockhash {
    last_valid_block_height: u64,
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

    /// The last block that takes a transaction with the newest blockhash: whatever was signed before dies there at the latest.
    async fn moment(&self) -> Result<u64, ChainError> {
        let newest = json!([{ "commitment": Commitment::Processed }]);
        let latest: Latest = self.rpc.call("getLatestBlockhash", newest).await?;
        Ok(latest.value.last_valid_block_height)
    }

    async fn is_quiet(&self, accounts: &[Address], since: u64) -> Result<bool, ChainError> {
        if !accounts.iter().any(|account| matches!(account, Address::Solana(_))) {
            return Ok(true);
        }
        let last = json!([{ "commitment": Commitment::Finalized }]);
        let height: u64 = self.rpc.call("getBlockHeight", last).await?;
        Ok(height > since)
    }
}
