//! The deposit builder and the address watch on the sandbox chain.

mod broadcasting;
mod building;
mod checking_signed;
mod deploying;
mod mints;
mod watching;

use causeway_domain::IntentTerms;
use causeway_domain::ports::{DepositBuilder as _, WalletAction};
use causeway_solana::orders::SolanaDepositBuilder;
use solana_keypair::Keypair;
use solana_signer::Signer as _;

use crate::sandbox_chain::SandboxChain;

fn builder(sandbox: &SandboxChain) -> SolanaDepositBuilder {
    SolanaDepositBuilder::new(sandbox.rpc.clone(), &sandbox.deployment)
}

/// The transaction that the payer gets.
async fn built(builder: &SolanaDepositBuilder, terms: &IntentTerms) -> Vec<u8> {
    let actions = builder.actions(terms).await.unwrap();
    let [WalletAction::SignSolana { transaction }] = &actions[..] else { panic!("{actions:?}") };
    transaction.clone()
}

/// The same with the one signature in its place.
fn signed(wire: &[u8], key: &Keypair) -> Vec<u8> {
    [&wire[..1], key.sign_message(&wire[65..]).as_ref(), &wire[65..]].concat()
}
