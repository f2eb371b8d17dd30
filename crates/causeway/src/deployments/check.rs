use anyhow::bail;
use causeway_domain::Deployment;
use causeway_evm::EvmClient;
use causeway_solana::SolanaRpc;
use causeway_solana::orders::{DeployError, find_program};
use causeway_solana::program::EscrowProgram;
use futures::future::try_join_all;

use super::Deployments;
use crate::chains::Clients;

impl Deployments {
    /// What the records name and the chains have. A record of a chain that is not asked is left out; one whose contracts are not
    /// there is an error, because money would go to an address without code. A chain that does not answer now is believed.
    pub(crate) async fn checked(self, clients: &Clients) -> anyhow::Result<Self> {
        let mut kept = Self::default();
        let mut looks = Vec::new();
        for there in self.evm {
            let Some(client) = clients.evm(there.chain) else {
                tracing::warn!(chain = %there.chain, "there is a deployment record of a chain that is not enabled or has no RPC address; it is left out");
                continue;
            };
            looks.push(look(client, there.clone()));
            kept.evm.push(there);
        }
        try_join_all(looks).await?;
        kept.solana = match (self.solana, &clients.solana) {
            (Some(there), Some(rpc)) => {
                look_on_solana(rpc, EscrowProgram::new(there.program.0.into())).await?;
                Some(there)
            }
            (Some(_), None) => {
                tracing::warn!(
                    "there is a deployment record of Solana, which is not enabled or has no RPC address; it is left out"
                );
                None
            }
            (None, _) => None,
        };
        Ok(kept)
    }
}

async fn look(client: &EvmClient, there: Deployment) -> anyhow::Result<()> {
    let chain = there.chain;
    let contracts = [
        ("Escrow", there.escrow),
        ("Settler", there.settler),
        ("AttesterRegistry", there.registry),
        ("DepositFactory", there.deposit_factory),
    ];
    for (name, address) in contracts {
        match client.code(address).await {
            Ok(code) if code.is_empty() => bail!(
                "no contract lies at {address} on chain {chain}, where deployments/{chain}.json says that {name} is: deploy \
                 the contracts with `causeway deploy --chain {chain}`, or put the right record there"
            ),
            Ok(_) => {}
            Err(error) => {
                tracing::warn!(%chain, %error, "the contracts could not be looked at; the record is believed");
                return Ok(());
            }
        }
    }
    Ok(())
}

async fn look_on_solana(rpc: &SolanaRpc, program: EscrowProgram) -> anyhow::Result<()> {
    match find_program(rpc, program).await {
        Ok(Some(_)) => Ok(()),
        Ok(None) => bail!(
            "the program at {} on Solana has not begun: run `causeway deploy --chain {}`",
            program.id,
            causeway_domain::SOLANA_CHAIN_ID
        ),
        Err(DeployError::Chain(error)) => {
            tracing::warn!(%error, "the program on Solana could not be looked at; the record is believed");
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}
