use alloy_primitives::{Address as EvmAddress, Bytes, Signature, U256, hex};
use alloy_sol_types::SolCall as _;
use causeway_domain::ports::{
    DepositBuilder as _, DepositCheckError, DepositError, PermitKind, PermitRequest,
};
use causeway_domain::{Deployment, IntentTerms};
use causeway_evm::contracts::{Escrow, gasless_envelope};
use causeway_evm::orders::EvmDepositBuilder;
use causeway_evm::{Signer, TxRequest};
use causeway_sandbox::genesis::permit2_address;

use crate::deposit_kit::{DepositFixture, USDC, relayer, steps, wallet};
use crate::orders_chain::USDT;
use crate::wallet::wallet_digest;

/// The order of secp256k1.
const ORDER: [u8; 32] = hex!("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141");

async fn signed(builder: &EvmDepositBuilder, terms: &IntentTerms, key: &Signer) -> Signature {
    let PermitRequest { permit: typed, .. } = builder.permit(PermitKind::Permit2, terms).await.unwrap();
    key.sign_digest(&wallet_digest(&typed)).unwrap()
}

async fn refused(builder: &EvmDepositBuilder, terms: &IntentTerms, permit: &[u8]) -> String {
    match builder.check_permit(PermitKind::Permit2, terms, permit).await {
        Err(DepositCheckError::Mismatch(why)) => why.0,
        other => panic!("{other:?}"),
    }
}

fn open_for(terms: &IntentTerms, permit: &[u8]) -> Vec<u8> {
    let (order, signature) = (gasless_envelope(terms).unwrap(), Bytes::copy_from_slice(permit));
    Escrow::openForCall { order, signature, originFillerData: Bytes::new() }.abi_encode()
}

#[tokio::test]
async fn a_permit_that_a_wallet_signed_is_accepted_and_opens_the_order() {
    let fixture = DepositFixture::start().await;
    let (builder, user, permit2) = (fixture.builder(), wallet(0), permit2_address(fixture.contracts.chain));
    let terms = fixture.order(&user, USDC, 1_000, "permit").await;
    let PermitRequest { before, .. } = builder.permit(PermitKind::Permit2, &terms).await.unwrap();
    assert_eq!(steps(&before), ["switch to 1", &format!("approve 1000 to {permit2}")]);
    let permit = signed(&builder, &terms, &user).await.as_bytes();
    assert!(refused(&builder, &terms, &permit).await.contains("allow Permit2"));
    fixture.execute(&user, &before).await;
    let PermitRequest { permit: typed, before, .. } =
        builder.permit(PermitKind::Permit2, &terms).await.unwrap();
    assert_eq!(before, []);
    assert_eq!(typed["message"]["witness"].as_object().unwrap().len(), IntentTerms::WORDS);

    builder.check_permit(PermitKind::Permit2, &terms, &permit).await.unwrap();
    let short = signed(&builder, &terms, &user).await.as_erc2098();
    builder.check_permit(PermitKind::Permit2, &terms, &short).await.unwrap();
    fixture.land(&relayer(), fixture.contracts.escrow, U256::ZERO, open_for(&terms, &short)).await;
    assert!(refused(&builder, &terms, &permit).await.contains("made before"));
}

#[tokio::test]
async fn a_token_that_requires_a_zero_allowance_first_is_reset_for_permit2_too() {
    let fixture = DepositFixture::start().await;
    let (builder, user, permit2) = (fixture.builder(), wallet(0), permit2_address(fixture.contracts.chain));
    fixture.approve(&user, USDT, permit2, 999).await;
    let terms = fixture.order(&user, USDT, 1_000, "tether").await;
    let PermitRequest { before, .. } = builder.permit(PermitKind::Permit2, &terms).await.unwrap();
    assert_eq!(steps(&before), ["switch to 1", "reset", &format!("approve 1000 to {permit2}")]);
    fixture.execute(&user, &before).await;
    let permit = signed(&builder, &terms, &user).await.as_bytes();
    builder.check_permit(PermitKind::Permit2, &terms, &permit).await.unwrap();
}

#[tokio::test]
async fn a_permit_by_another_key_over_another_order_with_high_s_or_late_is_rejected_with_a_reason() {
    let fixture = DepositFixture::start().await;
    let (builder, user, permit2) = (fixture.builder(), wallet(0), permit2_address(fixture.contracts.chain));
    fixture.approve(&user, USDC, permit2, 5_000).await;
    let terms = fixture.order(&user, USDC, 1_000, "refusals").await;
    let good = signed(&builder, &terms, &user).await;

    let other_key = wallet(1);
    let foreign = signed(&builder, &terms, &other_key).await.as_bytes();
    let answer = refused(&builder, &terms, &foreign).await;
    assert!(answer.contains(&other_key.address().to_string()), "{answer}");
    let other = IntentTerms { recipient: other_key.address().into_word(), ..terms };
    let astray = signed(&builder, &other, &user).await.as_bytes();
    assert!(refused(&builder, &terms, &astray).await.contains("another order was signed"));
    let mirror = Signature::new(good.r(), U256::from_be_bytes(ORDER) - good.s(), !good.v());
    assert!(refused(&builder, &terms, &mirror.as_bytes()).await.contains("mirror image"));
    let mut bare = good.as_bytes();
    bare[64] -= 27;
    assert!(refused(&builder, &terms, &bare).await.contains("27 or 28"));
    assert!(refused(&builder, &terms, &good.as_bytes()[..63]).await.contains("65 bytes"));
    assert!(refused(&builder, &terms, &[]).await.contains("65 bytes"));
    assert!(refused(&builder, &terms, &[0; 64]).await.contains("signature"));

    builder.check_permit(PermitKind::Permit2, &terms, &good.as_bytes()).await.unwrap();
    fixture.chain.increase_time(2_000);
    fixture.chain.mine(1, 0).await.unwrap();
    assert!(refused(&builder, &terms, &good.as_bytes()).await.contains("ended at"));
    let late = builder.permit(PermitKind::Permit2, &terms).await;
    assert!(matches!(&late, Err(DepositError::WouldFail(text)) if text.contains("ended at")), "{late:?}");
}

#[tokio::test]
async fn a_contract_verifies_its_own_permits() {
    // Returns the magic value of EIP-1271, and zero.
    const AGREES: [u8; 15] = hex!("631626ba7e60e01b5f5260205ff300");
    const REFUSES: [u8; 5] = hex!("60205ff300");
    let fixture = DepositFixture::start().await;
    let (builder, user, permit2) = (fixture.builder(), wallet(5), permit2_address(fixture.contracts.chain));
    fixture.approve(&user, USDC, permit2, 1_000).await;
    let terms = fixture.order(&user, USDC, 1_000, "contract").await;
    fixture.chain.set_code(user.address(), AGREES.to_vec().into()).await.unwrap();
    builder.check_permit(PermitKind::Permit2, &terms, &[1; 100]).await.unwrap();
    fixture.chain.set_code(user.address(), REFUSES.to_vec().into()).await.unwrap();
    assert!(refused(&builder, &terms, &[1; 100]).await.contains("wallet contract does not accept"));
}

/// A loop of about this much gas, before what follows.
fn burning(gas: u32, rest: &[u8]) -> Bytes {
    let rounds = (gas / 26).to_be_bytes();
    [[0x63].as_slice(), rounds.as_slice(), &hex!("5b6001900380600557"), rest].concat().into()
}

#[tokio::test]
async fn rule_25_a_wallet_contract_that_burns_gas_to_verify_its_permit_is_refused() {
    let agrees = hex!("631626ba7e60e01b5f5260205ff300");
    let fixture = DepositFixture::start().await;
    let (builder, user, permit2) = (fixture.builder(), wallet(5), permit2_address(fixture.contracts.chain));
    fixture.approve(&user, USDC, permit2, 1_000).await;
    let terms = fixture.order(&user, USDC, 1_000, "burner").await;
    fixture.chain.set_code(user.address(), burning(50_000, &agrees)).await.unwrap();
    builder.check_permit(PermitKind::Permit2, &terms, &[1; 100]).await.unwrap();
    fixture.chain.set_code(user.address(), burning(600_000, &agrees)).await.unwrap();
    assert!(refused(&builder, &terms, &[1; 100]).await.contains("more than the 246754 that we pay for"));
}

#[tokio::test]
async fn rule_25_a_refund_address_that_burns_gas_or_refuses_is_refused() {
    let fixture = DepositFixture::start().await;
    let (builder, user, refund_to) = (fixture.builder(), wallet(0), EvmAddress::repeat_byte(0xbe));
    let terms = fixture.order(&user, EvmAddress::ZERO, 1_000, "refund").await;
    let terms = IntentTerms { refund_to: refund_to.into_word(), ..terms };
    builder.check_refund(&terms).await.unwrap();
    for (code, is_taken) in [
        (burning(20_000, &[0x00]), true),
        (burning(3_000_000, &[0x00]), false),
        (Bytes::from(hex!("5f5ffd")), false),
    ] {
        fixture.chain.set_code(refund_to, code).await.unwrap();
        let checked = builder.check_refund(&terms).await;
        match checked {
            Ok(()) => assert!(is_taken),
            Err(DepositError::WouldFail(reason)) => {
                assert!(!is_taken && reason.contains("refund"), "{reason}");
            }
            Err(error) => panic!("{error}"),
        }
        let in_token = fixture.order(&user, USDC, 1_000, "token").await;
        let in_token = IntentTerms { refund_to: refund_to.into_word(), ..in_token };
        builder.check_refund(&in_token).await.unwrap();
    }
    fixture.disable_state_overrides();
    fixture.builder().check_refund(&terms).await.unwrap();
}

#[tokio::test]
async fn permits_are_not_offered_for_the_native_coin_or_without_permit2() {
    let fixture = DepositFixture::start().await;
    let (builder, user) = (fixture.builder(), wallet(0));
    let terms = fixture.order(&user, EvmAddress::ZERO, 1_000, "coin").await;
    assert!(matches!(builder.permit(PermitKind::Permit2, &terms).await, Err(DepositError::NotOffered)));
    assert!(refused(&builder, &terms, &[0; 65]).await.contains("not taken"));
    let without = Deployment { permit2: None, ..fixture.contracts.clone() };
    let builder = EvmDepositBuilder::new(fixture.client.clone(), without, relayer().address());
    let terms = fixture.order(&user, USDC, 1_000, "token").await;
    assert!(matches!(builder.permit(PermitKind::Permit2, &terms).await, Err(DepositError::NotOffered)));
    let rich = IntentTerms { amount_in: U256::MAX, ..terms };
    let answer = fixture.builder().permit(PermitKind::Permit2, &rich).await;
    assert!(matches!(answer, Err(DepositError::Balance { .. })), "{answer:?}");
}

#[tokio::test]
async fn a_signed_transaction_is_broadcast_once_and_only_if_it_is_the_deposit() {
    let fixture = DepositFixture::start().await;
    let (builder, user) = (fixture.builder(), wallet(6));
    let terms = fixture.order(&user, EvmAddress::ZERO, 1_000, "signed").await;
    let other = fixture.order(&user, EvmAddress::ZERO, 1_000, "other").await;
    let request = |terms: &IntentTerms| {
        let order = causeway_evm::contracts::onchain_envelope(terms).unwrap();
        let data = Escrow::openCall { order }.abi_encode().into();
        TxRequest { to: fixture.contracts.escrow, value: terms.amount_in, data }
    };
    let refused = async |raw: Bytes| match builder.check_signed(&terms, None, &raw).await {
        Err(DepositCheckError::Mismatch(why)) => why.0,
        answer => panic!("{answer:?}"),
    };
    let good = request(&terms);
    let (hash, raw) = fixture.sign(&user, &good, 300_000).await;
    let changed = [
        (TxRequest { to: user.address(), ..good.clone() }, "instead of the escrow"),
        (TxRequest { value: U256::ONE, ..good.clone() }, "1 wei"),
        (request(&other), "not the deposit of this order"),
    ];
    for (request, text) in changed {
        let answer = refused(fixture.sign(&user, &request, 300_000).await.1).await;
        assert!(answer.contains(text), "{answer}");
    }
    assert!(refused(fixture.sign(&wallet(7), &good, 300_000).await.1).await.contains("instead of the payer"));
    let fees = fixture.client.fees().await.unwrap();
    let abroad = user.sign(causeway_domain::ChainId::new(10).unwrap(), 0, &good, 300_000, fees).unwrap();
    assert!(refused(abroad.raw).await.contains("chain 10"));
    assert!(refused([&raw[..], &[0]].concat().into()).await.contains("too many"));
    assert!(refused(raw.slice(..50)).await.contains("not a signed transaction"));

    assert_eq!(builder.check_signed(&terms, None, &raw).await.unwrap(), hash.to_string());
    fixture.chain.pause();
    builder.broadcast(&raw).await.unwrap();
    builder.broadcast(&raw).await.unwrap();
    fixture.chain.mine(1, 1).await.unwrap();
    assert_eq!(fixture.client.receipts(&[hash]).await.unwrap()[0].as_ref().unwrap().status, 1);
    builder.broadcast(&raw).await.unwrap();
    // Its nonce is taken by the deposit.
    let late = user.sign(fixture.contracts.chain, 0, &request(&other), 300_000, fees).unwrap();
    let answer = builder.broadcast(&late.raw).await.unwrap_err().to_string();
    assert!(answer.contains("nonce"), "{answer}");
}
