use causeway_domain::{Address as AnyAddress, ChainId, SOLANA_CHAIN_ID, TokenId};
use causeway_solana::orders::{CachedMints, MintError};

use super::*;
use crate::sandbox_chain::{USDC, usdc};

#[tokio::test]
async fn rule_20_listed_mints_are_checked_against_the_chain() {
    let sandbox = SandboxChain::start().await;
    let absent = TokenId::from_address(SOLANA_CHAIN_ID, AnyAddress::Solana([7; 32])).unwrap();
    let sol = TokenId::native(SOLANA_CHAIN_ID);
    let elsewhere = TokenId::native(ChainId::new(1).unwrap());
    let mints = CachedMints::new([(usdc(), 6), (absent, 6), (sol, 9), (elsewhere, 18)]);
    assert_eq!(mints.error_for(&usdc()), Some(MintError::NotChecked));
    mints.refresh(&sandbox.rpc).await.unwrap();
    assert_eq!(mints.error_for(&usdc()), None);
    assert_eq!(mints.supported(&usdc()).unwrap().decimals, 6);
    assert_eq!(mints.error_for(&absent), Some(MintError::Missing));
    assert_eq!((mints.error_for(&sol), mints.error_for(&elsewhere)), (None, None));

    let mut mint = sandbox.chain.account(USDC).await.unwrap().unwrap();
    mint.owner = causeway_solana::TOKEN_2022_PROGRAM;
    mint.data.resize(165, 0);
    mint.data.extend([1, 14, 0, 64, 0]);
    mint.data.resize(mint.data.len() + 64, 0);
    mint.lamports *= 2;
    sandbox.chain.set_account(USDC, Some(mint)).await.unwrap();
    sandbox.finalize().await;
    mints.refresh(&sandbox.rpc).await.unwrap();
    assert_eq!(mints.error_for(&usdc()).unwrap().to_string(), "every transfer of it calls another program");
}

#[tokio::test]
async fn rule_14_decimals_that_differ_from_the_catalog_are_refused() {
    let sandbox = SandboxChain::start().await;
    let mints = CachedMints::new([(usdc(), 9)]);
    mints.refresh(&sandbox.rpc).await.unwrap();
    assert_eq!(mints.error_for(&usdc()), Some(MintError::Decimals { on_chain: 6, listed: 9 }));
}
