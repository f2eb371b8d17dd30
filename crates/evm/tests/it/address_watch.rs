use alloy_primitives::{Address as EvmAddress, B256, Bytes, U256, keccak256};
use alloy_sol_types::{SolCall as _, sol};
use causeway_domain::ports::{AddressWatch as _, KnownPayers};
use causeway_domain::{Address, ChainId, RawAmount, TokenId};
use causeway_evm::orders::EvmAddressWatch;
use causeway_evm::{EvmClient, EvmConfig, Receipt};
use serde_json::{Value, json};

use crate::deposit_kit::{DepositFixture, Token, USDC, wallet};
use crate::fake::{Fake, chain, client, error};
use crate::orders_chain::USDT;

sol! {
    struct PaidCall {
        address target;
        bool allowFailure;
        uint256 value;
        bytes callData;
    }
    function aggregate3Value(PaidCall[] calls) payable;
}

fn token(address: EvmAddress) -> TokenId {
    TokenId::from_address(ChainId::new(1).unwrap(), Address::Evm(address)).unwrap()
}

fn owner(n: u64) -> EvmAddress {
    EvmAddress::left_padding_from(&(0xabcd_0000 + n).to_be_bytes())
}

async fn pay(fixture: &DepositFixture, to: EvmAddress, amount: u64) -> Receipt {
    let transfer = Token::transferCall { to, amount: U256::from(amount) }.abi_encode();
    fixture.land(&wallet(0), USDC, U256::ZERO, transfer).await
}

#[tokio::test]
async fn many_balances_are_read_at_one_block_in_query_order() {
    let fixture = DepositFixture::start().await;
    let coins = fixture.land(&wallet(0), owner(3), U256::from(33), vec![]).await;
    let first = pay(&fixture, owner(700), 70).await;
    let second = pay(&fixture, owner(700), 7).await;
    let mut wanted: Vec<(Address, TokenId)> = (0..900)
        .map(|n| (Address::Evm(owner(n)), token(if n % 2 == 0 { USDC } else { EvmAddress::ZERO })))
        .collect();
    wanted.push((Address::Evm(owner(700)), token(USDT)));
    wanted.push((Address::Evm(owner(1)), token(EvmAddress::repeat_byte(0xcc))));
    let nowhere = EvmConfig { multicall: EvmAddress::repeat_byte(0xbb), ..fixture.config() };
    let plain = EvmClient::new(fixture.contracts.chain, nowhere).unwrap();
    for client in [fixture.client.clone(), plain] {
        let watch = EvmAddressWatch::new(client);
        let at = async |block: u64| {
            let held = watch.balances_at(&wanted, block).await.unwrap();
            assert_eq!(held.len(), wanted.len());
            let named = |place: usize| held[place].get().to::<u64>();
            let total: U256 = held.iter().map(|amount: &RawAmount| amount.get()).sum();
            (named(3), named(700), total.to::<u64>())
        };
        assert_eq!(at(coins.block_number).await, (33, 0, 33));
        assert_eq!(at(first.block_number).await, (33, 70, 103));
        assert_eq!(at(second.block_number).await, (33, 77, 110));
        let foreign = (Address::Solana([1; 32]), token(USDC));
        assert!(watch.balances_at(&[foreign], second.block_number).await.is_err());
        assert_eq!(watch.balances_at(&[], second.block_number).await.unwrap(), []);
    }
}

#[tokio::test]
async fn the_newest_transfer_of_a_token_is_found_within_its_range() {
    let fixture = DepositFixture::start().await;
    let watch = EvmAddressWatch::new(fixture.client.clone());
    let (address, hash) =
        (Address::Evm(owner(5)), |receipt: &Receipt| Some(receipt.transaction_hash.to_string()));
    let first = pay(&fixture, owner(5), 70).await;
    let second = pay(&fixture, owner(5), 7).await;
    pay(&fixture, owner(6), 8).await;
    let head = fixture.chain.block_number();
    let found =
        async |token: TokenId, from: u64, to: u64| watch.funding_tx(address, token, from, to).await.unwrap();
    assert_eq!(found(token(USDC), 0, head).await, hash(&second));
    assert_eq!(found(token(USDC), 0, second.block_number - 1).await, hash(&first));
    assert_eq!(found(token(USDC), second.block_number + 1, head).await, None);
    assert_eq!(found(token(USDT), 0, head).await, None);
    assert_eq!(found(token(EvmAddress::ZERO), 0, head).await, None);
    assert_eq!(found(token(USDC), 3, 2).await, None);

    let coins = fixture.land(&wallet(0), owner(5), U256::from(33), vec![]).await;
    let native = token(EvmAddress::ZERO);
    assert_eq!(found(native, 0, coins.block_number).await, hash(&coins));
    assert_eq!(found(native, 0, coins.block_number - 1).await, None);
    assert_ne!(coins.transaction_hash, B256::ZERO);
}

fn known(amount: u64, wallets: &[EvmAddress]) -> KnownPayers {
    let wallets = wallets.iter().copied().map(Address::Evm).collect();
    KnownPayers { wallets, amount: RawAmount::new(U256::from(amount)) }
}

#[tokio::test]
async fn all_payers_of_an_amount_are_found_the_newest_first() {
    let fixture = DepositFixture::start().await;
    let watch = EvmAddressWatch::new(fixture.client.clone());
    let payer = wallet(0).address();
    for (amount, native) in [(70, false), (7, false), (30, true), (3, true)] {
        let to = if native { owner(9) } else { owner(8) };
        if native {
            fixture.land(&wallet(0), to, U256::from(amount), vec![]).await;
        } else {
            pay(&fixture, to, amount).await;
        }
    }
    let head = fixture.chain.block_number();
    let found = async |to: u64, asset: EvmAddress, until: u64, amount: u64| {
        let amount = RawAmount::new(U256::from(amount));
        watch.payers(Address::Evm(owner(to)), token(asset), until, amount).await.unwrap()
    };
    // Who signed and whose balance it was are both named, for each transfer.
    assert_eq!(found(8, USDC, head, 77).await, known(77, &[payer; 4]));
    assert_eq!(found(8, USDC, head, 78).await.amount, RawAmount::new(U256::from(77)), "no more came");
    assert_eq!(found(8, USDT, head, 1).await, known(0, &[]));
    assert_eq!(found(8, EvmAddress::ZERO, head, 1).await, known(0, &[]));
    assert_eq!(found(9, EvmAddress::ZERO, head, 33).await, known(33, &[payer; 2]));
    assert_eq!(found(9, EvmAddress::ZERO, head - 1, 33).await, known(30, &[payer]));
}

#[tokio::test]
async fn coins_that_a_contract_sent_are_nobodys() {
    let fixture = DepositFixture::start().await;
    let watch = EvmAddressWatch::new(fixture.client.clone());
    let (to, coins) = (owner(9), U256::from(33));
    let call = PaidCall { target: to, allowFailure: false, value: coins, callData: Bytes::new() };
    let data = aggregate3ValueCall { calls: vec![call] }.abi_encode();
    let sent = fixture.land(&wallet(0), fixture.config().multicall, coins, data).await;
    assert_eq!(fixture.client.native_balance(to).await.unwrap(), coins);
    let native = token(EvmAddress::ZERO);
    let found =
        watch.payers(Address::Evm(to), native, sent.block_number, RawAmount::new(coins)).await.unwrap();
    assert_eq!(found, known(0, &[]));
}

/// What an endpoint says of one payment of 50 units to `owner(8)`.
#[derive(Clone, Copy)]
struct Said {
    tx: B256,
    /// Of a token: from whose balance it came.
    from: EvmAddress,
    signer: EvmAddress,
}

const HONEST: Said =
    Said { tx: B256::repeat_byte(1), from: EvmAddress::repeat_byte(1), signer: EvmAddress::repeat_byte(1) };

async fn endpoint(said: Said) -> Fake {
    let to = owner(8);
    let log = json!({
        "address": USDC, "topics": [keccak256("Transfer(address,address,uint256)"), said.from.into_word(), to.into_word()],
        "data": Bytes::from(U256::from(50).to_be_bytes_vec()), "blockHash": B256::ZERO, "blockNumber": "0x5",
        "transactionHash": said.tx, "logIndex": "0x3",
    });
    let sent = json!({ "hash": said.tx, "to": to, "value": "0x32", "from": said.signer });
    Fake::start(move |method, params| match method {
        "eth_chainId" => Ok(json!("0x2105")),
        "eth_getLogs" => Ok(json!([log])),
        "eth_getBlockByNumber" if params[0] == "0x5" => Ok(json!({ "transactions": [sent] })),
        "eth_getBlockByNumber" => Ok(json!({ "transactions": [] })),
        _ if params[0] != json!(said.tx) => Ok(Value::Null),
        "eth_getTransactionReceipt" => Ok(json!({ "from": said.signer, "status": "0x1", "logs": [log] })),
        "eth_getTransactionByHash" => Ok(sent.clone()),
        _ => error(-32601, "no such method"),
    })
    .await
}

#[tokio::test]
async fn rule_27_one_endpoint_alone_does_not_say_who_paid() {
    let thief = EvmAddress::repeat_byte(0xbb);
    let (one, other) = (endpoint(HONEST).await, endpoint(HONEST).await);
    let other_signer = endpoint(Said { signer: thief, ..HONEST }).await;
    let other_owner = endpoint(Said { from: thief, ..HONEST }).await;
    let invented = endpoint(Said { tx: B256::repeat_byte(2), from: thief, signer: thief }).await;
    let found = async |asset: EvmAddress, fakes: &[&Fake]| {
        let watch = EvmAddressWatch::new(client(fakes));
        let token = TokenId::from_address(chain(), Address::Evm(asset)).unwrap();
        let amount = RawAmount::new(U256::from(50));
        watch.payers(Address::Evm(owner(8)), token, 5, amount).await.unwrap()
    };
    for (asset, wallets) in [(USDC, vec![HONEST.signer; 2]), (EvmAddress::ZERO, vec![HONEST.signer])] {
        let paid = known(50, &wallets);
        assert_eq!(found(asset, &[&one]).await, paid, "there is no other");
        assert_eq!(found(asset, &[&one, &other]).await, paid);
        assert_eq!(found(asset, &[&other_signer, &one, &other]).await, paid);
        assert_eq!(found(asset, &[&one, &other_signer]).await, known(0, &[]), "they contradict each other");
        // Whoever is asked first for the payments: what it made up is nobody's, and what it hides is found later.
        let doubtful = found(asset, &[&invented, &one, &other]).await;
        assert!(doubtful == known(0, &[]) || doubtful == paid, "{doubtful:?}");
    }
    let doubtful = found(USDC, &[&other_owner, &one, &other]).await;
    assert!(!doubtful.wallets.contains(&Address::Evm(thief)), "{doubtful:?}");
}
