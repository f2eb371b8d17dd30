use alloy_primitives::{Address as EvmAddress, Bytes, Signature, U256, hex};
use alloy_sol_types::SolCall as _;
use causeway_domain::ports::{CheckError, DepositDesk as _, DepositError};
use causeway_domain::{Deployment, Terms};
use causeway_evm::contracts::{Escrow, gasless_envelope};
use causeway_evm::deploy::permit2_address;
use causeway_evm::orders::EvmDesk;
use causeway_evm::{Signer, TxRequest};

use crate::desk_kit::{Payers, USDC, relayer, steps, wallet};
use crate::orders_chain::USDT;
use crate::wallet::wallet_digest;

/// The order of secp256k1.
const ORDER: [u8; 32] = hex!("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141");

async fn signed(desk: &EvmDesk, terms: &Terms, key: &Signer) -> Signature {
    let (typed, _) = desk.permit(terms).await.unwrap();
    key.sign_digest(&wallet_digest(&typed)).unwrap()
}

async fn refused(desk: &EvmDesk, terms: &Terms, permit: &[u8]) -> String {
    match desk.check_permit(terms, permit).await {
        Err(CheckError::NotThis(why)) => why.0,
        other => panic!("{other:?}"),
    }
}

fn open_for(terms: &Terms, permit: &[u8]) -> Vec<u8> {
    let (order, signature) = (gasless_envelope(terms).unwrap(), Bytes::copy_from_slice(permit));
    Escrow::openForCall { order, signature, originFillerData: Bytes::new() }.abi_encode()
}

#[tokio::test]
async fn a_permit_that_a_wallet_signed_is_accepted_and_opens_the_order() {
    let play = Payers::start().await;
    let (desk, user, permit2) = (play.desk(), wallet(0), permit2_address(play.contracts.chain));
    let terms = play.order(&user, USDC, 1_000, "permit").await;
    let (_, before) = desk.permit(&terms).await.unwrap();
    assert_eq!(steps(&before), ["switch to 1", &format!("approve 1000 to {permit2}")]);
    let permit = signed(&desk, &terms, &user).await.as_bytes();
    assert!(refused(&desk, &terms, &permit).await.contains("allow Permit2"));
    play.obey(&user, &before).await;
    let (typed, before) = desk.permit(&terms).await.unwrap();
    assert_eq!(before, []);
    assert_eq!(typed["message"]["witness"].as_object().unwrap().len(), Terms::WORDS);

    desk.check_permit(&terms, &permit).await.unwrap();
    let short = signed(&desk, &terms, &user).await.as_erc2098();
    desk.check_permit(&terms, &short).await.unwrap();
    play.land(&relayer(), play.contracts.escrow, U256::ZERO, open_for(&terms, &short)).await;
    assert!(refused(&desk, &terms, &permit).await.contains("made before"));
}

#[tokio::test]
async fn a_token_that_changes_allowances_through_zero_only_is_reset_for_permit2_too() {
    let play = Payers::start().await;
    let (desk, user, permit2) = (play.desk(), wallet(0), permit2_address(play.contracts.chain));
    play.approve(&user, USDT, permit2, 999).await;
    let terms = play.order(&user, USDT, 1_000, "tether").await;
    let (_, before) = desk.permit(&terms).await.unwrap();
    assert_eq!(steps(&before), ["switch to 1", "reset", &format!("approve 1000 to {permit2}")]);
    play.obey(&user, &before).await;
    let permit = signed(&desk, &terms, &user).await.as_bytes();
    desk.check_permit(&terms, &permit).await.unwrap();
}

#[tokio::test]
async fn a_permit_by_another_key_over_another_order_mirrored_or_late_is_refused_in_words() {
    let play = Payers::start().await;
    let (desk, user, permit2) = (play.desk(), wallet(0), permit2_address(play.contracts.chain));
    play.approve(&user, USDC, permit2, 5_000).await;
    let terms = play.order(&user, USDC, 1_000, "refusals").await;
    let good = signed(&desk, &terms, &user).await;

    let stranger = wallet(1);
    let foreign = signed(&desk, &terms, &stranger).await.as_bytes();
    let answer = refused(&desk, &terms, &foreign).await;
    assert!(answer.contains(&stranger.address().to_string()), "{answer}");
    let other = Terms { recipient: stranger.address().into_word(), ..terms };
    let astray = signed(&desk, &other, &user).await.as_bytes();
    assert!(refused(&desk, &terms, &astray).await.contains("another order was signed"));
    let mirror = Signature::new(good.r(), U256::from_be_bytes(ORDER) - good.s(), !good.v());
    assert!(refused(&desk, &terms, &mirror.as_bytes()).await.contains("mirror image"));
    let mut bare = good.as_bytes();
    bare[64] -= 27;
    assert!(refused(&desk, &terms, &bare).await.contains("27 or 28"));
    assert!(refused(&desk, &terms, &good.as_bytes()[..63]).await.contains("65 bytes"));
    assert!(refused(&desk, &terms, &[]).await.contains("65 bytes"));
    assert!(refused(&desk, &terms, &[0; 64]).await.contains("signature"));

    desk.check_permit(&terms, &good.as_bytes()).await.unwrap();
    play.chain.increase_time(2_000);
    play.chain.mine(1, 0).await.unwrap();
    assert!(refused(&desk, &terms, &good.as_bytes()).await.contains("ended at"));
    let late = desk.permit(&terms).await;
    assert!(matches!(&late, Err(DepositError::WouldFail(words)) if words.contains("ended at")), "{late:?}");
}

#[tokio::test]
async fn a_contract_judges_its_own_permits() {
    // Returns the magic value of EIP-1271, and zero.
    const AGREES: [u8; 15] = hex!("631626ba7e60e01b5f5260205ff300");
    const REFUSES: [u8; 5] = hex!("60205ff300");
    let play = Payers::start().await;
    let (desk, user, permit2) = (play.desk(), wallet(5), permit2_address(play.contracts.chain));
    play.approve(&user, USDC, permit2, 1_000).await;
    let terms = play.order(&user, USDC, 1_000, "contract").await;
    play.chain.set_code(user.address(), AGREES.to_vec().into()).await.unwrap();
    desk.check_permit(&terms, &[1; 100]).await.unwrap();
    play.chain.set_code(user.address(), REFUSES.to_vec().into()).await.unwrap();
    assert!(refused(&desk, &terms, &[1; 100]).await.contains("wallet contract does not accept"));
}

#[tokio::test]
async fn permits_are_not_offered_for_the_own_coin_or_without_permit2() {
    let play = Payers::start().await;
    let (desk, user) = (play.desk(), wallet(0));
    let terms = play.order(&user, EvmAddress::ZERO, 1_000, "coin").await;
    assert!(matches!(desk.permit(&terms).await, Err(DepositError::NotOffered)));
    assert!(refused(&desk, &terms, &[0; 65]).await.contains("not taken"));
    let without = Deployment { permit2: None, ..play.contracts.clone() };
    let desk = EvmDesk::new(play.client.clone(), without, relayer().address());
    let terms = play.order(&user, USDC, 1_000, "token").await;
    assert!(matches!(desk.permit(&terms).await, Err(DepositError::NotOffered)));
    let rich = Terms { amount_in: U256::MAX, ..terms };
    let answer = play.desk().permit(&rich).await;
    assert!(matches!(answer, Err(DepositError::Balance { .. })), "{answer:?}");
}

#[tokio::test]
async fn a_signed_transaction_is_brought_once_and_only_if_it_is_the_deposit() {
    let play = Payers::start().await;
    let (desk, user) = (play.desk(), wallet(6));
    let terms = play.order(&user, EvmAddress::ZERO, 1_000, "signed").await;
    let other = play.order(&user, EvmAddress::ZERO, 1_000, "other").await;
    let request = |terms: &Terms| {
        let order = causeway_evm::contracts::onchain_envelope(terms).unwrap();
        let data = Escrow::openCall { order }.abi_encode().into();
        TxRequest { to: play.contracts.escrow, value: terms.amount_in, data }
    };
    let refused = async |raw: Bytes| match desk.check_signed(&terms, None, &raw).await {
        Err(CheckError::NotThis(why)) => why.0,
        answer => panic!("{answer:?}"),
    };
    let good = request(&terms);
    let (hash, raw) = play.sign(&user, &good, 300_000).await;
    let changed = [
        (TxRequest { to: user.address(), ..good.clone() }, "instead of the escrow"),
        (TxRequest { value: U256::ONE, ..good.clone() }, "1 wei"),
        (request(&other), "not the deposit of this order"),
    ];
    for (request, words) in changed {
        let answer = refused(play.sign(&user, &request, 300_000).await.1).await;
        assert!(answer.contains(words), "{answer}");
    }
    assert!(refused(play.sign(&wallet(7), &good, 300_000).await.1).await.contains("instead of the payer"));
    let fees = play.client.fees().await.unwrap();
    let abroad = user.sign(causeway_domain::ChainId::new(10).unwrap(), 0, &good, 300_000, fees).unwrap();
    assert!(refused(abroad.raw).await.contains("chain 10"));
    assert!(refused([&raw[..], &[0]].concat().into()).await.contains("too many"));
    assert!(refused(raw.slice(..50)).await.contains("not a signed transaction"));

    assert_eq!(desk.check_signed(&terms, None, &raw).await.unwrap(), hash.to_string());
    play.chain.pause();
    desk.broadcast(&raw).await.unwrap();
    desk.broadcast(&raw).await.unwrap();
    play.chain.mine(1, 1).await.unwrap();
    assert_eq!(play.client.receipts(&[hash]).await.unwrap()[0].as_ref().unwrap().status, 1);
    desk.broadcast(&raw).await.unwrap();
    // Its nonce is taken by the deposit.
    let late = user.sign(play.contracts.chain, 0, &request(&other), 300_000, fees).unwrap();
    let answer = desk.broadcast(&late.raw).await.unwrap_err().to_string();
    assert!(answer.contains("nonce"), "{answer}");
}
