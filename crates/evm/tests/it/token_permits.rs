//! Deposits by an EIP-2612 permit of the token itself, with the payer's signature of the order.

use alloy_primitives::{Address as EvmAddress, Bytes, U256, hex};
use alloy_sol_types::{SolCall as _, sol};
use causeway_domain::ports::{
    DepositBuilder as _, DepositCheckError, DepositError, PermitKind, PermitRequest,
};
use causeway_domain::{DepositMethod, IntentTerms};
use causeway_evm::contracts::{Escrow, Order, TokenPermit};
use causeway_evm::orders::EvmDepositBuilder;
use causeway_evm::{Call, Signer, TokenSignatures, TxRequest};
use serde_json::{Value, json};

use crate::deposit_kit::{DepositFixture, USDC, relayer, wallet};
use crate::orders_chain::USDT;
use crate::wallet::wallet_digest;

sol! {
    interface PermitToken {
        function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s) external;
    }
}

const KIND: PermitKind = PermitKind::TokenPermit;

async fn request(builder: &EvmDepositBuilder, terms: &IntentTerms) -> (Value, Value) {
    let PermitRequest { permit, order, before } = builder.permit(KIND, terms).await.unwrap();
    assert_eq!(before, [], "no allowance is needed");
    (permit, order.unwrap())
}

/// What a wallet submits: the permit's signature, then the order's.
fn signed((permit, order): &(Value, Value), key: &Signer) -> Vec<u8> {
    let sign = |data: &Value| key.sign_digest(&wallet_digest(data)).unwrap().as_bytes();
    [sign(permit), sign(order)].concat()
}

async fn refused(builder: &EvmDepositBuilder, terms: &IntentTerms, signatures: &[u8]) -> String {
    match builder.check_permit(KIND, terms, signatures).await {
        Err(DepositCheckError::Mismatch(why)) => why.0,
        other => panic!("{other:?}"),
    }
}

fn parts(terms: &IntentTerms, signatures: &[u8]) -> TokenPermit {
    TokenPermit {
        value: terms.amount_in,
        deadline: U256::from(terms.open_deadline),
        v: signatures[64],
        r: signatures[..32].try_into().unwrap(),
        s: signatures[32..64].try_into().unwrap(),
    }
}

fn open(terms: &IntentTerms, signatures: &[u8]) -> Vec<u8> {
    let signature = Bytes::copy_from_slice(&signatures[65..]);
    let (order, permit) = (Order::from(terms), parts(terms, signatures));
    Escrow::openWithPermitCall { order, permit, signature }.abi_encode()
}

/// The permit alone, as whoever saw it in the mempool can bring it to the token.
fn front_run(escrow: EvmAddress, terms: &IntentTerms, signatures: &[u8]) -> Vec<u8> {
    let TokenPermit { value, deadline, v, r, s } = parts(terms, signatures);
    let owner = EvmAddress::from_word(terms.user);
    PermitToken::permitCall { owner, spender: escrow, value, deadline, v, r, s }.abi_encode()
}

#[tokio::test]
async fn rule_4_a_permit_of_the_token_opens_its_order_once_and_no_other() {
    let fixture = DepositFixture::start().await;
    let (builder, user, escrow) = (fixture.builder(), wallet(0), fixture.contracts.escrow);
    let terms = fixture.order(&user, USDC, 1_000, "permit").await;
    let data = request(&builder, &terms).await;
    let (permit, order) = &data;
    assert_eq!(permit["domain"]["version"], "2");
    assert_eq!(permit["message"]["spender"], format!("{escrow:#x}"));
    assert_eq!((&permit["message"]["value"], &permit["message"]["nonce"]), (&json!("1000"), &json!("0")));
    assert_eq!(permit["message"]["deadline"], terms.open_deadline.to_string());
    assert_eq!(order["message"].as_object().unwrap().len(), IntentTerms::WORDS);

    let both = signed(&data, &user);
    builder.check_permit(KIND, &terms, &both).await.unwrap();
    // Neither for other terms nor without the order's signature is the permit of use to whoever sees it.
    let other = IntentTerms { recipient: wallet(1).address().into_word(), ..terms };
    assert!(refused(&builder, &other, &both).await.contains("another order was signed"));
    let foreign = [&both[..65], &signed(&data, &wallet(1))[65..]].concat();
    for (terms, signatures) in [(&other, &both), (&terms, &foreign)] {
        let astray = TxRequest { to: escrow, value: U256::ZERO, data: open(terms, signatures).into() };
        assert_eq!(fixture.mined(&relayer(), &astray, 600_000).await.status, 0);
    }

    fixture.land(&relayer(), escrow, U256::ZERO, open(&terms, &both)).await;
    assert_eq!(fixture.allowance(USDC, user.address(), escrow).await, U256::ZERO, "nothing is left to take");
    let again = TxRequest { to: escrow, value: U256::ZERO, data: open(&terms, &both).into() };
    assert_eq!(fixture.mined(&relayer(), &again, 600_000).await.status, 0);
    refused(&builder, &terms, &both).await;
    // The next order of the same wallet has the next nonce.
    let next = fixture.order(&user, USDC, 1_000, "next").await;
    let data = request(&builder, &next).await;
    assert_eq!(data.0["message"]["nonce"], "1");
    builder.check_permit(KIND, &next, &signed(&data, &user)).await.unwrap();
}

#[tokio::test]
async fn rule_4_a_permit_that_somebody_brings_to_the_token_first_does_not_stop_the_opening() {
    let fixture = DepositFixture::start().await;
    let (builder, user, escrow) = (fixture.builder(), wallet(0), fixture.contracts.escrow);
    let terms = fixture.order(&user, USDC, 1_000, "front-run").await;
    let both = signed(&request(&builder, &terms).await, &user);
    fixture.land(&wallet(3), USDC, U256::ZERO, front_run(escrow, &terms, &both)).await;
    assert_eq!(fixture.allowance(USDC, user.address(), escrow).await, U256::from(1_000));
    // Its nonce is used, the allowance is there: the same signatures are taken before and after.
    builder.check_permit(KIND, &terms, &both).await.unwrap();
    fixture.land(&relayer(), escrow, U256::ZERO, open(&terms, &both)).await;

    // Once the allowance is gone, the used permit is worth nothing, and the reason names the nonce.
    let terms = fixture.order(&user, USDC, 1_000, "used").await;
    let both = signed(&request(&builder, &terms).await, &user);
    fixture.land(&wallet(3), USDC, U256::ZERO, front_run(escrow, &terms, &both)).await;
    fixture.approve(&user, USDC, escrow, 999).await;
    assert!(refused(&builder, &terms, &both).await.contains("with its next nonce"));
    // Built again, it is another permit.
    let fresh = signed(&request(&builder, &terms).await, &user);
    builder.check_permit(KIND, &terms, &fresh).await.unwrap();
}

#[tokio::test]
async fn rule_4_a_permit_of_another_key_amount_or_chain_a_short_or_late_one_is_refused_with_a_reason() {
    let fixture = DepositFixture::start().await;
    let (builder, user) = (fixture.builder(), wallet(0));
    let terms = fixture.order(&user, USDC, 1_000, "refusals").await;
    let data = request(&builder, &terms).await;
    let good = signed(&data, &user);
    let foreign = signed(&data, &wallet(1));
    let [mixed_permit, mixed_order] =
        [[&foreign[..65], &good[65..]].concat(), [&good[..65], &foreign[65..]].concat()];
    for (signatures, what) in [(&mixed_permit, "the token's permit"), (&mixed_order, "over the order")] {
        let reason = refused(&builder, &terms, signatures).await;
        assert!(reason.contains(&wallet(1).address().to_string()) && reason.contains(what), "{reason}");
    }
    for short in [&good[..0], &good[..65], &good[..129], &good[65..]] {
        assert!(refused(&builder, &terms, short).await.contains("two signatures of 65 bytes"));
    }
    for (place, path, value) in [
        (0, "/message/value", json!("999")),
        (0, "/message/nonce", json!("1")),
        (0, "/message/deadline", json!("1")),
        (0, "/domain/chainId", json!(10)),
        (0, "/domain/name", json!("USD Coin")),
        (1, "/domain/chainId", json!(10)),
        (1, "/domain/verifyingContract", json!(USDC)),
        (1, "/message/amountOut", json!("1")),
    ] {
        let (mut permit, mut order) = data.clone();
        let changed = if place == 0 { &mut permit } else { &mut order };
        *changed.pointer_mut(path).unwrap() = value;
        let reason = refused(&builder, &terms, &signed(&(permit, order), &user)).await;
        assert!(reason.contains("not the payer's over"), "{path}: {reason}");
    }
    builder.check_permit(KIND, &terms, &good).await.unwrap();
    fixture.chain.increase_time(2_000);
    fixture.chain.mine(1, 0).await.unwrap();
    assert!(refused(&builder, &terms, &good).await.contains("ended at"));
}

#[tokio::test]
async fn a_wallet_contract_verifies_its_own_permit_and_may_change_its_mind() {
    const AGREES: [u8; 15] = hex!("631626ba7e60e01b5f5260205ff300");
    const REFUSES: [u8; 5] = hex!("60205ff300");
    let fixture = DepositFixture::start().await;
    let (builder, user) = (fixture.builder(), wallet(5));
    let terms = fixture.order(&user, USDC, 1_000, "contract").await;
    fixture.chain.set_code(user.address(), AGREES.to_vec().into()).await.unwrap();
    builder.check_permit(KIND, &terms, &[1; 165]).await.unwrap();
    fixture.chain.set_code(user.address(), REFUSES.to_vec().into()).await.unwrap();
    assert!(refused(&builder, &terms, &[1; 165]).await.contains("neither called nor signed"));
}

/// Forwards every call to the token's own code, and takes any permit.
fn taking_any_permit(code: EvmAddress) -> Bytes {
    let head = hex!("5f3560e01c63d505accf14603b57365f5f375f5f365f73");
    let tail = hex!("5af43d5f5f3e6037573d5ffd5b3d5ff35b00");
    [head.as_slice(), code.as_slice(), tail.as_slice()].concat().into()
}

#[tokio::test]
async fn rule_4_permits_are_offered_only_where_the_domain_is_read_and_a_simulation_passed() {
    const ZEROS: [u8; 5] = hex!("60205ff300");
    let fixture = DepositFixture::start().await;
    let (builder, user) = (fixture.builder(), wallet(0));
    let not_offered = async |terms: &IntentTerms| {
        let answer = builder.permit(KIND, terms).await;
        assert!(matches!(answer, Err(DepositError::NotOffered)), "{answer:?}");
    };
    not_offered(&fixture.order(&user, EvmAddress::ZERO, 1_000, "native").await).await;
    not_offered(&fixture.order(&user, USDT, 1_000, "no permits").await).await;
    let methods = async || {
        let read = TokenSignatures::read(&fixture.client, &[USDT, USDC]).await.unwrap();
        let methods = read.iter().map(|token| token.as_ref().map(TokenSignatures::methods));
        methods.collect::<Vec<_>>()
    };
    assert_eq!(methods().await, [None, Some(vec![DepositMethod::Authorization, DepositMethod::Permit])]);
    let terms = fixture.order(&user, USDC, 1_000, "lies").await;
    request(&builder, &terms).await;

    // The domain is right, and everything is permitted to everybody.
    let call = Call::new("eth_getCode", json!([USDC, "latest"]));
    let (code, copy) = (fixture.client.call::<Bytes>(call).await.unwrap(), EvmAddress::repeat_byte(0xc0));
    fixture.chain.set_code(copy, code).await.unwrap();
    fixture.chain.set_code(USDC, taking_any_permit(copy)).await.unwrap();
    not_offered(&terms).await;
    assert_eq!(methods().await, [None, Some(vec![DepositMethod::Authorization])]);
    // Another domain than it claims.
    fixture.chain.set_code(USDC, ZEROS.to_vec().into()).await.unwrap();
    not_offered(&terms).await;
    assert_eq!(methods().await, [None, None]);
    assert!(refused(&builder, &terms, &[1; 130]).await.len() > 10);
}
