use alloy_primitives::{Address, address, b256};

use super::*;

#[test]
fn the_wallets_are_the_standard_ten() {
    let expected: [Address; 10] = [
        address!("f39Fd6e51aad88F6F4ce6aB8827279cffFb92266"),
        address!("70997970C51812dc3A010C7d01b50e0d17dc79C8"),
        address!("3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"),
        address!("90F79bf6EB2c4f870365E785982E1f101E93b906"),
        address!("15d34AAf54267DB7D7c367839AAf71A00a2C6A65"),
        address!("9965507D1a55bcC2695C58ba16FB37d819B0A4dc"),
        address!("976EA74026E726554dB657fA54763abd0C3a0aa9"),
        address!("14dC79964da2C08b23698B3D3cc7Ca32193d9955"),
        address!("23618e81E3f5cdF7f54C3d65f7FBc0aBf5B21E8f"),
        address!("a0Ee7A142d267C1f36714E4a8F75612F20a79720"),
    ];
    assert_eq!(GENESIS.wallets().iter().map(|wallet| wallet.address).collect::<Vec<_>>(), expected);
    assert_eq!(
        GENESIS.wallets()[0].key,
        b256!("ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80")
    );
}

#[test]
fn every_wallet_has_ten_thousand_coins_on_every_chain() {
    for id in CHAINS {
        let mut machine = Machine::new(id, GENESIS.accounts(chain(id), &[], FAUCET).unwrap());
        for wallet in GENESIS.wallets() {
            let account = machine.account(wallet.address);
            assert_eq!((account.balance, account.nonce), (whole(10_000, 18), 0));
        }
    }
}
