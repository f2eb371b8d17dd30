//! An answer of `/build` in the form that the OpenAPI document of Swap API V2 (openapi-spec/swap/v2/swap.yaml in
//! github.com/jup-ag/docs) has it, read on 2026-11-19; its instructions are made here. Not verified against the live service.

use alloy_primitives::U256;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use causeway_domain::ports::{ProviderTransaction, SolanaAccount, SolanaCall, SolanaInstruction};
use causeway_domain::{RawAmount, Slippage};
use serde_json::{Value, json};
use solana_address::Address as Key;

use super::calldata::{Swap, instruction, read_swap};
use super::mapping::{ASSOCIATED_TOKEN, token_account, transaction};
use super::*;

const USDC: Key = Key::from_str_const("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v");
const USDT: Key = Key::from_str_const("Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB");
const TAKER: Key = Key::from_str_const("GkwFnmMDvn3HGMpJpWBg8tgJxr3NxNvg3AXxvXVPbRGJ");
const TOKENS: Key = Key::from_str_const("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA");
const TABLE: &str = "8Vaso6eE1pWktDHwy2qQBB1fhjmBgwzhoXQKe1sxtFjn";

fn ask() -> ProviderAsk {
    let token = |mint: Key| TokenId::from_address(SOLANA_CHAIN_ID, Address::Solana(mint.to_bytes())).unwrap();
    let taker = Address::Solana(TAKER.to_bytes());
    ProviderAsk {
        from: token(USDC),
        to: token(USDT),
        amount_in: RawAmount::new(U256::from(100_000_000)),
        min_amount_out: RawAmount::ZERO,
        payer: taker,
        recipient: taker,
        refund_to: taker,
        tool: TOOL.to_owned(),
        slippage: Slippage::DEFAULT,
    }
}

fn account_of(owner: Key, mint: Key) -> [u8; 32] {
    token_account(Address::Solana(owner.to_bytes()), mint.to_bytes(), TOKENS).unwrap()
}

fn swap() -> Swap {
    Swap {
        payer: Some(TAKER.to_bytes()),
        source: Some(account_of(TAKER, USDC)),
        destination: Some(account_of(TAKER, USDT)),
        input: Some(USDC.to_bytes()),
        output: Some(USDT.to_bytes()),
        input_program: Some(TOKENS.to_bytes()),
        output_program: Some(TOKENS.to_bytes()),
        amount: 100_000_000,
        quoted: 99_900_000,
        slippage_bps: 50,
        fee_bps: 0,
        surplus_bps: 0,
    }
}

fn written(instruction: &SolanaInstruction) -> Value {
    let shown = |key: [u8; 32]| Key::new_from_array(key).to_string();
    let account = |account: &SolanaAccount| json!({ "pubkey": shown(account.address), "isWritable": account.is_writable, "isSigner": account.is_signer });
    let accounts: Vec<Value> = instruction.accounts.iter().map(account).collect();
    json!({ "programId": shown(instruction.program), "accounts": accounts, "data": BASE64.encode(&instruction.data) })
}

/// Creates the account for the output unless it exists.
fn setup(owner: Key) -> SolanaInstruction {
    let entry = |address: [u8; 32], is_signer: bool, is_writable: bool| SolanaAccount {
        address,
        is_signer,
        is_writable,
    };
    SolanaInstruction {
        program: ASSOCIATED_TOKEN.to_bytes(),
        accounts: vec![
            entry(TAKER.to_bytes(), true, true),
            entry(account_of(owner, USDT), false, true),
            entry(owner.to_bytes(), false, false),
            entry(USDT.to_bytes(), false, false),
            entry([0; 32], false, false),
            entry(TOKENS.to_bytes(), false, false),
        ],
        data: vec![1],
    }
}

fn answer(swap: &Swap) -> Value {
    let program: Key = PROGRAM.parse().unwrap();
    let pool = SolanaAccount { address: [42; 32], is_signer: false, is_writable: true };
    json!({
        "inputMint": USDC.to_string(), "outputMint": USDT.to_string(), "inAmount": "100000000",
        "outAmount": "99900000", "otherAmountThreshold": "99400500", "swapMode": "ExactIn", "slippageBps": 50,
        "priceImpactPct": "0.0001",
        "routePlan": [{
            "swapInfo": {
                "ammKey": Key::new_from_array([42; 32]).to_string(), "label": "Raydium CLMM",
                "inputMint": USDC.to_string(), "outputMint": USDT.to_string(), "inAmount": "100000000",
                "outAmount": "99900000",
            },
            "percent": 100, "bps": 10_000, "usdValue": 100.01,
        }],
        "computeBudgetInstructions": [{
            "programId": "ComputeBudget111111111111111111111111111111", "accounts": [], "data": "AwAAAAAAAAAA",
        }],
        "setupInstructions": [written(&setup(TAKER))],
        "swapInstruction": written(&instruction(swap, program.to_bytes(), &[pool], &[1, 0, 0, 0, 7])),
        "cleanupInstruction": null, "otherInstructions": [], "tipInstruction": null,
        "addressesByLookupTableAddress": { TABLE: [Key::new_from_array([42; 32]).to_string()] },
        "blockhashWithMetadata": {
            "blockhash": [1, 2, 3], "lastValidBlockHeight": 350_000_000,
            "fetchedAt": { "secs_since_epoch": 1_795_000_000, "nanos_since_epoch": 0 },
        },
    })
}

fn read_answer(answer: &Value) -> Result<ProviderTransaction, Unusable> {
    let build: Build = serde_json::from_value(answer.clone()).unwrap();
    transaction(&ask(), &build)
}

#[test]
fn the_documented_answer_is_read() {
    let read = read_answer(&answer(&swap())).unwrap();
    assert_eq!(read.target.to_string(), PROGRAM);
    assert_eq!((read.spender, read.value, read.registered), (None, U256::ZERO, None));
    assert_eq!(read.min_amount_out, RawAmount::new(U256::from(99_400_500)));
    let call = SolanaCall::from_bytes(&read.data).unwrap();
    assert_eq!(call.instructions.len(), 2, "the account for the output, and the swap; the budget is ours");
    assert_eq!(call.instructions[0], setup(TAKER));
    assert_eq!(read_swap(&call.instructions[1]), Some(swap()));
    assert_eq!(call.tables, [TABLE.parse::<Key>().unwrap().to_bytes()]);
}

#[test]
fn a_lower_bound_in_the_transaction_is_the_one_that_counts() {
    let read = read_answer(&answer(&Swap { slippage_bps: 100, ..swap() })).unwrap();
    assert_eq!(read.min_amount_out, RawAmount::new(U256::from(98_901_000)));
    let read = read_answer(&answer(&Swap { slippage_bps: 10, ..swap() })).unwrap();
    assert_eq!(read.min_amount_out, RawAmount::new(U256::from(99_400_500)));
}

#[test]
fn another_swap_than_the_one_asked_for_is_a_fault() {
    let other = Key::new_from_array([0xdd; 32]);
    let strange_key = Some(other.to_bytes());
    let changed = |pointer: &str, value: Value| {
        let mut answer = answer(&swap());
        *answer.pointer_mut(pointer).unwrap() = value;
        answer
    };
    let strange = || json!({ "programId": other.to_string(), "accounts": [], "data": "" });
    let cases = [
        (changed("/inputMint", json!(other.to_string())), "another input token"),
        (changed("/outputMint", json!(USDC.to_string())), "another output token"),
        (changed("/inAmount", json!("100000001")), "another input"),
        (changed("/swapMode", json!("ExactOut")), "another kind of swap"),
        (changed("/otherAmountThreshold", json!("-1")), "otherAmountThreshold"),
        (changed("/cleanupInstruction", strange()), "nobody asked for"),
        (changed("/tipInstruction", strange()), "nobody asked for"),
        (changed("/otherInstructions", json!([strange()])), "nobody asked for"),
        (changed("/setupInstructions", json!([strange()])), "nobody asked for"),
        (changed("/setupInstructions", json!([written(&setup(other))])), "nobody asked for"),
        (changed("/swapInstruction/data", json!("%")), "base64"),
        (changed("/swapInstruction/programId", json!("0x12")), "no address"),
        (answer(&Swap { payer: strange_key, ..swap() }), "instead of the payer"),
        (answer(&Swap { source: strange_key, ..swap() }), "instead of the payer"),
        (
            answer(&Swap { destination: Some(account_of(other, USDT)), ..swap() }),
            "instead of the token account",
        ),
        (answer(&Swap { input: strange_key, ..swap() }), "instead of the input"),
        (answer(&Swap { amount: 100_000_001, ..swap() }), "instead of the input"),
        (answer(&Swap { output: strange_key, ..swap() }), "pays in"),
        (answer(&Swap { output_program: strange_key, ..swap() }), "tokens of the program"),
        (answer(&Swap { fee_bps: 1, ..swap() }), "a fee"),
        (answer(&Swap { surplus_bps: 1, ..swap() }), "a fee"),
    ];
    for (answer, word) in cases {
        match read_answer(&answer) {
            Err(Unusable::Wrong(words)) => assert!(words.contains(word), "{word}: {words}"),
            other => panic!("{word}: {other:?}"),
        }
    }
}

#[test]
fn a_swap_that_cannot_be_checked_is_not_offered() {
    let mut opaque = answer(&swap());
    opaque["swapInstruction"]["data"] = json!("AAAA");
    let mut many = answer(&swap());
    many["setupInstructions"] = json!(vec![written(&setup(TAKER)); 5]);
    for answer in [opaque, many, answer(&Swap { slippage_bps: 10_000, ..swap() })] {
        assert!(matches!(read_answer(&answer), Err(Unusable::Declined(_))));
    }
}

#[test]
fn its_program_is_an_address_of_solana() {
    assert!(Jupiter::new(JupiterConfig::default()).is_ok());
    let program = "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE".to_owned();
    let error = Jupiter::new(JupiterConfig { program, ..JupiterConfig::default() }).unwrap_err().to_string();
    assert!(error.contains("address on Solana"), "{error}");
}
