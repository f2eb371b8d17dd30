//! The desk and the watch over the sandbox's chain.

mod bringing;
mod building;
mod deploying;
mod mints;
mod refusing;
mod watching;

use causeway_domain::Terms;
use causeway_domain::ports::{DepositDesk as _, WalletAction};
use causeway_solana::orders::SolanaDesk;
use solana_keypair::Keypair;
use solana_signer::Signer as _;

use crate::play::PlayChain;

fn desk(play: &PlayChain) -> SolanaDesk {
    SolanaDesk::new(play.rpc.clone(), &play.deployment)
}

/// The transaction that the payer is given.
async fn built(desk: &SolanaDesk, terms: &Terms) -> Vec<u8> {
    let actions = desk.actions(terms).await.unwrap();
    let [WalletAction::SignSolana { transaction }] = &actions[..] else { panic!("{actions:?}") };
    transaction.clone()
}

/// The same with the one signature in its place.
fn signed(wire: &[u8], key: &Keypair) -> Vec<u8> {
    [&wire[..1], key.sign_message(&wire[65..]).as_ref(), &wire[65..]].concat()
}
