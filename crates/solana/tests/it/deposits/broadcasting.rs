use alloy_primitives::B256;
use causeway_domain::IntentTerms;
use causeway_domain::ports::{BroadcastError, DepositBuilder as _, DepositTxStatus};
use causeway_sandbox::solana::Account;
use solana_instruction::{AccountMeta, Instruction};
use solana_signer::Signer as _;

use super::*;
use crate::sandbox_chain::{USDC, user};

fn name(raw: &[u8]) -> String {
    solana_signature::Signature::try_from(&raw[1..65]).unwrap().to_string()
}

#[tokio::test]
async fn deposit_is_recognised_by_its_signature_once_confirmed() {
    let sandbox = SandboxChain::start().await;
    let builder = builder(&sandbox);
    let terms = sandbox.terms(Some(USDC)).await;
    let raw = signed(&built(&builder, &terms).await, &user());
    assert_eq!(builder.check_deposit_tx(&terms, &name(&raw)).await.unwrap(), DepositTxStatus::NotFound);
    builder.broadcast(&raw).await.unwrap();
    sandbox.finalize().await;
    assert_eq!(builder.check_deposit_tx(&terms, &name(&raw)).await.unwrap(), DepositTxStatus::Matches);
    builder.broadcast(&raw).await.unwrap();
    sandbox.chain.expire_blockhashes().await.unwrap();
    builder.broadcast(&raw).await.expect("a landed transaction counts as sent, however old");

    let other = IntentTerms { nonce: B256::repeat_byte(77), ..terms };
    let seen = builder.check_deposit_tx(&other, &name(&raw)).await.unwrap();
    assert!(
        matches!(&seen, DepositTxStatus::Mismatch(reason) if reason.contains("deposit of another order")),
        "{seen:?}"
    );
    let transfer = Instruction {
        program_id: [0; 32].into(),
        accounts: vec![AccountMeta::new(user().pubkey(), true), AccountMeta::new([3; 32].into(), false)],
        data: [&[2, 0, 0, 0][..], &1_000_000u64.to_le_bytes()].concat(),
    };
    let plain = sandbox.land(&user(), &[transfer]).await.signature().to_string();
    let seen = builder.check_deposit_tx(&terms, &plain).await.unwrap();
    assert!(
        matches!(&seen, DepositTxStatus::Mismatch(reason) if reason.contains("deposits nothing")),
        "{seen:?}"
    );
    let seen = builder.check_deposit_tx(&terms, &format!("0x{}", "ab".repeat(32))).await.unwrap();
    assert!(matches!(&seen, DepositTxStatus::Mismatch(reason) if reason.contains("base58")), "{seen:?}");
}

#[tokio::test]
async fn stale_blockhash_is_refused_with_instructions_and_a_fresh_one_is_accepted() {
    let sandbox = SandboxChain::start().await;
    let builder = builder(&sandbox);
    let terms = sandbox.terms(None).await;
    let stale = signed(&built(&builder, &terms).await, &user());
    sandbox.chain.expire_blockhashes().await.unwrap();
    sandbox.finalize().await;
    let error = builder.broadcast(&stale).await.unwrap_err();
    assert!(matches!(&error, BroadcastError::Expired { tx } if *tx == name(&stale)), "{error}");
    assert!(error.to_string().contains("build the deposit again"), "{error}");
    let fresh = signed(&built(&builder, &terms).await, &user());
    builder.broadcast(&fresh).await.unwrap();
}

#[tokio::test]
async fn only_one_of_two_signed_deposits_of_an_order_lands() {
    let sandbox = SandboxChain::start().await;
    let builder = builder(&sandbox);
    let terms = sandbox.terms(None).await;
    let first = signed(&built(&builder, &terms).await, &user());
    sandbox.finalize().await;
    let second = signed(&built(&builder, &terms).await, &user());
    assert_ne!(first, second);
    builder.broadcast(&second).await.unwrap();
    sandbox.finalize().await;
    let error = builder.broadcast(&first).await.unwrap_err();
    assert!(error.to_string().contains("the order was opened before"), "{error}");
}

#[tokio::test]
async fn deposit_that_the_payer_can_no_longer_afford_is_refused_with_reason() {
    let sandbox = SandboxChain::start().await;
    let builder = builder(&sandbox);
    let terms = sandbox.terms(None).await;
    let raw = signed(&built(&builder, &terms).await, &user());
    let poor = Account { lamports: 1_000_000, ..Account::default() };
    sandbox.chain.set_account(user().pubkey(), Some(poor)).await.unwrap();
    sandbox.chain.advance(2).await.unwrap();
    let error = builder.broadcast(&raw).await.unwrap_err();
    assert!(
        matches!(&error, BroadcastError::Refused(reason) if reason.contains("insufficient lamports")),
        "{error}"
    );
    let error = builder.broadcast(b"hello").await.unwrap_err();
    assert!(error.to_string().contains("not a Solana transaction"), "{error}");
}
