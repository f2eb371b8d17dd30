use alloy_primitives::{Address as EvmAddress, Bytes, U256, hex};
use alloy_sol_types::SolCall as _;
use causeway_domain::ports::{ChainError, DepositDesk as _, DepositError, Visible, WalletAction};
use causeway_domain::{Address, Deployment, Terms};
use causeway_evm::contracts::{AttesterRegistry, DepositFactory};
use causeway_evm::orders::EvmDesk;
use causeway_evm::{Call, Signer};
use causeway_sandbox::genesis::TAXED_TOKEN;
use serde_json::json;

use crate::desk_kit::{Payers, Token, USDC, faucet, relayer, steps, wallet};
use crate::orders_chain::{USDT, roles, signer};

const COIN: EvmAddress = EvmAddress::ZERO;

fn deposit_gas(actions: &[WalletAction]) -> Option<u64> {
    let Some(WalletAction::Send { transaction, .. }) = actions.last() else { panic!("{actions:?}") };
    transaction.gas
}

fn words(answer: Result<Vec<WalletAction>, DepositError>) -> String {
    match answer {
        Err(DepositError::WouldFail(words)) => words,
        other => panic!("{other:?}"),
    }
}

async fn refused(desk: &EvmDesk, terms: &Terms) -> String {
    words(desk.actions(terms).await)
}

#[tokio::test]
async fn the_own_coin_is_deposited_in_one_step_and_only_once() {
    let play = Payers::start().await;
    let (desk, user) = (play.desk(), wallet(0));
    assert_eq!(desk.epoch().await.unwrap(), 1);
    assert_eq!(desk.escrow(), play.contracts.escrow.into_word());
    assert_eq!(desk.min_grace(), 60);
    let terms = play.order(&user, COIN, 1_000, "coin").await;
    let actions = desk.actions(&terms).await.unwrap();
    assert_eq!(steps(&actions), ["switch to 1", "deposit"]);
    let receipt = play.obey(&user, &actions).await;
    let seen = desk.look_at(&terms, &receipt.transaction_hash.to_string()).await.unwrap();
    assert_eq!(seen, Visible::ThisDeposit);
    assert!(refused(&desk, &terms).await.contains("made before"));
}

#[tokio::test]
async fn a_token_is_allowed_exactly_and_only_where_it_is_not_already() {
    let play = Payers::start().await;
    let (desk, user, escrow) = (play.desk(), wallet(0), play.contracts.escrow);
    // A short allowance is simply written over where the token lets it.
    play.approve(&user, USDC, escrow, 3).await;
    let terms = play.order(&user, USDC, 1_000, "first").await;
    let actions = desk.actions(&terms).await.unwrap();
    assert_eq!(steps(&actions), ["switch to 1", &format!("approve 1000 to {escrow}"), "deposit"]);
    assert!(deposit_gas(&actions).is_some(), "tried together with its allowance");
    play.obey(&user, &actions).await;
    assert_eq!(play.allowance(USDC, user.address(), escrow).await, U256::ZERO);

    play.approve(&user, USDC, escrow, 1_000).await;
    let terms = play.order(&user, USDC, 1_000, "second").await;
    let actions = desk.actions(&terms).await.unwrap();
    assert_eq!(steps(&actions), ["switch to 1", "deposit"]);
    play.obey(&user, &actions).await;
}

#[tokio::test]
async fn a_token_that_changes_allowances_through_zero_only_is_reset_first() {
    let play = Payers::start().await;
    let (desk, user, escrow) = (play.desk(), wallet(1), play.contracts.escrow);
    let terms = play.order(&user, USDT, 5_000, "tether").await;
    let approve = format!("approve 5000 to {escrow}");
    assert_eq!(steps(&desk.actions(&terms).await.unwrap()), ["switch to 1", &approve, "deposit"]);
    play.approve(&user, USDT, escrow, 4_999).await;
    let actions = desk.actions(&terms).await.unwrap();
    assert_eq!(steps(&actions), ["switch to 1", "reset", &approve, "deposit"]);
    play.obey(&user, &actions).await;
    assert_eq!(play.allowance(USDT, user.address(), escrow).await, U256::ZERO);
}

#[tokio::test]
async fn a_payer_with_too_little_is_told_of_what() {
    let play = Payers::start().await;
    let (desk, user) = (play.desk(), wallet(2));
    let rich = Terms { amount_in: U256::MAX, ..play.order(&user, USDC, 1, "rich").await };
    let answer = desk.actions(&rich).await;
    assert!(
        matches!(answer, Err(DepositError::Balance { needs, .. }) if needs.get() == U256::MAX),
        "{answer:?}"
    );
    let rich = Terms { input_token: COIN.into_word(), ..rich };
    assert!(matches!(desk.actions(&rich).await, Err(DepositError::Balance { .. })));
    // All coins in the deposit leave none for its gas.
    let coins = play.client.native_balance(user.address()).await.unwrap();
    let all = Terms { amount_in: coins, ..rich };
    let answer = desk.actions(&all).await;
    assert!(
        matches!(answer, Err(DepositError::Gas { has, needs }) if has.get() == coins && needs.get() > coins)
    );

    let poor = Signer::from_bytes(&[77; 32]).unwrap();
    let mint = Token::mintCall { to: poor.address(), amount: U256::from(1_000) }.abi_encode();
    play.land(&faucet(), USDC, U256::ZERO, mint).await;
    let terms = play.order(&poor, USDC, 1_000, "poor").await;
    let answer = desk.actions(&terms).await;
    assert!(matches!(answer, Err(DepositError::Gas { has, .. }) if has.is_zero()), "{answer:?}");
    // A permit costs no gas once Permit2 may take the token, and this one may not yet.
    assert!(matches!(desk.permit(&terms).await, Err(DepositError::Gas { .. })));
}

#[tokio::test]
async fn what_the_chain_would_refuse_is_told_in_words_before_anything_is_sent() {
    let play = Payers::start().await;
    let (desk, user) = (play.desk(), wallet(3));
    let terms = play.order(&user, USDC, 1_000, "words").await;
    let taxed = Terms { input_token: TAXED_TOKEN.into_word(), amount_in: U256::from(1_000_000), ..terms };
    assert!(refused(&desk, &taxed).await.contains("keep a part"));
    let nothing = Terms { input_token: EvmAddress::repeat_byte(0xcc).into_word(), ..terms };
    assert!(refused(&desk, &nothing).await.contains("no token"));
    assert!(refused(&desk, &Terms { epoch: 2, ..terms }).await.contains("attesters have changed"));
    assert!(refused(&desk, &Terms { refund_at: terms.fill_deadline, ..terms }).await.contains("deadlines"));
    assert!(refused(&desk, &Terms { origin_chain_id: 10, ..terms }).await.contains("chain 10"));
    let elsewhere = Terms { escrow: terms.user, ..terms };
    assert!(refused(&desk, &elsewhere).await.contains("another escrow"));

    let tether = Terms { input_token: USDT.into_word(), ..terms };
    assert!(desk.actions(&tether).await.is_ok());
    let bar = Token::addBlackListCall { holder: user.address() }.abi_encode();
    play.land(&faucet(), USDT, U256::ZERO, bar).await;
    assert!(refused(&desk, &tether).await.contains("refuses to move"));
    let other = play.order(&wallet(4), USDT, 1_000, "paused").await;
    assert!(desk.actions(&other).await.is_ok());
    play.land(&faucet(), USDT, U256::ZERO, Token::pauseCall {}.abi_encode()).await;
    assert!(refused(&desk, &other).await.contains("refuses to move"));

    // Attesters hold no coins of their own.
    let attester = signer(&roles().attesters[0]);
    play.land(&faucet(), attester.address(), U256::from(10_u64.pow(18)), vec![]).await;
    play.land(
        &attester,
        play.contracts.registry,
        U256::ZERO,
        AttesterRegistry::pauseOpenCall {}.abi_encode(),
    )
    .await;
    let answer = refused(&desk, &terms).await;
    assert!(answer.contains("paused new deposits") && answer.contains('Z'), "{answer}");
}

#[tokio::test]
async fn the_epoch_is_read_again_once_the_chain_contradicts_it() {
    // Answers every question with two and zero: the second epoch, and no pause.
    const SECOND_EPOCH: [u8; 8] = hex!("60025f5260405ff3");
    let play = Payers::start().await;
    let (desk, user) = (play.desk(), wallet(0));
    let terms = play.order(&user, COIN, 1_000, "handover").await;
    assert_eq!(desk.epoch().await.unwrap(), 1);
    play.chain.set_code(play.contracts.registry, Bytes::from_static(&SECOND_EPOCH)).await.unwrap();
    assert_eq!(desk.epoch().await.unwrap(), 1, "believed for a while");
    assert!(refused(&desk, &terms).await.contains("attesters have changed"));
    assert_eq!(desk.epoch().await.unwrap(), 2);
    assert!(desk.actions(&Terms { epoch: 2, ..terms }).await.is_ok());
}

#[tokio::test]
async fn a_node_that_lends_no_code_is_asked_in_parts_and_refuses_alike() {
    let play = Payers::start().await;
    play.forget_overrides();
    let (desk, user) = (play.desk(), wallet(3));
    let terms = play.order(&user, USDC, 1_000, "parts").await;
    let actions = desk.actions(&terms).await.unwrap();
    assert_eq!(steps(&actions).len(), 3);
    assert_eq!(deposit_gas(&actions), None);
    assert!(refused(&desk, &Terms { refund_at: terms.fill_deadline, ..terms }).await.contains("deadlines"));
    let late = Terms { open_deadline: play.time().await - 1, ..terms };
    assert!(refused(&desk, &late).await.contains("ended at"));
    play.land(&faucet(), USDT, U256::ZERO, Token::pauseCall {}.abi_encode()).await;
    let tether = Terms { input_token: USDT.into_word(), ..terms };
    assert!(refused(&desk, &tether).await.contains("the token refuses the transfer"));
}

#[tokio::test]
async fn transfers_go_where_the_factory_says_and_only_where_they_come_back() {
    let play = Payers::start().await;
    let intent = play.order(&wallet(0), USDC, 1_000, "address").await.id();
    let data = Bytes::from(DepositFactory::addressOfCall { id: intent }.abi_encode());
    let call =
        Call::new("eth_call", json!([{ "to": play.contracts.deposit_factory, "data": data }, "latest"]));
    let answer: Bytes = play.client.call(call).await.unwrap();
    let expected = DepositFactory::addressOfCall::abi_decode_returns(&answer).unwrap();
    assert_eq!(play.desk().address_for(intent), Some(Address::Evm(expected)));
    let without = Deployment { transfers: false, ..play.contracts.clone() };
    assert_eq!(EvmDesk::new(play.client.clone(), without, expected).address_for(intent), None);
}

#[tokio::test]
async fn a_chain_that_is_away_is_no_refusal() {
    let play = Payers::start().await;
    let terms = play.order(&wallet(0), COIN, 1_000, "away").await;
    let nobody = causeway_evm::EvmConfig::new(["http://127.0.0.1:9/".parse().unwrap()]);
    let client = causeway_evm::EvmClient::new(play.contracts.chain, nobody).unwrap();
    let desk = EvmDesk::new(client, play.contracts.clone(), relayer().address());
    let answer = desk.actions(&terms).await;
    assert!(matches!(answer, Err(DepositError::Chain(ChainError::Unavailable(_)))), "{answer:?}");
}
