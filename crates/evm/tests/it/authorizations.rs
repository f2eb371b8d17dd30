//! Deposits by an EIP-3009 authorization of the token itself.

use alloy_primitives::{Address as EvmAddress, Bytes, Signature, U256, hex};
use alloy_sol_types::SolCall as _;
use causeway_domain::IntentTerms;
use causeway_domain::ports::{
    DepositBuilder as _, DepositCheckError, DepositError, PermitKind, PermitRequest,
};
use causeway_evm::contracts::{Escrow, Order};
use causeway_evm::orders::EvmDepositBuilder;
use causeway_evm::{Signer, TxRequest};

use crate::deposit_kit::{DepositFixture, USDC, relayer, wallet};
use crate::wallet::wallet_digest;

const KIND: PermitKind = PermitKind::Authorization;

async fn signed(builder: &EvmDepositBuilder, terms: &IntentTerms, key: &Signer) -> Signature {
    let PermitRequest { permit: typed, before, .. } = builder.permit(KIND, terms).await.unwrap();
    assert_eq!(before, [], "no allowance is needed");
    key.sign_digest(&wallet_digest(&typed)).unwrap()
}

async fn refused(builder: &EvmDepositBuilder, terms: &IntentTerms, signature: &[u8]) -> String {
    match builder.check_permit(KIND, terms, signature).await {
        Err(DepositCheckError::Mismatch(why)) => why.0,
        other => panic!("{other:?}"),
    }
}

fn open(terms: &IntentTerms, signature: &[u8]) -> Vec<u8> {
    let signature = Bytes::copy_from_slice(signature);
    Escrow::openWithAuthorizationCall { order: Order::from(terms), signature }.abi_encode()
}

#[tokio::test]
async fn rule_4_an_authorization_opens_its_order_once_and_no_other() {
    let fixture = DepositFixture::start().await;
    let (builder, user, escrow) = (fixture.builder(), wallet(0), fixture.contracts.escrow);
    let terms = fixture.order(&user, USDC, 1_000, "authorization").await;
    let PermitRequest { permit: typed, .. } = builder.permit(KIND, &terms).await.unwrap();
    assert_eq!(typed["domain"]["name"], "USDC");
    assert_eq!(typed["domain"]["version"], "2");
    assert_eq!(typed["message"]["nonce"], terms.id().to_string());
    assert_eq!(typed["message"]["to"], format!("{escrow:#x}"));

    let signature = signed(&builder, &terms, &user).await.as_bytes();
    builder.check_permit(KIND, &terms, &signature).await.unwrap();
    // Whoever watches the mempool can bring it neither to the token nor to the escrow for other terms.
    let other = IntentTerms { recipient: wallet(1).address().into_word(), ..terms };
    assert!(refused(&builder, &other, &signature).await.contains("another order was signed"));
    let astray = TxRequest { to: escrow, value: U256::ZERO, data: open(&other, &signature).into() };
    assert_eq!(fixture.mined(&relayer(), &astray, 600_000).await.status, 0);

    fixture.land(&relayer(), escrow, U256::ZERO, open(&terms, &signature)).await;
    assert!(refused(&builder, &terms, &signature).await.contains("made before"));
    let again = TxRequest { to: escrow, value: U256::ZERO, data: open(&terms, &signature).into() };
    assert_eq!(fixture.mined(&relayer(), &again, 600_000).await.status, 0);
}

#[tokio::test]
async fn rule_4_an_authorization_of_another_key_a_short_or_late_one_is_refused_with_a_reason() {
    let fixture = DepositFixture::start().await;
    let (builder, user) = (fixture.builder(), wallet(0));
    let terms = fixture.order(&user, USDC, 1_000, "refusals").await;
    let good = signed(&builder, &terms, &user).await;
    let foreign = signed(&builder, &terms, &wallet(1)).await.as_bytes();
    assert!(refused(&builder, &terms, &foreign).await.contains(&wallet(1).address().to_string()));
    assert!(refused(&builder, &terms, &good.as_erc2098()).await.contains("65 bytes"));
    builder.check_permit(KIND, &terms, &good.as_bytes()).await.unwrap();
    fixture.chain.increase_time(2_000);
    fixture.chain.mine(1, 0).await.unwrap();
    assert!(refused(&builder, &terms, &good.as_bytes()).await.contains("ended at"));
}

#[tokio::test]
async fn a_wallet_contract_verifies_its_own_authorization() {
    const AGREES: [u8; 15] = hex!("631626ba7e60e01b5f5260205ff300");
    const REFUSES: [u8; 5] = hex!("60205ff300");
    let fixture = DepositFixture::start().await;
    let (builder, user) = (fixture.builder(), wallet(5));
    let terms = fixture.order(&user, USDC, 1_000, "contract").await;
    fixture.chain.set_code(user.address(), AGREES.to_vec().into()).await.unwrap();
    builder.check_permit(KIND, &terms, &[1; 100]).await.unwrap();
    fixture.chain.set_code(user.address(), REFUSES.to_vec().into()).await.unwrap();
    refused(&builder, &terms, &[1; 100]).await;
}

#[tokio::test]
async fn rule_4_authorizations_are_offered_only_where_the_tokens_domain_is_read_from_the_chain() {
    // Every call answers 32 zero bytes: a token that says yes to everything and has another domain than it claims.
    const ZEROS: [u8; 5] = hex!("60205ff300");
    let fixture = DepositFixture::start().await;
    let (builder, user) = (fixture.builder(), wallet(0));
    let native = fixture.order(&user, EvmAddress::ZERO, 1_000, "native").await;
    assert!(matches!(builder.permit(KIND, &native).await, Err(DepositError::NotOffered)));
    let terms = fixture.order(&user, USDC, 1_000, "lies").await;
    builder.permit(KIND, &terms).await.unwrap();
    fixture.chain.set_code(USDC, ZEROS.to_vec().into()).await.unwrap();
    assert!(matches!(builder.permit(KIND, &terms).await, Err(DepositError::NotOffered)));
    assert!(refused(&builder, &terms, &[1; 65]).await.contains("not taken for this token"));
}
