use alloy_primitives::{Address, B256, Bytes, U256, hex};
use alloy_sol_types::{SolCall as _, SolEvent as _};
use causeway_domain::Terms;
use causeway_domain::ports::{DepositDesk as _, Visible};
use causeway_evm::TxRequest;
use causeway_evm::contracts::{Escrow, onchain_envelope};
use causeway_evm::orders::EvmDesk;

use crate::desk_kit::{Payers, Token, USDC, wallet};

const COIN: Address = Address::ZERO;
/// Records an event without data whose two topics are the words that it is called with.
const PARROT: [u8; 8] = hex!("6020355f355f5fa2");

fn open(terms: &Terms) -> TxRequest {
    let data = Escrow::openCall { order: onchain_envelope(terms).unwrap() }.abi_encode().into();
    TxRequest { to: Address::from_word(terms.escrow), value: terms.amount_in, data }
}

async fn other(desk: &EvmDesk, terms: &Terms, hash: B256) -> String {
    match desk.look_at(terms, &hash.to_string()).await.unwrap() {
        Visible::Other(words) => words,
        seen => panic!("{seen:?}"),
    }
}

#[tokio::test]
async fn what_was_mined_and_is_not_this_deposit_is_told_apart() {
    let play = Payers::start().await;
    let (desk, user) = (play.desk(), wallet(0));
    let terms = play.order(&user, COIN, 1_000, "mine").await;
    for text in ["", "0x12", "nothing", &"ab".repeat(32), &format!("0x{}", "zz".repeat(32))] {
        let seen = desk.look_at(&terms, text).await.unwrap();
        assert!(
            matches!(&seen, Visible::Other(words) if words.contains("64 hexadecimal")),
            "{text}: {seen:?}"
        );
    }
    let unknown = B256::repeat_byte(0xee).to_string();
    assert_eq!(desk.look_at(&terms, &unknown).await.unwrap(), Visible::NotYet);

    let short = TxRequest { value: U256::ONE, ..open(&terms) };
    let reverted = play.mined(&user, &short, 300_000).await;
    assert_eq!(reverted.status, 0);
    assert_eq!(other(&desk, &terms, reverted.transaction_hash).await, "that transaction reverted");
    let gift =
        play.land(&user, play.contracts.deposit_factory.create2(B256::ZERO, B256::ZERO), U256::ONE, vec![]);
    assert!(other(&desk, &terms, gift.await.transaction_hash).await.contains("deposits nothing"));
    let transfer = Token::transferCall { to: play.contracts.escrow, amount: U256::from(1_000) }.abi_encode();
    let paid = play.land(&user, USDC, U256::ZERO, transfer).await;
    assert!(other(&desk, &terms, paid.transaction_hash).await.contains(&format!("moves the token {USDC}")));

    let foreign = play.order(&wallet(1), COIN, 2_000, "foreign").await;
    let landed = play.mined(&wallet(1), &open(&foreign), 300_000).await;
    let answer = other(&desk, &terms, landed.transaction_hash).await;
    assert!(answer.contains(&foreign.id().to_string()), "{answer}");
    let seen = desk.look_at(&foreign, &landed.transaction_hash.to_string()).await.unwrap();
    assert_eq!(seen, Visible::ThisDeposit);

    let parrot = Address::repeat_byte(0xdd);
    play.chain.set_code(parrot, Bytes::from_static(&PARROT)).await.unwrap();
    let topics = [Escrow::Open::SIGNATURE_HASH, terms.id()].concat();
    let copied = play.land(&user, parrot, U256::ZERO, topics).await;
    let answer = other(&desk, &terms, copied.transaction_hash).await;
    assert!(answer.contains(&format!("another contract, {parrot}")), "{answer}");
}

#[tokio::test]
async fn what_waits_is_judged_by_its_call_of_the_escrow_and_else_left_open() {
    let play = Payers::start().await;
    let (desk, user) = (play.desk(), wallet(0));
    let terms = play.order(&user, COIN, 1_000, "mine").await;
    let foreign = play.order(&wallet(1), COIN, 1_000, "foreign").await;
    play.chain.pause();
    let mine = play.submit(&user, &open(&terms), 300_000).await;
    assert_eq!(desk.look_at(&terms, &mine.to_string()).await.unwrap(), Visible::ThisDeposit);
    let theirs = play.submit(&wallet(1), &open(&foreign), 300_000).await;
    assert!(other(&desk, &terms, theirs).await.contains(&foreign.id().to_string()));
    let short = TxRequest { value: U256::ONE, ..open(&terms) };
    let short = play.submit(&wallet(2), &short, 300_000).await;
    assert!(other(&desk, &terms, short).await.contains("1 wei"));
    let strange = play.submit(&wallet(3), &open(&terms), 300_000).await;
    assert!(other(&desk, &terms, strange).await.contains("instead of the payer"));
    // A wallet contract, or a plain transfer: only its logs will tell.
    let through = TxRequest { to: wallet(9).address(), ..open(&terms) };
    let through = play.submit(&wallet(4), &through, 300_000).await;
    assert_eq!(desk.look_at(&terms, &through.to_string()).await.unwrap(), Visible::NotYet);
}
