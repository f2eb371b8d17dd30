//! The answer of `/swap/allowance-holder/quote` in the form that the OpenAPI document of 0x (fern/openapi.json in
//! github.com/0xProject/0x-docs as of 2026-05-28, with its example of 100 USDC for USDT) has it, read on 2026-11-19; its call
//! data is made here. Not verified against the live service.

use alloy_primitives::{Address as EvmAddress, B256, Bytes, U256, address};
use causeway_domain::{RawAmount, Slippage};
use causeway_provider_calls::zerox::Swap;
use serde_json::{Value, json};

use super::mapping::transaction;
use super::*;
use crate::providers::{PinnedContractsConfig, ProviderKey};

const HOLDER: &str = "0x0000000000001fF3684f28c67538d4D072C22734";
const SETTLER: EvmAddress = address!("7C39a136EA20B3483e402EA031c1f3C019bAb24b");
const REGISTRY: EvmAddress = address!("00000000000004533Fe15556B1E086BB1A72cEae");
const USDC: EvmAddress = address!("a0b86991c6218b36c1d19d4a2e9eb0ce3606eb48");
const USDT: EvmAddress = address!("dac17f958d2ee523a2206206994597c13d831ec7");
const TAKER: EvmAddress = address!("70a9f34f9b34c64957b9c401a97bfed35b95049e");

fn ask() -> ProviderAsk {
    let ethereum = ChainId::new(1).unwrap();
    let token = |token| TokenId::from_address(ethereum, Address::Evm(token)).unwrap();
    ProviderAsk {
        from: token(USDC),
        to: token(USDT),
        amount_in: RawAmount::new(U256::from(100_000_000)),
        min_amount_out: RawAmount::ZERO,
        payer: Address::Evm(TAKER),
        recipient: Address::Evm(TAKER),
        refund_to: Address::Evm(TAKER),
        tool: TOOL.to_owned(),
        slippage: Slippage::DEFAULT,
    }
}

fn swap() -> Swap {
    Swap {
        operator: SETTLER,
        settler: SETTLER,
        token: USDC,
        amount: U256::from(100_000_000),
        recipient: TAKER,
        output: USDT,
        least: U256::from(98_833_517),
    }
}

fn answer(swap: &Swap) -> Value {
    json!({
        "allowanceTarget": HOLDER.to_lowercase(), "blockNumber": "20114676", "buyAmount": "99831834",
        "buyToken": USDT.to_string().to_lowercase(),
        "fees": {
            "integratorFee": null, "integratorFees": null,
            "zeroExFee": { "amount": "149974", "token": USDT.to_string().to_lowercase(), "type": "volume" },
            "gasFee": null,
        },
        "issues": {
            "allowance": { "actual": "0", "spender": HOLDER.to_lowercase() },
            "balance": { "token": USDC.to_string(), "actual": "0", "expected": "100000000" },
            "simulationIncomplete": false, "invalidSourcesPassed": [],
        },
        "liquidityAvailable": true, "minBuyAmount": "98833517", "mode": "exact-in",
        "route": {
            "fills": [{ "from": USDC.to_string(), "to": USDT.to_string(), "source": "SolidlyV3", "proportionBps": "10000" }],
            "tokens": [{ "address": USDC.to_string(), "symbol": "USDC" }, { "address": USDT.to_string(), "symbol": "USDT" }],
        },
        "sellAmount": "100000000", "sellToken": USDC.to_string().to_lowercase(),
        "tokenMetadata": {
            "buyToken": { "buyTaxBps": "0", "sellTaxBps": "0", "transferTaxBps": "0" },
            "sellToken": { "buyTaxBps": "0", "sellTaxBps": "0", "transferTaxBps": "0" },
        },
        "totalNetworkFee": "1393685870940000",
        "transaction": {
            "to": HOLDER.to_lowercase(), "data": swap.call(vec![Bytes::from_static(&[1, 2, 3])], B256::repeat_byte(5)),
            "gas": "288079", "gasPrice": "7062490000", "value": "0",
        },
        "zid": "0x111111111111111111111111",
    })
}

fn read_answer(answer: &Value) -> Result<causeway_domain::ports::ProviderTransaction, Unusable> {
    let quote: Quote = serde_json::from_value(answer.clone()).unwrap();
    transaction(&ask(), &quote, REGISTRY)
}

#[test]
fn the_documented_answer_is_read() {
    let read = read_answer(&answer(&swap())).unwrap();
    let holder = Address::Evm(HOLDER.parse().unwrap());
    assert_eq!((read.target, read.spender, read.value), (holder, Some(holder), U256::ZERO));
    assert_eq!(read.min_amount_out, RawAmount::new(U256::from(98_833_517)));
    let registered = read.registered.unwrap();
    assert_eq!(
        (registered.contract, registered.registry),
        (Address::Evm(SETTLER), Address::Evm(REGISTRY)),
        "the chain is asked whether the settler is one"
    );
    // Who has allowed enough is told of no allowance.
    let mut allowed = answer(&swap());
    allowed["issues"]["allowance"] = Value::Null;
    allowed["allowanceTarget"] = Value::Null;
    assert_eq!(read_answer(&allowed).unwrap().spender, Some(holder));
}

#[test]
fn a_lower_bound_in_the_transaction_is_the_one_that_counts() {
    let read = read_answer(&answer(&Swap { least: U256::from(98_000_000), ..swap() })).unwrap();
    assert_eq!(read.min_amount_out, RawAmount::new(U256::from(98_000_000)));
    let read = read_answer(&answer(&Swap { least: U256::from(99_000_000), ..swap() })).unwrap();
    assert_eq!(read.min_amount_out, RawAmount::new(U256::from(98_833_517)));
}

#[test]
fn another_swap_than_the_one_asked_for_is_a_fault() {
    let other = EvmAddress::repeat_byte(0xdd);
    let changed = |pointer: &str, value: Value| {
        let mut answer = answer(&swap());
        *answer.pointer_mut(pointer).unwrap() = value;
        answer
    };
    let cases = [
        (changed("/sellToken", json!(other)), "another input token"),
        (changed("/buyToken", json!(other)), "another output token"),
        (changed("/sellAmount", json!("100000001")), "another input"),
        (changed("/issues/allowance/spender", json!(other)), "two contracts"),
        (changed("/minBuyAmount", json!("-1")), "minBuyAmount"),
        (answer(&Swap { recipient: other, ..swap() }), "instead of"),
        (answer(&Swap { output: other, ..swap() }), "pays in"),
        (answer(&Swap { operator: other, ..swap() }), "take the input"),
        (answer(&Swap { settler: other, ..swap() }), "take the input"),
        (answer(&Swap { token: other, ..swap() }), "instead of the input"),
        (answer(&Swap { amount: U256::from(100_000_001), ..swap() }), "instead of the input"),
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
    opaque["transaction"]["data"] = json!("0x12345678");
    for answer in [opaque, answer(&Swap { least: U256::ZERO, ..swap() })] {
        assert!(matches!(read_answer(&answer), Err(Unusable::Declined(_))));
    }
}

#[test]
fn bundled_contracts_are_one_for_each_chain() {
    let mut chains: Vec<u64> = CONTRACTS.iter().map(|contract| contract.chain).collect();
    chains.dedup();
    assert_eq!(chains.len(), CONTRACTS.len(), "sorted, none twice");
    let key = Some(ProviderKey::new("key".to_owned()));
    let usual = || ZeroxConfig { api_key: key.clone(), ..ZeroxConfig::default() };
    assert_eq!(Zerox::new(usual()).unwrap().pins.all().len(), 11, "unverified ones are off");
    let contracts = PinnedContractsConfig { unverified: true, ..PinnedContractsConfig::default() };
    assert_eq!(Zerox::new(ZeroxConfig { contracts, ..usual() }).unwrap().pins.all().len(), 13);
}

#[test]
fn it_needs_a_key_and_a_fee_has_a_bound_and_an_owner() {
    let key = Some(ProviderKey::new("key".to_owned()));
    for (config, word) in [
        (ZeroxConfig::default(), "API key"),
        (ZeroxConfig { api_key: key.clone(), fee_bps: 1_001, ..ZeroxConfig::default() }, "basis points"),
        (ZeroxConfig { api_key: key, fee_bps: 10, ..ZeroxConfig::default() }, "paid to"),
    ] {
        let error = Zerox::new(config).unwrap_err().to_string();
        assert!(error.contains(word), "{word}: {error}");
    }
}
