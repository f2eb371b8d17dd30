use alloy_primitives::B256;
use causeway_domain::Terms;
use causeway_domain::ports::{BroadcastError, DepositDesk as _, Visible};
use causeway_sandbox::solana::Account;
use solana_instruction::{AccountMeta, Instruction};
use solana_signer::Signer as _;

use super::*;
use crate::play::{USDC, user};

fn name(raw: &[u8]) -> String {
    solana_signature::Signature::try_from(&raw[1..65]).unwrap().to_string()
}

#[tokio::test]
async fn a_deposit_is_recognised_by_its_signature_once_the_chain_shows_it() {
    let play = PlayChain::start().await;
    let desk = desk(&play);
    let terms = play.terms(Some(USDC)).await;
    let raw = signed(&built(&desk, &terms).await, &user());
    assert_eq!(desk.look_at(&terms, &name(&raw)).await.unwrap(), Visible::NotYet);
    desk.broadcast(&raw).await.unwrap();
    play.settle().await;
    assert_eq!(desk.look_at(&terms, &name(&raw)).await.unwrap(), Visible::ThisDeposit);
    desk.broadcast(&raw).await.unwrap();
    play.chain.expire_blockhashes().await.unwrap();
    desk.broadcast(&raw).await.expect("what has landed counts as brought, however old");

    let other = Terms { nonce: B256::repeat_byte(77), ..terms };
    let seen = desk.look_at(&other, &name(&raw)).await.unwrap();
    assert!(matches!(&seen, Visible::Other(words) if words.contains("deposit of another order")), "{seen:?}");
    let transfer = Instruction {
        program_id: [0; 32].into(),
        accounts: vec![AccountMeta::new(user().pubkey(), true), AccountMeta::new([3; 32].into(), false)],
        data: [&[2, 0, 0, 0][..], &1_000_000u64.to_le_bytes()].concat(),
    };
    let plain = play.land(&user(), &[transfer]).await.signature().to_string();
    let seen = desk.look_at(&terms, &plain).await.unwrap();
    assert!(matches!(&seen, Visible::Other(words) if words.contains("deposits nothing")), "{seen:?}");
    let seen = desk.look_at(&terms, &format!("0x{}", "ab".repeat(32))).await.unwrap();
    assert!(matches!(&seen, Visible::Other(words) if words.contains("base58")), "{seen:?}");
}

#[tokio::test]
async fn a_stale_blockhash_is_told_with_what_to_do_and_a_fresh_one_is_taken() {
    let play = PlayChain::start().await;
    let desk = desk(&play);
    let terms = play.terms(None).await;
    let stale = signed(&built(&desk, &terms).await, &user());
    play.chain.expire_blockhashes().await.unwrap();
    play.settle().await;
    let error = desk.broadcast(&stale).await.unwrap_err();
    assert!(matches!(&error, BroadcastError::Expired { tx } if *tx == name(&stale)), "{error}");
    assert!(error.to_string().contains("build the deposit again"), "{error}");
    let fresh = signed(&built(&desk, &terms).await, &user());
    desk.broadcast(&fresh).await.unwrap();
}

#[tokio::test]
async fn of_two_signed_deposits_of_one_order_the_chain_takes_one() {
    let play = PlayChain::start().await;
    let desk = desk(&play);
    let terms = play.terms(None).await;
    let first = signed(&built(&desk, &terms).await, &user());
    play.settle().await;
    let second = signed(&built(&desk, &terms).await, &user());
    assert_ne!(first, second);
    desk.broadcast(&second).await.unwrap();
    play.settle().await;
    let error = desk.broadcast(&first).await.unwrap_err();
    assert!(error.to_string().contains("the order was opened before"), "{error}");
}

#[tokio::test]
async fn a_deposit_that_the_payer_can_no_longer_make_is_refused_in_words() {
    let play = PlayChain::start().await;
    let desk = desk(&play);
    let terms = play.terms(None).await;
    let raw = signed(&built(&desk, &terms).await, &user());
    let poor = Account { lamports: 1_000_000, ..Account::default() };
    play.chain.set_account(user().pubkey(), Some(poor)).await.unwrap();
    play.chain.advance(2).await.unwrap();
    let error = desk.broadcast(&raw).await.unwrap_err();
    assert!(
        matches!(&error, BroadcastError::Refused(words) if words.contains("insufficient lamports")),
        "{error}"
    );
    let error = desk.broadcast(b"hello").await.unwrap_err();
    assert!(error.to_string().contains("not a Solana transaction"), "{error}");
}
