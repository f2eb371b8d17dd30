use alloy_primitives::{Address as EvmAddress, Bytes, U256};
use alloy_sol_types::SolCall as _;
use causeway_domain::ports::{
    ChainError, DepositBuilder as _, DepositError, DepositTxStatus, PermitKind, WalletAction,
};
use causeway_domain::{Address, Deployment, IntentTerms};
use causeway_evm::contracts::{AttesterRegistry, DepositFactory};
use causeway_evm::orders::EvmDepositBuilder;
use causeway_evm::{Call, Signer};
use causeway_sandbox::genesis::TAXED_TOKEN;
use serde_json::json;

use crate::deposit_kit::{DepositFixture, Token, USDC, faucet, relayer, steps, wallet};
use crate::orders_chain::{USDT, roles, signer};

const COIN: EvmAddress = EvmAddress::ZERO;

fn deposit_gas(actions: &[WalletAction]) -> Option<u64> {
    let Some(WalletAction::Send { transaction, .. }) = actions.last() else { panic!("{actions:?}") };
    transaction.gas
}

fn reason(answer: Result<Vec<WalletAction>, DepositError>) -> String {
    match answer {
        Err(DepositError::WouldFail(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

async fn refused(builder: &EvmDepositBuilder, terms: &IntentTerms) -> String {
    reason(builder.actions(terms).await)
}

#[tokio::test]
async fn the_native_coin_is_deposited_in_one_step_and_only_once() {
    let fixture = DepositFixture::start().await;
    let (builder, user) = (fixture.builder(), wallet(0));
    assert_eq!(builder.epoch().await.unwrap(), 1);
    assert_eq!(builder.escrow(), fixture.contracts.escrow.into_word());
    assert_eq!(builder.min_grace(), 60);
    let terms = fixture.order(&user, COIN, 1_000, "coin").await;
    let actions = builder.actions(&terms).await.unwrap();
    assert_eq!(steps(&actions), ["switch to 1", "deposit"]);
    let receipt = fixture.execute(&user, &actions).await;
    let seen = builder.check_deposit_tx(&terms, &receipt.transaction_hash.to_string()).await.unwrap();
    assert_eq!(seen, DepositTxStatus::Matches);
    assert!(refused(&builder, &terms).await.contains("made before"));
}

#[tokio::test]
async fn a_token_is_approved_exactly_and_only_if_needed() {
    let fixture = DepositFixture::start().await;
    let (builder, user, escrow) = (fixture.builder(), wallet(0), fixture.contracts.escrow);
    // The token allows overwriting a short allowance.
    fixture.approve(&user, USDC, escrow, 3).await;
    let terms = fixture.order(&user, USDC, 1_000, "first").await;
    let actions = builder.actions(&terms).await.unwrap();
    assert_eq!(steps(&actions), ["switch to 1", &format!("approve 1000 to {escrow}"), "deposit"]);
    assert!(deposit_gas(&actions).is_some(), "simulated together with its approval");
    fixture.execute(&user, &actions).await;
    assert_eq!(fixture.allowance(USDC, user.address(), escrow).await, U256::ZERO);

    fixture.approve(&user, USDC, escrow, 1_000).await;
    let terms = fixture.order(&user, USDC, 1_000, "second").await;
    let actions = builder.actions(&terms).await.unwrap();
    assert_eq!(steps(&actions), ["switch to 1", "deposit"]);
    fixture.execute(&user, &actions).await;
}

#[tokio::test]
async fn a_token_that_requires_a_zero_allowance_first_is_reset() {
    let fixture = DepositFixture::start().await;
    let (builder, user, escrow) = (fixture.builder(), wallet(1), fixture.contracts.escrow);
    let terms = fixture.order(&user, USDT, 5_000, "tether").await;
    let approve = format!("approve 5000 to {escrow}");
    assert_eq!(steps(&builder.actions(&terms).await.unwrap()), ["switch to 1", &approve, "deposit"]);
    fixture.approve(&user, USDT, escrow, 4_999).await;
    let actions = builder.actions(&terms).await.unwrap();
    assert_eq!(steps(&actions), ["switch to 1", "reset", &approve, "deposit"]);
    fixture.execute(&user, &actions).await;
    assert_eq!(fixture.allowance(USDT, user.address(), escrow).await, U256::ZERO);
}

#[tokio::test]
async fn a_payer_with_too_little_gets_the_missing_amount() {
    let fixture = DepositFixture::start().await;
    let (builder, user) = (fixture.builder(), wallet(2));
    let rich = IntentTerms { amount_in: U256::MAX, ..fixture.order(&user, USDC, 1, "rich").await };
    let answer = builder.actions(&rich).await;
    assert!(
        matches!(answer, Err(DepositError::Balance { needs, .. }) if needs.get() == U256::MAX),
        "{answer:?}"
    );
    let rich = IntentTerms { input_token: COIN.into_word(), ..rich };
    assert!(matches!(builder.actions(&rich).await, Err(DepositError::Balance { .. })));
    // Depositing all coins leaves none for gas.
    let coins = fixture.client.native_balance(user.address()).await.unwrap();
    let all = IntentTerms { amount_in: coins, ..rich };
    let answer = builder.actions(&all).await;
    assert!(
        matches!(answer, Err(DepositError::Gas { has, needs }) if has.get() == coins && needs.get() > coins)
    );

    let poor = Signer::from_bytes(&[77; 32]).unwrap();
    let mint = Token::mintCall { to: poor.address(), amount: U256::from(1_000) }.abi_encode();
    fixture.land(&faucet(), USDC, U256::ZERO, mint).await;
    let terms = fixture.order(&poor, USDC, 1_000, "poor").await;
    let answer = builder.actions(&terms).await;
    assert!(matches!(answer, Err(DepositError::Gas { has, .. }) if has.is_zero()), "{answer:?}");
    // A permit costs no gas once Permit2 may take the token, and this one may not yet.
    assert!(matches!(builder.permit(PermitKind::Permit2, &terms).await, Err(DepositError::Gas { .. })));
}

#[tokio::test]
async fn deposits_that_would_fail_are_rejected_with_a_reason() {
    let fixture = DepositFixture::start().await;
    let (builder, user) = (fixture.builder(), wallet(3));
    let terms = fixture.order(&user, USDC, 1_000, "reason").await;
    let taxed =
        IntentTerms { input_token: TAXED_TOKEN.into_word(), amount_in: U256::from(1_000_000), ..terms };
    assert!(refused(&builder, &taxed).await.contains("transfer fee"));
    let missing = IntentTerms { input_token: EvmAddress::repeat_byte(0xcc).into_word(), ..terms };
    assert!(refused(&builder, &missing).await.contains("no token"));
    assert!(refused(&builder, &IntentTerms { epoch: 2, ..terms }).await.contains("attesters have changed"));
    assert!(
        refused(&builder, &IntentTerms { refund_at: terms.fill_deadline, ..terms })
            .await
            .contains("deadlines")
    );
    assert!(refused(&builder, &IntentTerms { origin_chain_id: 10, ..terms }).await.contains("chain 10"));
    let elsewhere = IntentTerms { escrow: terms.user, ..terms };
    assert!(refused(&builder, &elsewhere).await.contains("another escrow"));

    let tether = IntentTerms { input_token: USDT.into_word(), ..terms };
    assert!(builder.actions(&tether).await.is_ok());
    let block_holder = Token::addBlackListCall { holder: user.address() }.abi_encode();
    fixture.land(&faucet(), USDT, U256::ZERO, block_holder).await;
    assert!(refused(&builder, &tether).await.contains("refuses to move"));
    let other = fixture.order(&wallet(4), USDT, 1_000, "paused").await;
    assert!(builder.actions(&other).await.is_ok());
    fixture.land(&faucet(), USDT, U256::ZERO, Token::pauseCall {}.abi_encode()).await;
    assert!(refused(&builder, &other).await.contains("refuses to move"));

    // Attesters hold no coins of their own.
    let attester = signer(&roles().attesters[0]);
    fixture.land(&faucet(), attester.address(), U256::from(10_u64.pow(18)), vec![]).await;
    fixture
        .land(
            &attester,
            fixture.contracts.registry,
            U256::ZERO,
            AttesterRegistry::pauseOpenCall {}.abi_encode(),
        )
        .await;
    let answer = refused(&builder, &terms).await;
    assert!(answer.contains("paused new deposits") && answer.contains('Z'), "{answer}");
}

#[tokio::test]
async fn the_epoch_is_read_again_after_the_chain_contradicts_it() {
    // The escrow's first word: the newest epoch in the lowest 64 bits, then since when, and no pause.
    let second_epoch = U256::from(2);
    let fixture = DepositFixture::start().await;
    let (builder, user) = (fixture.builder(), wallet(0));
    let terms = fixture.order(&user, COIN, 1_000, "handover").await;
    assert_eq!(builder.epoch().await.unwrap(), 1);
    fixture.chain.set_storage(fixture.contracts.escrow, U256::ZERO, second_epoch).await.unwrap();
    assert_eq!(builder.epoch().await.unwrap(), 1, "cached");
    assert!(refused(&builder, &terms).await.contains("attesters have changed"));
    assert_eq!(builder.epoch().await.unwrap(), 2);
    assert!(builder.actions(&IntentTerms { epoch: 2, ..terms }).await.is_ok());
}

#[tokio::test]
async fn a_node_without_state_overrides_is_checked_in_parts_and_rejects_alike() {
    let fixture = DepositFixture::start().await;
    fixture.disable_state_overrides();
    let (builder, user) = (fixture.builder(), wallet(3));
    let terms = fixture.order(&user, USDC, 1_000, "parts").await;
    let actions = builder.actions(&terms).await.unwrap();
    assert_eq!(steps(&actions).len(), 3);
    assert_eq!(deposit_gas(&actions), None);
    assert!(
        refused(&builder, &IntentTerms { refund_at: terms.fill_deadline, ..terms })
            .await
            .contains("deadlines")
    );
    let late = IntentTerms { open_deadline: fixture.time().await - 1, ..terms };
    assert!(refused(&builder, &late).await.contains("ended at"));
    fixture.land(&faucet(), USDT, U256::ZERO, Token::pauseCall {}.abi_encode()).await;
    let tether = IntentTerms { input_token: USDT.into_word(), ..terms };
    assert!(refused(&builder, &tether).await.contains("the token refuses the transfer"));
}

#[tokio::test]
async fn deposit_addresses_match_the_factory_and_need_working_refunds() {
    let fixture = DepositFixture::start().await;
    let intent = fixture.order(&wallet(0), USDC, 1_000, "address").await.id();
    let data = Bytes::from(DepositFactory::addressOfCall { id: intent }.abi_encode());
    let call =
        Call::new("eth_call", json!([{ "to": fixture.contracts.deposit_factory, "data": data }, "latest"]));
    let answer: Bytes = fixture.client.call(call).await.unwrap();
    let expected = DepositFactory::addressOfCall::abi_decode_returns(&answer).unwrap();
    assert_eq!(fixture.builder().address_for(intent), Some(Address::Evm(expected)));
    let without = Deployment { transfers: false, ..fixture.contracts.clone() };
    assert_eq!(EvmDepositBuilder::new(fixture.client.clone(), without, expected).address_for(intent), None);
}

#[tokio::test]
async fn an_unreachable_chain_is_not_a_rejection() {
    let fixture = DepositFixture::start().await;
    let terms = fixture.order(&wallet(0), COIN, 1_000, "away").await;
    let unreachable = causeway_evm::EvmConfig::new(["http://127.0.0.1:9/".parse().unwrap()]);
    let client = causeway_evm::EvmClient::new(fixture.contracts.chain, unreachable).unwrap();
    let builder = EvmDepositBuilder::new(client, fixture.contracts.clone(), relayer().address());
    let answer = builder.actions(&terms).await;
    assert!(matches!(answer, Err(DepositError::Chain(ChainError::Unavailable(_)))), "{answer:?}");
}
