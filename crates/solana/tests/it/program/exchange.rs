//! The play exchange, which makes the moves of its caller's plan.

use causeway_solana::{TOKEN_2022_PROGRAM, TOKEN_PROGRAM};
use solana_address::Address;
use solana_instruction::error::InstructionError;
use solana_instruction::{AccountMeta, Instruction};
use solana_transaction_error::TransactionError;

use super::fixture::*;
use super::tokens::token_data;

const EXCHANGE: Address = address_number(60);
const EVENT_AUTHORITY: Address = address_number(61);

/// The user sells one and buys the other.
const SOLD: Coin = Coin::Spl;
const BOUGHT: Coin = Coin::Spl22;
const TAKES: u64 = AMOUNT;
const PAYS: u64 = OUT;
/// What every account holds before.
const HELD: u64 = 100 * AMOUNT;

const UNKNOWN_INSTRUCTION: u32 = 2000;
const BAD_DATA: u32 = 2001;
const MISSING_ACCOUNT: u32 = 2002;
const NOT_SIGNER: u32 = 2003;
const BAD_MINT: u32 = 2004;

/// The values of `also`.
const NOTHING: u8 = 0;
const APPROVE: u8 = 1;
const TAKE: u8 = 2;

fn authority() -> (Address, u8) {
    Address::find_program_address(&[b"authority"], &EXCHANGE)
}

/// A chain with the exchange, whose authority holds both tokens.
fn with_exchange() -> ProgramFixture {
    let mut fixture = ProgramFixture::with_deployed_program();
    for (address, account) in loader_accounts(EXCHANGE, "exchange.so", None) {
        fixture.svm.set_account(address, account).unwrap();
    }
    for coin in [SOLD, BOUGHT] {
        fixture.put_tokens(coin, authority().0, HELD);
    }
    fixture
}

fn route_data(also: u8, more: u64) -> Vec<u8> {
    let mut data = vec![0xbb, 0x64, 0xfa, 0xcc, 0x31, 0xc4, 0xaf, 0x14];
    data.extend(TAKES.to_le_bytes());
    data.extend(PAYS.to_le_bytes());
    for basis_points in [50_u16, 0, 0] {
        data.extend(basis_points.to_le_bytes());
    }
    data.extend(1_u32.to_le_bytes());
    data.extend(TAKES.to_le_bytes());
    data.extend(PAYS.to_le_bytes());
    data.extend([authority().1, also]);
    data.extend(more.to_le_bytes());
    data
}

fn route(also: u8, more: u64, others: &[AccountMeta]) -> Instruction {
    let (authority, _) = authority();
    let named = |address| AccountMeta::new_readonly(address, false);
    let tokens = |account| AccountMeta::new(account, false);
    let mut accounts = vec![
        AccountMeta::new_readonly(USER, true),
        tokens(SOLD.account(USER)),
        tokens(BOUGHT.account(USER)),
        named(MINT),
        named(MINT_22),
        named(TOKEN_PROGRAM),
        named(TOKEN_2022_PROGRAM),
        named(EXCHANGE),
        named(EVENT_AUTHORITY),
        named(EXCHANGE),
        named(authority),
        tokens(SOLD.account(authority)),
        tokens(BOUGHT.account(authority)),
    ];
    accounts.extend_from_slice(others);
    Instruction { program_id: EXCHANGE, accounts, data: route_data(also, more) }
}

#[track_caller]
fn assert_refused_with(fixture: &mut ProgramFixture, instruction: Instruction, code: u32) {
    let refusal = TransactionError::InstructionError(0, InstructionError::Custom(code));
    assert_eq!(fixture.send(instruction), Err(refusal));
}

/// What the user and the authority hold of both tokens.
fn balances(fixture: &ProgramFixture) -> [u64; 4] {
    let (authority, _) = authority();
    [(SOLD, USER), (BOUGHT, USER), (SOLD, authority), (BOUGHT, authority)]
        .map(|(coin, wallet)| fixture.balance(coin, wallet))
}

#[test]
fn exchange_takes_and_pays_what_the_plan_says() {
    let mut fixture = with_exchange();
    fixture.send(route(NOTHING, 0, &[])).unwrap();
    assert_eq!(balances(&fixture), [HELD - TAKES, HELD + PAYS, HELD + TAKES, HELD - PAYS]);
}

#[test]
fn exchange_pays_into_the_other_account_that_the_call_names() {
    let mut fixture = with_exchange();
    let mut elsewhere = route(NOTHING, 0, &[]);
    elsewhere.accounts[7] = AccountMeta::new(BOUGHT.account(RECIPIENT), false);
    fixture.send(elsewhere).unwrap();
    assert_eq!(balances(&fixture), [HELD - TAKES, HELD, HELD + TAKES, HELD - PAYS]);
    assert_eq!(fixture.balance(BOUGHT, RECIPIENT), HELD + PAYS);
}

#[test]
fn hostile_exchange_makes_a_stranger_delegate_of_the_users_account() {
    let mut fixture = with_exchange();
    let account = SOLD.account(USER);
    assert_eq!(fixture.data(account)[72..76], [0_u8; 4], "no delegate before");
    fixture.send(route(APPROVE, 0, &[AccountMeta::new_readonly(STRANGER, false)])).unwrap();
    let data = fixture.data(account);
    assert_eq!(data[72..76], [1_u8, 0, 0, 0]);
    assert_eq!(data[76..108], STRANGER.to_bytes());
    assert_eq!(data[121..129], u64::MAX.to_le_bytes());
    assert_eq!(balances(&fixture), [HELD - TAKES, HELD + PAYS, HELD + TAKES, HELD - PAYS]);
}

#[test]
fn hostile_exchange_takes_from_another_account_of_the_user() {
    let mut fixture = with_exchange();
    let other = address_number(62);
    fixture.put_data(other, TOKEN_PROGRAM, token_data(MINT, USER, AMOUNT, &[]));
    let more = AMOUNT - 1;
    let others = [AccountMeta::new(other, false), AccountMeta::new(SOLD.account(authority().0), false)];
    fixture.send(route(TAKE, more, &others)).unwrap();
    assert_eq!(fixture.data(other)[64..72], 1_u64.to_le_bytes());
    assert_eq!(balances(&fixture), [HELD - TAKES, HELD + PAYS, HELD + TAKES + more, HELD - PAYS]);
}

#[test]
fn exchange_refuses_malformed_data() {
    let mut fixture = with_exchange();
    let good = route(NOTHING, 0, &[]);
    assert_eq!(good.data.len(), 60);
    for length in 0..good.data.len() {
        let mut cut = good.clone();
        cut.data.truncate(length);
        assert_refused_with(&mut fixture, cut, if length < 8 { UNKNOWN_INSTRUCTION } else { BAD_DATA });
    }
    let mut long = good.clone();
    long.data.push(0);
    assert_refused_with(&mut fixture, long, BAD_DATA);
    // The discriminator, the plan's length, and what else to do.
    for (at, value, code) in
        [(7, 0, UNKNOWN_INSTRUCTION), (30, 2, BAD_DATA), (33, 1, BAD_DATA), (51, 3, BAD_DATA)]
    {
        let mut odd = good.clone();
        odd.data[at] = value;
        assert_refused_with(&mut fixture, odd, code);
    }
    let mut other_bump = good;
    other_bump.data[50] = other_bump.data[50].wrapping_sub(1);
    fixture.send(other_bump).unwrap_err();
    assert_eq!(balances(&fixture), [HELD; 4]);
}

#[test]
fn exchange_refuses_missing_accounts_and_signatures() {
    let mut fixture = with_exchange();
    let good = route(NOTHING, 0, &[]);
    for count in 0..good.accounts.len() {
        let mut few = good.clone();
        few.accounts.truncate(count);
        assert_refused_with(&mut fixture, few, MISSING_ACCOUNT);
    }
    assert_refused_with(&mut fixture, route(APPROVE, 0, &[]), MISSING_ACCOUNT);
    let one = [AccountMeta::new(SOLD.account(USER), false)];
    assert_refused_with(&mut fixture, route(TAKE, 0, &one), MISSING_ACCOUNT);
    let mut unsigned = good.clone();
    unsigned.accounts[0].is_signer = false;
    assert_refused_with(&mut fixture, unsigned, NOT_SIGNER);
    let mut no_mint = good;
    no_mint.accounts[3].pubkey = STRANGER;
    assert_refused_with(&mut fixture, no_mint, BAD_MINT);
    assert_eq!(balances(&fixture), [HELD; 4]);
}
