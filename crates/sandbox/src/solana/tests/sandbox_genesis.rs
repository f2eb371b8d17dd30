use causeway_domain::Address as AnyAddress;
use spl_associated_token_account_interface::address::get_associated_token_address_with_program_id;

use super::*;
use crate::TokenSpec;
use crate::genesis::{Roles, is_test_key};

fn tokens() -> Vec<TokenSpec> {
    let token = |mint: Address, symbol: &str, decimals, is_wrapped_native, price: &str| TokenSpec {
        address: AnyAddress::Solana(mint.to_bytes()),
        symbol: symbol.to_owned(),
        name: symbol.to_owned(),
        decimals,
        is_wrapped_native,
        usd_price: price.parse().ok(),
    };
    vec![token(USDC, "USDC", 6, false, "1"), token(NATIVE_MINT, "WSOL", 9, true, "200")]
}

async fn held(chain: &SolanaChain, owner: [u8; 32], mint: Address) -> u64 {
    let account = get_associated_token_address_with_program_id(&owner.into(), &mint, &TOKEN);
    let answer = chain.call("getTokenAccountBalance", json!([account.to_string()])).await.unwrap();
    answer["value"]["amount"].as_str().unwrap().parse().unwrap()
}

#[tokio::test]
async fn genesis_holds_the_program_and_its_roles() {
    let roles = Roles::new().unwrap();
    let chain = SolanaChain::open(manual_config(), sandbox_genesis(&tokens(), &roles).unwrap()).unwrap();
    assert!(chain.account(ESCROW_PROGRAM).await.unwrap().unwrap().executable);
    for filler in &roles.fillers {
        assert_eq!(held(&chain, filler.solana_hot.address, USDC).await, 5_000_000_000_000);
        assert_eq!(held(&chain, filler.solana_hot.address, NATIVE_MINT).await, 25_000 * SOL);
        assert_eq!(held(&chain, filler.solana_payee.address, USDC).await, 0);
        assert_eq!(held(&chain, filler.solana_payee.address, NATIVE_MINT).await, 0);
    }
    assert_eq!(held(&chain, roles.solana_ramps.address, USDC).await, 5_000_000_000_000);
    let senders = [roles.solana_deployer, roles.solana_relayer, roles.solana_ramps].map(|role| role.address);
    for sender in senders.into_iter().chain(roles.fillers.map(|filler| filler.solana_hot.address)) {
        assert_eq!(chain.account(sender.into()).await.unwrap().unwrap().lamports, 100_000 * SOL);
    }
    assert!(is_test_key(&roles.solana_relayer.seed), "its use is refused in production");
}

#[tokio::test]
async fn existing_chain_gets_the_program_and_its_upgrades() {
    let folder = tempfile::tempdir().unwrap();
    let config = || SolanaConfig { data_dir: Some(folder.path().to_owned()), ..manual_config() };
    let fixture = ChainFixture::with(config());
    let paid = fixture.pay(SOL).await;
    fixture.pass(1).await;
    fixture.chain.stop().await.unwrap();

    let roles = Roles::new().unwrap();
    let genesis = sandbox_genesis(&tokens(), &roles).unwrap();
    let chain = SolanaChain::open(config(), genesis.clone()).unwrap();
    let (code, _) = Address::find_program_address(
        &[ESCROW_PROGRAM.as_ref()],
        &Address::from_str_const("BPFLoaderUpgradeab1e11111111111111111111111"),
    );
    let first = chain.account(code).await.unwrap().unwrap();
    let status = chain.call("getSignatureStatuses", json!([[paid]])).await.unwrap();
    assert_eq!(status["value"][0]["confirmationStatus"], "finalized", "earlier transactions are kept");
    assert_eq!(held(&chain, roles.fillers[0].solana_hot.address, USDC).await, 5_000_000_000_000);
    chain.stop().await.unwrap();

    let mut newer = genesis;
    let longer = [first.data.get(45..).unwrap(), &[0; 8]].concat();
    newer.add_program(ESCROW_PROGRAM, &longer, None);
    let chain = SolanaChain::open(config(), newer).unwrap();
    assert_eq!(chain.account(code).await.unwrap().unwrap().data.len(), first.data.len() + 8);
}
