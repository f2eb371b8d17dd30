use anyhow::bail;
use causeway_domain::Deployment;
use causeway_evm::EvmClient;
use causeway_solana::SolanaRpc;
use causeway_solana::orders::{DeployError, find_program};
use causeway_solana::program::EscrowProgram;
use futures::future::try_join_all;

use super::Deployments;
use crate::boot::parts::chain_clients::ChainClients;

impl Deployments {
    /// Checks the records against the chains. Records of disabled chains are skipped; a record without code on its chain is an
    /// error, because money would go to an address without code. The record of an unreachable chain is kept.
    pub(crate) async fn checked(self, clients: &ChainClients) -> anyhow::Result<Self> {
        let mut kept = Self::default();
        let mut checks = Vec::new();
        for deployment in self.evm {
            let Some(client) = clients.evm(deployment.chain) else {
                tracing::warn!(chain = %deployment.chain, "deployment record skipped: the chain is disabled or has no RPC address");
                continue;
            };
            checks.push(check_contracts(client, deployment.clone()));
            kept.evm.push(deployment);
        }
        try_join_all(checks).await?;
        kept.solana = match (self.solana, &clients.solana) {
            (Some(deployment), Some(rpc)) => {
                check_program(rpc, EscrowProgram::new(deployment.program.0.into())).await?;
                Some(deployment)
            }
            (Some(_), None) => {
                tracing::warn!("deployment record skipped: Solana is disabled or has no RPC address");
                None
            }
            (None, _) => None,
        };
        Ok(kept)
    }
}

async fn check_contracts(client: &EvmClient, deployment: Deployment) -> anyhow::Result<()> {
    let chain = deployment.chain;
    let contracts = [
        ("Escrow", deployment.escrow),
        ("Settler", deployment.settler),
        ("DepositFactory", deployment.deposit_factory),
    ];
    for (name, address) in contracts {
        match client.code(address).await {
            Ok(code) if code.is_empty() => bail!(
                "no contract lies at {address} on chain {chain}, where deployments/{chain}.json says that {name} is: deploy \
                 the contracts with `causeway deploy --chain {chain}`, or put the right record there"
            ),
            Ok(_) => {}
            Err(error) => {
                tracing::warn!(%chain, %error, "contracts could not be checked, using the record");
                return Ok(());
            }
        }
    }
    Ok(())
}

async fn check_program(rpc: &SolanaRpc, program: EscrowProgram) -> anyhow::Result<()> {
    match find_program(rpc, program).await {
        Ok(Some(_)) => Ok(()),
        Ok(None) => bail!(
            "the program at {} on Solana is not initialized: run `causeway deploy --chain {}`",
            program.id,
            causeway_domain::SOLANA_CHAIN_ID
        ),
        Err(DeployError::Chain(error)) => {
            tracing::warn!(%error, "Solana program could not be checked, using the record");
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}
