use alloy_primitives::{Bytes, hex};
use causeway_provider_calls::{relay, zerox};
use serde_json::{Value, json};

use super::super::super::trusted_provider::Unchecked;
use super::*;

const PAYER: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const TOKEN: &str = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const TARGET: &str = "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE";
const OTHER: &str = "0x000000000000000000000000000000000000dEaD";

fn ask() -> QuoteAsk {
    QuoteAsk {
        trade_type: "EXACT_INPUT".to_owned(),
        from_chain_id: 8453,
        from_token: TOKEN.to_owned(),
        to_chain_id: 8453,
        to_token: OTHER.to_owned(),
        amount: "25".to_owned(),
        from_address: PAYER.to_owned(),
        ..QuoteAsk::default()
    }
}

fn quote() -> RouteQuote {
    serde_json::from_value(json!({
        "amountIn": "25", "amountOut": "20", "minAmountOut": "19", "expectedDurationSeconds": 4,
    }))
    .unwrap()
}

fn approve(spender: &str, amount: u64) -> String {
    let spender = spender.trim_start_matches("0x").to_lowercase();
    format!("0x095ea7b3{spender:0>64}{amount:064x}")
}

fn send(to: &str, data: &str, value: &str, deposit: bool) -> Value {
    let params = json!([{ "from": PAYER, "to": to, "data": data, "value": value, "chainId": "0x2105" }]);
    json!({
        "type": "eip1193_request", "request": { "method": "eth_sendTransaction", "params": params },
        "deposit": deposit,
    })
}

fn built(approval: &Value, call: &Value) -> Value {
    json!({
        "kind": "PROVIDER_CALL", "approvals": [approval, call], "orderId": "1", "settlement": "provider",
        "provider": "zerox", "tool": "zerox", "target": TARGET, "spender": TARGET, "minAmountOut": "19",
        "heldBy": "", "refunds": "", "summary": [],
    })
}

fn address(text: &str) -> Address {
    text.parse().unwrap()
}

/// A swap through 0x, which says everything.
fn swap() -> zerox::Swap {
    zerox::Swap {
        operator: address(TARGET),
        settler: address(TARGET),
        token: address(TOKEN),
        amount: U256::from(25),
        recipient: address(PAYER),
        output: address(OTHER),
        least: U256::from(19),
    }
}

fn encoded(swap: &zerox::Swap) -> String {
    hex::encode_prefixed(swap.call(vec![Bytes::from(vec![7; 5])], B256::ZERO))
}

fn allow() -> Value {
    send(TOKEN, &approve(TARGET, 25), "0x0", false)
}

fn good() -> Value {
    built(&allow(), &send(TARGET, &encoded(&swap()), "0x0", true))
}

fn plan(built: &Value, trusted: &[TrustedProvider]) -> Result<Plan, String> {
    let deposit: ProviderDeposit = serde_json::from_value(built.clone()).unwrap();
    plan_provider(&ask(), &quote(), &deposit, trusted)
}

fn refused(built: &Value) -> String {
    plan(built, &[TARGET.into()]).unwrap_err()
}

#[test]
fn a_payment_to_pinned_contracts_is_planned() {
    let plan = plan(&good(), &[TARGET.into()]).unwrap();
    assert_eq!((plan.actions.len(), plan.settler), (2, None));
}

#[test]
fn a_payment_that_differs_from_the_request_is_refused_in_words() {
    let call = encoded(&swap());
    let pay = || send(TARGET, &call, "0x0", true);
    for (built, word) in [
        (built(&allow(), &send(OTHER, &call, "0x0", true)), "deposit's contract"),
        (built(&allow(), &send(TARGET, &call, "0x1", true)), "deposit's value"),
        (built(&send(TOKEN, &approve(TARGET, 26), "0x0", false), &pay()), "approval's amount"),
        (built(&send(TOKEN, &approve(OTHER, 25), "0x0", false), &pay()), "approval's spender"),
        (built(&send(OTHER, &approve(TARGET, 25), "0x0", false), &pay()), "approval's token"),
        (built(&allow(), &send(TARGET, &call, "0x0", false)), "approval's token"),
        (built(&allow(), &send(TARGET, "0xabcdef0123", "0x0", true)), "function 0xabcdef01"),
        (built(&allow(), &send(TARGET, "0x", "0x0", true)), "function 0x "),
        (built(&allow(), &send(TARGET, &format!("{call}00"), "0x0", true)), "other arguments"),
    ] {
        let error = refused(&built);
        assert!(error.contains(word), "{word}: {error}");
    }
    let mut short = good();
    short["minAmountOut"] = json!("18");
    assert!(refused(&short).contains("output"));
    let mut spender = good();
    spender["spender"] = json!(OTHER);
    assert!(refused(&spender).contains("spender"));
}

#[test]
fn a_call_that_says_something_else_is_refused_in_words() {
    let (other, right) = (address(OTHER), swap());
    for (swap, word) in [
        (zerox::Swap { token: other, ..right }, "call's input token"),
        (zerox::Swap { amount: U256::from(24), ..right }, "call's input is 24"),
        (zerox::Swap { recipient: other, ..right }, "call's recipient"),
        (zerox::Swap { output: address(TOKEN), ..right }, "call's output token"),
        (zerox::Swap { least: U256::from(18), ..right }, "call's least output is 18"),
        (zerox::Swap { operator: other, ..right }, "call's operator"),
    ] {
        let error = refused(&built(&allow(), &send(TARGET, &encoded(&swap), "0x0", true)));
        assert!(error.contains(word), "{word}: {error}");
    }
}

#[test]
fn a_settler_that_is_not_trusted_by_name_is_left_to_the_registry() {
    let other = zerox::Swap { operator: address(OTHER), settler: address(OTHER), ..swap() };
    let built = built(&allow(), &send(TARGET, &encoded(&other), "0x0", true));
    assert_eq!(plan(&built, &[TARGET.into()]).unwrap().settler, Some(address(OTHER)));
    assert_eq!(plan(&built, &[TARGET.into(), OTHER.into()]).unwrap().settler, None);
}

#[test]
fn what_a_call_does_not_say_is_taken_only_from_a_contract_that_leaves_it_unchecked() {
    let token = Some((address(TOKEN), U256::from(25)));
    let deposit = relay::Deposit { depositor: address(PAYER), token, id: B256::repeat_byte(3) };
    let built = built(&allow(), &send(TARGET, &hex::encode_prefixed(deposit.call()), "0x0", true));
    let trusting = |unchecked: &[Unchecked]| {
        let start = TrustedProvider::new(TARGET);
        vec![unchecked.iter().fold(start, |provider, what| provider.with_unchecked(*what))]
    };
    assert!(plan(&built, &trusting(&[Unchecked::Recipient, Unchecked::Output])).is_ok());
    for (unchecked, word) in [
        (vec![], "`recipient` unchecked"),
        (vec![Unchecked::Output], "`recipient` unchecked"),
        (vec![Unchecked::Recipient], "`output` unchecked"),
    ] {
        let error = plan(&built, &trusting(&unchecked)).unwrap_err();
        assert!(error.contains(word), "{word}: {error}");
    }
    let elsewhere = TrustedProvider::new(OTHER).with_unchecked(Unchecked::Recipient);
    assert!(plan(&built, &[TARGET.into(), elsewhere]).is_err(), "what another contract leaves unchecked");
}

/// Whatever byte of a call that passes is changed, the rest of it still says what was asked, or nothing is signed.
#[test]
fn a_changed_byte_of_a_call_passes_only_where_nothing_of_it_is_compared() {
    let call = swap().call(vec![Bytes::from(vec![7; 5])], B256::ZERO).to_vec();
    let mut passed = Vec::new();
    for at in 0..call.len() {
        let mut changed = call.clone();
        changed[at] ^= 1;
        let data = hex::encode_prefixed(&changed);
        if plan(&built(&allow(), &send(TARGET, &data, "0x0", true)), &[TARGET.into()]).is_ok() {
            let read = zerox::Swap::read(&changed).unwrap();
            assert_eq!(
                zerox::Swap { least: U256::ZERO, ..read },
                zerox::Swap { least: U256::ZERO, ..swap() },
                "{at}"
            );
            assert!(read.least >= U256::from(19), "{at}");
            passed.push(at);
        }
    }
    // The bytes of the one action, the number of 0x's own books, and a higher least output.
    assert!(passed.len() < 5 + 32 + 32, "{passed:?}");
}

#[test]
fn contracts_that_nobody_trusts_get_nothing() {
    assert!(plan(&good(), &[]).unwrap_err().contains("trusted"));
    assert!(plan(&good(), &[OTHER.into()]).unwrap_err().contains("trusted"));
}
