use solana_account::Account;

use super::*;
use crate::solana::genesis::rent_minimum;

/// As npm's ed25519-hd-key and @solana/web3.js derive them.
const ADDRESSES: [&str; 10] = [
    "oeYf6KAJkLYhBuR8CiGc6L4D4Xtfepr85fuDgA9kq96",
    "AqynRZwvVqUPRwRJXvm6odUb3t93fDjnWe3p6BeuUFxD",
    "CqMbRgMuEhQi9BUS8xP44Wk5nENm48FqJnfjEi4eNb1k",
    "9Tj3srBSxH7RFRCm8uharreY7ZBS49XSfpwCeYa7Xaqp",
    "6gYw7q94fJdEwL8WkT1a6LHBdTMbix1aciALwEWPx3Wp",
    "7EeV8eiRuGoR8bFHCjdCRGQd1RM5sR2dAkdiTEtC9ko7",
    "F9fVg2LeE2RhM6CfNn888hbjqovZDEWY3vm2hEkvX3Nh",
    "26roUwgM5T6bccX41hakjiW4fDiKFSao1RyoFsAxr6e6",
    "5mCGtMUD21HEvWJxKGKS6HEAH7ezzy12MWGs4bPgcJwV",
    "2yaW8VAMLhQiornz1BgcSWDUSH2jC2dmB8RWnTJi8Yab",
];

#[test]
fn test_wallets_derive_from_the_test_phrase() {
    let addresses: Vec<_> = test_wallets().iter().map(|wallet| wallet.pubkey().to_string()).collect();
    assert_eq!(addresses, ADDRESSES);
}

#[tokio::test]
async fn genesis_computes_rent_as_the_vm_does() {
    let fixture = ChainFixture::new();
    for length in [0, 82, 165, 170, 10_000] {
        let minimum = fixture.get("getMinimumBalanceForRentExemption", json!([length])).await;
        assert_eq!(minimum, rent_minimum(length));
    }
}

#[tokio::test]
async fn genesis_accounts_are_created() {
    let address = Address::new_unique();
    let account = Account { lamports: 77, data: vec![1, 2], owner: MEMO, executable: false, rent_epoch: 0 };
    let mut genesis = test_genesis();
    genesis.add_account(address, account.clone());
    let chain = SolanaChain::open(manual_config(), genesis).unwrap();
    assert_eq!(chain.account(address).await.unwrap(), Some(account));
}

#[test]
fn tokens_need_their_mint() {
    let mut genesis = Genesis::new().unwrap();
    let error = genesis.add_tokens(Address::new_unique(), USDC, 1).unwrap_err();
    assert!(error.to_string().contains("add its mint first"), "{error}");
    genesis.add_mint(USDC, &MintSpec { supply: u64::MAX, ..MintSpec::default() });
    let error = genesis.add_tokens(Address::new_unique(), USDC, 1).unwrap_err();
    assert!(error.to_string().contains("no room"), "{error}");
}

#[tokio::test]
async fn standard_programs_are_present() {
    let fixture = ChainFixture::new();
    for program in [TOKEN, TOKEN_2022, ASSOCIATED_TOKEN, MEMO] {
        assert!(
            fixture.chain.account(program).await.unwrap().is_some_and(|account| account.executable),
            "{program}"
        );
    }
    let budget = "ComputeBudget111111111111111111111111111111".parse().unwrap();
    assert!(fixture.chain.account(budget).await.unwrap().is_some());
}
