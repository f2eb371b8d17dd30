use causeway_provider_calls::jupiter::Swap;
use serde_json::{Value, json};

use super::super::super::program_address::program_address;
use super::super::super::solana::TOKEN_PROGRAMS;
use super::*;

const PAYER: B256 = B256::repeat_byte(1);
const TARGET: B256 = B256::repeat_byte(2);
const OTHER: B256 = B256::repeat_byte(3);

/// A call: its program, accounts and data.
type Call<'a> = (B256, &'a [B256], &'a [u8]);

fn text(key: B256) -> String {
    bs58::encode(key).into_string()
}

/// A transaction of these calls, signed by so many.
fn transaction(signers: u8, calls: &[Call<'_>]) -> String {
    let mut keys = vec![PAYER];
    for (program, accounts, _) in calls {
        for key in accounts.iter().chain([program]) {
            if !keys.contains(key) {
                keys.push(*key);
            }
        }
    }
    let place = |key: &B256| u8::try_from(keys.iter().position(|known| known == key).unwrap()).unwrap();
    let count = |count: usize| u8::try_from(count).unwrap();
    let mut bytes = vec![signers];
    bytes.extend(vec![0; 64 * usize::from(signers)]);
    bytes.extend([0x80, signers, 0, 0, count(keys.len())]);
    bytes.extend(keys.iter().flatten());
    bytes.extend([7; 32]);
    bytes.push(count(calls.len()));
    for (program, accounts, data) in calls {
        bytes.extend([place(program), count(accounts.len())]);
        bytes.extend(accounts.iter().map(place));
        bytes.push(count(data.len()));
        bytes.extend(*data);
    }
    bytes.push(0);
    BASE64.encode(bytes)
}

fn built(transaction: &str) -> Value {
    json!({
        "kind": "PROVIDER_CALL", "orderId": "1", "settlement": "provider", "provider": "jupiter", "tool": "jupiter",
        "approvals": [{ "type": "solana_sendTransaction", "transaction": transaction, "deposit": true }],
        "target": text(TARGET), "minAmountOut": "19", "heldBy": "", "refunds": "", "summary": [],
    })
}

const INPUT: B256 = B256::repeat_byte(4);
const OUTPUT: B256 = B256::repeat_byte(5);

fn ask() -> QuoteAsk {
    QuoteAsk {
        from_chain_id: 20_011_000_000,
        from_token: text(INPUT),
        to_chain_id: 20_011_000_000,
        to_token: text(OUTPUT),
        from_address: text(PAYER),
        ..QuoteAsk::default()
    }
}

fn plan_for(ask: &QuoteAsk, built: &Value, trusted: &[TrustedProvider]) -> Result<usize, String> {
    let deposit: ProviderDeposit = serde_json::from_value(built.clone()).unwrap();
    let quote = json!({
        "amountIn": "25", "amountOut": "20", "minAmountOut": "19", "expectedDurationSeconds": 4,
    });
    let quote: RouteQuote = serde_json::from_value(quote).unwrap();
    plan_call(ask, &quote, &deposit, trusted).map(|plan| plan.actions.len())
}

fn plan(built: &Value, trusted: &[TrustedProvider]) -> Result<usize, String> {
    plan_for(&ask(), built, trusted)
}

fn trusted() -> Vec<TrustedProvider> {
    vec![TrustedProvider::new(&text(TARGET))]
}

fn refused(transaction: &str) -> String {
    plan(&built(transaction), &trusted()).unwrap_err()
}

fn token_account(owner: B256, mint: B256) -> B256 {
    let program = word(TOKEN_PROGRAMS[0]).unwrap();
    program_address(&[owner.as_slice(), program.as_slice(), mint.as_slice()], accounts()).unwrap()
}

fn swap() -> Swap {
    let program = word(TOKEN_PROGRAMS[0]).map(|program| program.0);
    Swap {
        payer: Some(PAYER.0),
        source: Some(token_account(PAYER, INPUT).0),
        destination: Some(token_account(PAYER, OUTPUT).0),
        input: Some(INPUT.0),
        output: Some(OUTPUT.0),
        input_program: program,
        output_program: program,
        amount: 25,
        quoted: 20,
        slippage_bps: 500,
        fee_bps: 0,
        surplus_bps: 0,
    }
}

/// The accounts and the data of a swap's instruction.
fn parts(swap: &Swap) -> (Vec<B256>, Vec<u8>) {
    let accounts = swap.accounts(TARGET.0).into_iter().flatten().map(B256::from).collect();
    (accounts, swap.data(&[1, 0, 0, 0, 9]))
}

/// What is said of a transaction that swaps so.
fn answer(swap: &Swap) -> Result<usize, String> {
    let (accounts, data) = parts(swap);
    plan(&built(&transaction(1, &[(TARGET, &accounts, &data)])), &trusted())
}

fn budget() -> B256 {
    word(COMPUTE_BUDGET).unwrap()
}

fn accounts() -> B256 {
    word(ASSOCIATED_TOKEN).unwrap()
}

#[test]
fn a_call_of_a_trusted_program_is_signed() {
    let (keys, data) = parts(&swap());
    let calls: [Call<'_>; 4] = [
        (budget(), &[], &[2, 1, 0, 0, 0]),
        (budget(), &[], &[3, 1, 0, 0, 0, 0, 0, 0, 0]),
        (accounts(), &[PAYER, OTHER, PAYER], &[1]),
        (TARGET, &keys, &data),
    ];
    assert_eq!(plan(&built(&transaction(1, &calls)), &trusted()), Ok(1));
    for trusted in [vec![], vec![TrustedProvider::new(&text(OTHER))]] {
        assert!(plan(&built(&transaction(1, &calls)), &trusted).unwrap_err().contains("trusted"));
    }
}

#[test]
fn a_swap_that_says_something_else_is_refused_in_words() {
    let (other, right) = (Some(OTHER.0), swap());
    for (swap, word) in [
        (Swap { payer: other, ..right.clone() }, "call's payer"),
        (Swap { source: other, ..right.clone() }, "call's source"),
        (Swap { destination: Some(token_account(OTHER, OUTPUT).0), ..right.clone() }, "call's destination"),
        (Swap { input: other, ..right.clone() }, "call's input token"),
        (Swap { output: other, ..right.clone() }, "call's output token"),
        (Swap { input_program: other, ..right.clone() }, "call's token program"),
        (Swap { amount: 24, ..right.clone() }, "call's input is 24"),
        (Swap { slippage_bps: 501, ..right.clone() }, "call's least output is 18"),
        (Swap { fee_bps: 1, ..right.clone() }, "call's fee"),
        (Swap { surplus_bps: 1, ..right.clone() }, "call's fee"),
    ] {
        let error = answer(&swap).unwrap_err();
        assert!(error.contains(word), "{word}: {error}");
    }
    assert_eq!(answer(&right), Ok(1));
    let (keys, data) = parts(&right);
    let good = built(&transaction(1, &[(TARGET, &keys, &data)]));
    let elsewhere = QuoteAsk { to_chain_id: 1, ..ask() };
    assert!(plan_for(&elsewhere, &good, &trusted()).unwrap_err().contains("call's destination chain"));
    let for_other = QuoteAsk { recipient: Some(text(OTHER)), ..ask() };
    assert!(plan_for(&for_other, &good, &trusted()).unwrap_err().contains("call's destination"));
    let call = |data: &[u8]| refused(&transaction(1, &[(TARGET, &keys, data)]));
    assert!(call(&[9]).contains("function 0x09 of"));
    assert!(call(&data[..20]).contains("other arguments"));
}

#[test]
fn mints_may_stand_in_a_lookup_table_and_token_accounts_may_not() {
    let with_table = |places: &[usize]| {
        let (keys, data) = parts(&swap());
        let bytes = BASE64.decode(transaction(1, &[(TARGET, &keys, &data)])).unwrap();
        let read = Transaction::read(&bytes).unwrap();
        let (count, instruction) = (u8::try_from(read.keys.len()).unwrap(), &read.instructions[0]);
        let mut accounts = instruction.accounts.to_vec();
        for place in places {
            accounts[*place] = count;
        }
        let at = bytes.windows(accounts.len()).position(|window| window == instruction.accounts).unwrap();
        let mut changed = bytes.clone();
        changed[at..at + accounts.len()].copy_from_slice(&accounts);
        // One table, of which one account is writable.
        changed.pop();
        changed.push(1);
        changed.extend([6; 32]);
        changed.extend([1, 0, 0]);
        plan(&built(&BASE64.encode(changed)), &trusted())
    };
    assert_eq!(with_table(&[3, 4, 5, 6]), Ok(1));
    for place in [1, 2, 7] {
        let error = with_table(&[place]).unwrap_err();
        assert!(error.contains("in a lookup table"), "{error}");
    }
}

#[test]
fn what_a_swap_does_not_need_is_refused_in_words() {
    let (keys, data) = parts(&swap());
    let swap: Call<'_> = (TARGET, &keys, &data);
    let of = |calls: &[Call<'_>]| refused(&transaction(1, calls));
    assert!(of(&[swap, (OTHER, &[PAYER], &[1])]).contains("does not need"));
    assert!(of(&[swap, swap]).contains("2 times"));
    assert!(of(&[]).contains("0 times"));
    assert!(of(&[swap, (accounts(), &[PAYER, OTHER, OTHER], &[1])]).contains("not the payer's"));
    assert!(of(&[swap, (accounts(), &[PAYER, OTHER, PAYER], &[2])]).contains("not the payer's"));
    assert!(of(&[swap, (budget(), &[OTHER], &[2, 1, 0, 0, 0])]).contains("does not need"));
    let dear = [&[3][..], &u64::MAX.to_le_bytes()].concat();
    assert!(of(&[swap, (budget(), &[], &dear)]).contains("priority fee"));
    assert!(refused(&transaction(2, &[swap])).contains("alone"));
    assert!(refused("AAAA").contains("not a version 0"));
    let mut none = built(&transaction(1, &[swap]));
    none["approvals"] = json!([]);
    assert!(plan(&none, &trusted()).unwrap_err().contains("one Solana transaction"));
    let mut silent = built(&transaction(1, &[swap]));
    silent["approvals"][0]["deposit"] = json!(false);
    assert!(plan(&silent, &trusted()).unwrap_err().contains("deposits"));
}
