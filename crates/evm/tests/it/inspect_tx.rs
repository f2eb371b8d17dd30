use alloy_primitives::{Address, B256, Bytes, U256, hex};
use alloy_sol_types::{SolCall as _, SolEvent as _};
use causeway_domain::IntentTerms;
use causeway_domain::ports::{DepositBuilder as _, DepositTxStatus};
use causeway_evm::TxRequest;
use causeway_evm::contracts::{Escrow, onchain_envelope};
use causeway_evm::orders::EvmDepositBuilder;

use crate::deposit_kit::{DepositFixture, Token, USDC, wallet};

const COIN: Address = Address::ZERO;
/// Emits an event without data whose two topics are its calldata.
const EVENT_COPIER: [u8; 8] = hex!("6020355f355f5fa2");

fn open(terms: &IntentTerms) -> TxRequest {
    let data = Escrow::openCall { order: onchain_envelope(terms).unwrap() }.abi_encode().into();
    TxRequest { to: Address::from_word(terms.escrow), value: terms.amount_in, data }
}

async fn mismatch(builder: &EvmDepositBuilder, terms: &IntentTerms, hash: B256) -> String {
    match builder.check_deposit_tx(terms, &hash.to_string()).await.unwrap() {
        DepositTxStatus::Mismatch(reason) => reason,
        status => panic!("{status:?}"),
    }
}

#[tokio::test]
async fn mined_transactions_that_are_not_the_deposit_are_distinguished() {
    let fixture = DepositFixture::start().await;
    let (builder, user) = (fixture.builder(), wallet(0));
    let terms = fixture.order(&user, COIN, 1_000, "mine").await;
    for text in ["", "0x12", "nothing", &"ab".repeat(32), &format!("0x{}", "zz".repeat(32))] {
        let status = builder.check_deposit_tx(&terms, text).await.unwrap();
        assert!(
            matches!(&status, DepositTxStatus::Mismatch(reason) if reason.contains("64 hexadecimal")),
            "{text}: {status:?}"
        );
    }
    let unknown = B256::repeat_byte(0xee).to_string();
    assert_eq!(builder.check_deposit_tx(&terms, &unknown).await.unwrap(), DepositTxStatus::NotFound);

    let short = TxRequest { value: U256::ONE, ..open(&terms) };
    let reverted = fixture.mined(&user, &short, 300_000).await;
    assert_eq!(reverted.status, 0);
    assert_eq!(mismatch(&builder, &terms, reverted.transaction_hash).await, "that transaction reverted");
    let payment = fixture.land(
        &user,
        fixture.contracts.deposit_factory.create2(B256::ZERO, B256::ZERO),
        U256::ONE,
        vec![],
    );
    assert!(mismatch(&builder, &terms, payment.await.transaction_hash).await.contains("deposits nothing"));
    let transfer =
        Token::transferCall { to: fixture.contracts.escrow, amount: U256::from(1_000) }.abi_encode();
    let paid = fixture.land(&user, USDC, U256::ZERO, transfer).await;
    assert!(
        mismatch(&builder, &terms, paid.transaction_hash).await.contains(&format!("moves the token {USDC}"))
    );

    let foreign = fixture.order(&wallet(1), COIN, 2_000, "foreign").await;
    let landed = fixture.mined(&wallet(1), &open(&foreign), 300_000).await;
    let answer = mismatch(&builder, &terms, landed.transaction_hash).await;
    assert!(answer.contains(&foreign.id().to_string()), "{answer}");
    let status = builder.check_deposit_tx(&foreign, &landed.transaction_hash.to_string()).await.unwrap();
    assert_eq!(status, DepositTxStatus::Matches);

    let copier = Address::repeat_byte(0xdd);
    fixture.chain.set_code(copier, Bytes::from_static(&EVENT_COPIER)).await.unwrap();
    let topics = [Escrow::Open::SIGNATURE_HASH, terms.id()].concat();
    let receipt = fixture.land(&user, copier, U256::ZERO, topics).await;
    let answer = mismatch(&builder, &terms, receipt.transaction_hash).await;
    assert!(answer.contains(&format!("another contract, {copier}")), "{answer}");
}

#[tokio::test]
async fn pending_transactions_are_classified_by_their_escrow_call_or_left_open() {
    let fixture = DepositFixture::start().await;
    let (builder, user) = (fixture.builder(), wallet(0));
    let terms = fixture.order(&user, COIN, 1_000, "mine").await;
    let foreign = fixture.order(&wallet(1), COIN, 1_000, "foreign").await;
    fixture.chain.pause();
    let mine = fixture.submit(&user, &open(&terms), 300_000).await;
    assert_eq!(builder.check_deposit_tx(&terms, &mine.to_string()).await.unwrap(), DepositTxStatus::Matches);
    let theirs = fixture.submit(&wallet(1), &open(&foreign), 300_000).await;
    assert!(mismatch(&builder, &terms, theirs).await.contains(&foreign.id().to_string()));
    let short = TxRequest { value: U256::ONE, ..open(&terms) };
    let short = fixture.submit(&wallet(2), &short, 300_000).await;
    assert!(mismatch(&builder, &terms, short).await.contains("1 wei"));
    let strange = fixture.submit(&wallet(3), &open(&terms), 300_000).await;
    assert!(mismatch(&builder, &terms, strange).await.contains("instead of the payer"));
    // A wallet contract or a plain transfer: only its logs will show it.
    let through = TxRequest { to: wallet(9).address(), ..open(&terms) };
    let through = fixture.submit(&wallet(4), &through, 300_000).await;
    assert_eq!(
        builder.check_deposit_tx(&terms, &through.to_string()).await.unwrap(),
        DepositTxStatus::NotFound
    );
}
