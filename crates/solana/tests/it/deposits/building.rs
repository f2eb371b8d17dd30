use alloy_primitives::U256;
use causeway_domain::ports::{DepositDesk as _, DepositError};
use causeway_domain::{Address as AnyAddress, Terms};
use causeway_sandbox::solana::Account;
use causeway_solana::program::OrderAccount;
use causeway_solana::{MAX_TRANSACTION_BYTES, TOKEN_PROGRAM};
use solana_address::Address;
use solana_message::VersionedMessage;
use solana_signer::Signer as _;

use super::*;
use crate::play::{AMOUNT, PROGRAM, SOL, USDC, usdc_of, user};

const BUDGET: Address = Address::from_str_const("ComputeBudget111111111111111111111111111111");
const MEMO: Address = Address::from_str_const("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr");
/// What an order's account, its vault and a wallet must hold, as the chain reckons.
const ORDER_RENT: u64 = (808 + 128) * 6_960;
const VAULT_RENT: u64 = (165 + 128) * 6_960;
const WALLET_RENT: u64 = 128 * 6_960;

#[tokio::test]
async fn a_deposit_is_one_small_transaction_that_the_payer_alone_signs_and_the_chain_takes() {
    let play = PlayChain::start().await;
    let desk = desk(&play);
    for input in [None, Some(USDC)] {
        let terms = play.terms(input).await;
        let wire = built(&desk, &terms).await;
        assert!(wire.len() <= MAX_TRANSACTION_BYTES, "{}", wire.len());
        assert_eq!((wire[0], &wire[1..65]), (1, &[0; 64][..]), "one signature, to be made");
        let message = wincode::deserialize::<VersionedMessage>(&wire[65..]).unwrap();
        let VersionedMessage::V0(message) = message else { panic!("{message:?}") };
        assert_eq!(message.account_keys[0], user().pubkey());
        let programs: Vec<Address> = message
            .instructions
            .iter()
            .map(|one| message.account_keys[usize::from(one.program_id_index)])
            .collect();
        assert_eq!(programs, [BUDGET, BUDGET, PROGRAM.id, MEMO]);
        assert_eq!(message.instructions[3].data, terms.id().to_string().into_bytes());

        desk.broadcast(&signed(&wire, &user())).await.unwrap();
        play.settle().await;
        let kept = play.chain.account(PROGRAM.order(terms.id())).await.unwrap().unwrap();
        assert_eq!(OrderAccount::parse(&kept.data).unwrap().terms, terms);
        let error = desk.actions(&terms).await.unwrap_err();
        assert!(error.to_string().contains("opened before"), "{error}");
    }
}

#[tokio::test]
async fn the_desk_names_the_program_and_its_attesters() {
    let play = PlayChain::start().await;
    let desk = desk(&play);
    assert_eq!(desk.epoch().await.unwrap(), 1);
    assert_eq!(
        (desk.escrow(), desk.settler(), desk.min_grace()),
        (play.deployment.program, desk.escrow(), 60)
    );
    let terms = play.terms(None).await;
    let address = AnyAddress::Solana(PROGRAM.deposit(terms.id()).to_bytes());
    assert_eq!(desk.address_for(terms.id()), Some(address));
    assert!(matches!(desk.permit(&terms).await, Err(DepositError::NotOffered)));
    assert!(desk.check_permit(&terms, &[1]).await.is_err());
}

#[tokio::test]
async fn building_again_gives_a_fresh_blockhash() {
    let play = PlayChain::start().await;
    let desk = desk(&play);
    let terms = play.terms(Some(USDC)).await;
    let first = built(&desk, &terms).await;
    play.settle().await;
    assert_ne!(built(&desk, &terms).await, first);
}

/// What the payer is told when its wallet holds so many lamports.
async fn with_lamports(play: &PlayChain, terms: &Terms, lamports: u64) -> Option<DepositError> {
    let wallet = Account { lamports, ..Account::default() };
    play.chain.set_account(user().pubkey(), (lamports > 0).then_some(wallet)).await.unwrap();
    play.settle().await;
    desk(play).actions(terms).await.err()
}

fn numbers(error: Option<DepositError>) -> (&'static str, u64, u64) {
    let raw = |amount: causeway_domain::RawAmount| amount.get().to::<u64>();
    match error {
        Some(DepositError::Gas { has, needs }) => ("gas", raw(has), raw(needs)),
        Some(DepositError::Balance { has, needs }) => ("balance", raw(has), raw(needs)),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn too_little_sol_is_told_with_the_numbers() {
    let play = PlayChain::start().await;
    let sol = Terms { amount_in: U256::from(2 * SOL), ..play.terms(None).await };
    assert_eq!(numbers(with_lamports(&play, &sol, SOL).await), ("balance", SOL, 2 * SOL));
    let (kind, has, needs) = numbers(with_lamports(&play, &sol, 2 * SOL + ORDER_RENT).await);
    assert_eq!((kind, has), ("gas", 2 * SOL + ORDER_RENT));
    let least = 2 * SOL + ORDER_RENT + WALLET_RENT + 5_000;
    assert!((least..least + 1_000_000).contains(&needs), "{needs}");
    assert!(with_lamports(&play, &sol, needs).await.is_none(), "what was asked for is enough");

    let token = play.terms(Some(USDC)).await;
    let (kind, has, needs) = numbers(with_lamports(&play, &token, 0).await);
    assert_eq!((kind, has), ("gas", 0));
    assert!(needs > ORDER_RENT + VAULT_RENT + WALLET_RENT, "{needs}");
    assert!(with_lamports(&play, &token, needs).await.is_none());
}

#[tokio::test]
async fn rule_19_a_token_account_that_cannot_pay_is_told_in_words() {
    let play = PlayChain::start().await;
    let terms = play.terms(Some(USDC)).await;
    let at = usdc_of(&user().pubkey());
    let whole = play.chain.account(at).await.unwrap().unwrap();
    let told = async |change: &dyn Fn(&mut Account)| {
        let mut account = whole.clone();
        change(&mut account);
        play.chain.set_account(at, (account.lamports > 0).then_some(account)).await.unwrap();
        play.settle().await;
        desk(&play).actions(&terms).await.unwrap_err().to_string()
    };
    let words = told(&|account| account.lamports = 0).await;
    assert!(words.contains("has no token account of the token EPjF"), "{words}");
    let words = told(&|account| account.data[108] = 2).await;
    assert!(words.contains("frozen"), "{words}");
    let words = told(&|account| account.data[32..64].fill(7)).await;
    assert!(words.contains("it belongs to"), "{words}");
    let words = told(&|account| account.data[..32].fill(7)).await;
    assert!(words.contains("it holds the token"), "{words}");
    let words = told(&|account| account.owner = [9; 32].into()).await;
    assert!(words.contains("none of the token's program"), "{words}");
    let words = told(&|account| account.data[64..72].copy_from_slice(&(AMOUNT - 1).to_le_bytes())).await;
    assert_eq!(words, "the payer has 4999999 of the 5000000 raw units that the deposit takes");
}

#[tokio::test]
async fn rule_20_a_mint_that_is_not_allowed_is_told_in_words() {
    let play = PlayChain::start().await;
    let nothing = Terms { input_token: [7; 32].into(), ..play.terms(None).await };
    let error = desk(&play).actions(&nothing).await.unwrap_err();
    assert!(error.to_string().ends_with("cannot be deposited: it is not on the chain"), "{error}");
    let mut mint = play.chain.account(USDC).await.unwrap().unwrap();
    mint.owner = causeway_solana::TOKEN_2022_PROGRAM;
    mint.data.resize(165, 0);
    // A fee of each transfer.
    mint.data.extend([1, 1, 0, 108, 0]);
    mint.data.resize(mint.data.len() + 108, 0);
    mint.lamports = SOL;
    play.chain.set_account(USDC, Some(mint)).await.unwrap();
    play.settle().await;
    let error = desk(&play).actions(&play.terms(Some(USDC)).await).await.unwrap_err();
    assert!(error.to_string().ends_with("it takes a fee of every transfer"), "{error}");
}

#[tokio::test]
async fn what_the_program_would_refuse_is_told_in_its_words() {
    let play = PlayChain::start().await;
    let desk = desk(&play);
    let terms = play.terms(Some(USDC)).await;
    let late = Terms { open_deadline: terms.open_deadline - 10_000, ..terms };
    let cases = [
        (late, "the time to open the order has passed"),
        (Terms { epoch: 2, ..terms }, "not those in office"),
        (Terms { payee: terms.escrow, ..terms }, "the escrow program itself"),
        (Terms { origin_chain_id: 1, ..terms }, "belongs on chain 1"),
        (Terms { escrow: [5; 32].into(), ..terms }, "for another program"),
        (Terms { amount_in: U256::from(1) << 64, ..terms }, "larger than Solana counts"),
    ];
    for (terms, words) in cases {
        let error = desk.actions(&terms).await.unwrap_err();
        assert!(matches!(&error, DepositError::WouldFail(why) if why.contains(words)), "{error}");
    }
    let program = Terms { user: TOKEN_PROGRAM.to_bytes().into(), ..terms };
    let error = desk.actions(&program).await.unwrap_err();
    assert!(error.to_string().contains("no wallet"), "{error}");
}
