//! Mints and token accounts as the token programs write them, and unusual ones.

use causeway_solana::program::EscrowError;
use causeway_solana::{TOKEN_2022_PROGRAM, TOKEN_PROGRAM};
use solana_address::Address;

use super::fixture::*;

/// An extension's number and content.
pub(super) type Extension = (u16, Vec<u8>);

fn extended(mut data: Vec<u8>, kind: u8, extensions: &[Extension]) -> Vec<u8> {
    if extensions.is_empty() {
        return data;
    }
    data.resize(165, 0);
    data.push(kind);
    for (number, content) in extensions {
        data.extend(number.to_le_bytes());
        data.extend(u16::try_from(content.len()).unwrap().to_le_bytes());
        data.extend(content);
    }
    data
}

pub(super) fn mint_data(decimals: u8, extensions: &[Extension]) -> Vec<u8> {
    let mut data = vec![0; 82];
    data[36..44].copy_from_slice(&u64::MAX.to_le_bytes());
    data[44] = decimals;
    data[45] = 1;
    extended(data, 1, extensions)
}

pub(super) fn token_data(mint: Address, owner: Address, amount: u64, extensions: &[Extension]) -> Vec<u8> {
    let mut data = vec![0; 165];
    data[..32].copy_from_slice(mint.as_ref());
    data[32..64].copy_from_slice(owner.as_ref());
    data[64..72].copy_from_slice(&amount.to_le_bytes());
    data[108] = 1;
    extended(data, 2, extensions)
}

#[test]
fn rule_20_mints_with_anything_but_metadata_and_groups_are_refused_at_open_and_fill() {
    let mut fixture = ProgramFixture::new();
    let (open, fill) = (terms_to_other_chain(Coin::Spl22), terms_from_other_chain(Coin::Spl22));
    let put = |fixture: &mut ProgramFixture, number: u16| {
        let extensions = [(18, vec![0; 64]), (number, vec![0; 108])];
        fixture.put_data(MINT_22, TOKEN_2022_PROGRAM, mint_data(6, &extensions));
    };
    for number in (1..=17).chain(24..=40) {
        put(&mut fixture, number);
        fixture
            .assert_refused(PROGRAM.open(&open, USER, Coin::Spl22.source(USER)), EscrowError::MintExtension);
        fixture.assert_refused(
            PROGRAM.fill(&fill, STRANGER, Coin::Spl22.source(STRANGER)),
            EscrowError::MintExtension,
        );
    }
    // It is enough that our program accepts them; the token program may still refuse.
    for number in 18..=23 {
        put(&mut fixture, number);
        let outcome = fixture.send(PROGRAM.open(&open, USER, Coin::Spl22.source(USER)));
        let refused = format!("{outcome:?}").contains(&EscrowError::MintExtension.code().to_string());
        assert!(!refused, "extension {number}: {outcome:?}");
    }
}

#[test]
fn an_extension_that_claims_to_be_longer_than_the_mint_is_refused() {
    let mut fixture = ProgramFixture::new();
    let mut data = mint_data(6, &[(18, vec![0; 64])]);
    data.truncate(200);
    fixture.put_data(MINT_22, TOKEN_2022_PROGRAM, data);
    let open = PROGRAM.open(&terms_to_other_chain(Coin::Spl22), USER, Coin::Spl22.source(USER));
    fixture.assert_refused(open, EscrowError::MintExtension);
}

#[test]
fn a_token_program_of_somebody_else_is_refused() {
    let mut fixture = ProgramFixture::new();
    let open = PROGRAM.open(&terms_to_other_chain(Coin::Spl), USER, Coin::Spl.source(USER));
    fixture.assert_refused(with_account(open.clone(), 8, STRANGER), EscrowError::WrongTokenProgram);
    fixture.assert_refused(with_account(open.clone(), 8, TOKEN_2022_PROGRAM), EscrowError::WrongTokenProgram);
    fixture.put_data(MINT, STRANGER, mint_data(6, &[]));
    fixture.assert_refused(open, EscrowError::WrongTokenProgram);
}

#[test]
fn account_that_is_not_a_mint_is_refused() {
    let mut fixture = ProgramFixture::new();
    let open = PROGRAM.open(&terms_to_other_chain(Coin::Spl), USER, Coin::Spl.source(USER));
    fixture.assert_refused(with_account(open.clone(), 7, MINT_22), EscrowError::WrongMint);
    let mut unborn = mint_data(6, &[]);
    unborn[45] = 0;
    for data in [unborn, vec![0; 82], token_data(MINT, USER, 1, &[]), vec![1; 355], vec![]] {
        fixture.put_data(MINT, TOKEN_PROGRAM, data);
        fixture.assert_refused(open.clone(), EscrowError::WrongMint);
    }
}

#[test]
fn rule_20_recipients_that_require_a_memo_are_refused() {
    let mut fixture = ProgramFixture::new();
    let terms = terms_from_other_chain(Coin::Spl22);
    let fill = PROGRAM.fill(&terms, STRANGER, Coin::Spl22.source(STRANGER));
    let account = Coin::Spl22.account(RECIPIENT);
    for (wanted, extensions) in [(1, vec![(7, vec![]), (8, vec![1])]), (0, vec![(7, vec![]), (8, vec![0])])] {
        fixture.put_data(account, TOKEN_2022_PROGRAM, token_data(MINT_22, RECIPIENT, 0, &extensions));
        if wanted == 1 {
            fixture.assert_refused(fill.clone(), EscrowError::MemoRequired);
        } else {
            fixture.send(fill.clone()).unwrap();
            assert_eq!(fixture.balance(Coin::Spl22, RECIPIENT), OUT);
        }
    }
}

#[test]
fn rule_19_token_accounts_of_another_holder_mint_or_state_are_refused() {
    let mut fixture = ProgramFixture::new();
    let open = PROGRAM.open(&terms_to_other_chain(Coin::Spl), USER, Coin::Spl.source(USER));
    let fill = PROGRAM.fill(&terms_from_other_chain(Coin::Spl), STRANGER, Coin::Spl.source(STRANGER));
    let odd = |owner: Address| {
        let mut frozen = token_data(MINT, owner, 9 * AMOUNT, &[]);
        frozen[108] = 2;
        let mut unborn = token_data(MINT, owner, 9 * AMOUNT, &[]);
        unborn[108] = 0;
        [
            (token_data(MINT, address_number(99), 9 * AMOUNT, &[]), EscrowError::BadTokenAccount),
            (token_data(MINT_22, owner, 9 * AMOUNT, &[]), EscrowError::BadTokenAccount),
            (frozen, EscrowError::FrozenAccount),
            (unborn, EscrowError::BadTokenAccount),
            (vec![2; 355], EscrowError::BadTokenAccount),
            (mint_data(6, &[]), EscrowError::BadTokenAccount),
        ]
    };
    for (data, why) in odd(USER) {
        fixture.put_data(Coin::Spl.account(USER), TOKEN_PROGRAM, data);
        fixture.assert_refused(open.clone(), why);
    }
    for (data, why) in odd(RECIPIENT) {
        fixture.put_data(Coin::Spl.account(RECIPIENT), TOKEN_PROGRAM, data);
        fixture.assert_refused(fill.clone(), why);
    }
    fixture.put_data(Coin::Spl.account(USER), STRANGER, token_data(MINT, USER, 9 * AMOUNT, &[]));
    fixture.assert_refused(open, EscrowError::BadTokenAccount);
}

#[test]
fn rule_17_lamports_at_a_vault_of_wrapped_sol_do_no_harm() {
    let native = Address::from_str_const("So11111111111111111111111111111111111111112");
    let mut fixture = ProgramFixture::new();
    fixture.put_data(native, TOKEN_PROGRAM, mint_data(9, &[]));
    let mut terms = terms_to_other_chain(Coin::Spl);
    terms.input_token = word(native);
    let account =
        |wallet| causeway_solana::program::associated_token_account(&wallet, &native, &TOKEN_PROGRAM);
    for wallet in [USER, PAYEE, REFUND] {
        let mut data = token_data(native, wallet, 9 * AMOUNT, &[]);
        let rent = fixture.svm.minimum_balance_for_rent_exemption(data.len());
        data[109] = 1;
        data[113..121].copy_from_slice(&rent.to_le_bytes());
        fixture.put_data(account(wallet), TOKEN_PROGRAM, data);
        let mut held = fixture.svm.get_account(&account(wallet)).unwrap();
        held.lamports += 9 * AMOUNT;
        fixture.svm.set_account(account(wallet), held).unwrap();
    }
    fixture.put_lamports(PROGRAM.vault(terms.id()), SOL);
    let source =
        causeway_solana::program::TokenSource { account: account(USER), token_program: TOKEN_PROGRAM };
    fixture.send(PROGRAM.open(&terms, USER, Some(source))).unwrap();
    let held = |fixture: &ProgramFixture, wallet| {
        causeway_solana::TokenAccount::parse(&fixture.data(account(wallet))).unwrap().amount
    };
    fixture.send(claim_by(&fixture, Coin::Spl, &terms, &[0, 1])).unwrap();
    assert_eq!(held(&fixture, PAYEE), 10 * AMOUNT);
    fixture.set_time(terms.open_deadline + 1);
    fixture.send(PROGRAM.close_order(&terms, USER, Some(TOKEN_PROGRAM))).unwrap();
    let rent = fixture.svm.minimum_balance_for_rent_exemption(165);
    assert_eq!(held(&fixture, REFUND), 9 * AMOUNT + SOL - rent, "the surplus that was sent there");
}
