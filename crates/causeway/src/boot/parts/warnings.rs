use std::sync::Arc;

use causeway_domain::{Address, Deployment, SolanaDeployment};
use causeway_engine::{WarningParts, Warnings};

use crate::boot::parts::app_context::AppContext;
use crate::boot::parts::deployments::Deployments;
use crate::boot::parts::orders::Orders;

/// The warnings of quotes and builds.
pub(crate) fn warnings(context: &AppContext<'_>, orders: &Orders) -> Warnings {
    Warnings::new(WarningParts {
        catalog: Arc::clone(context.catalog),
        prices: Arc::clone(&context.market.prices),
        deposit_builders: orders.deposit_builders.clone(),
        contracts: contracts(context.deployments),
    })
}

/// Our contracts on all chains.
fn contracts(deployments: &Deployments) -> Vec<Address> {
    let evm = deployments.evm.iter().flat_map(|there: &Deployment| {
        let hub = there.hub.iter().flat_map(|hub| [hub.intent_book, hub.vault_factory]);
        [there.escrow, there.settler, there.registry, there.deposit_factory].into_iter().chain(hub)
    });
    let solana = deployments.solana.iter().map(|there: &SolanaDeployment| Address::Solana(there.program.0));
    let mut contracts: Vec<Address> = evm.map(Address::Evm).chain(solana).collect();
    contracts.sort_unstable();
    contracts.dedup();
    contracts
}
