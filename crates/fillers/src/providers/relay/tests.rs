//! Orders and statuses in the forms that docs.relay.link shows (features/price-stabilization, features/deposit-addresses,
//! references/api/get-requests), read on 2026-11-18. Not verified against the live service.

use causeway_domain::ports::{ProviderReturn, ProviderState};
use causeway_testing::sample;
use serde_json::{Value, json};

use super::mapping::report;
use super::order::OrderData;
use super::*;

const DEPOSIT: &str = "0xe53021eaa63d100b08338197d26953e2219bcbad828267dd936c549ff643aad7";
const PAYOUT: &str = "0x9da7bc54dfe6229d6980fd62250d472f23dfe0f41a1cdc870c81a08b3445f254";
const FILLER_DATA: &str = "0x000000000000000000000000b92fe925dc43a0ecde6c8b1a2709c170ec4fff4f";

/// An example of the documentation: its chains, currencies, owner, salt, amounts and deadline.
struct Example {
    chains: [&'static str; 2],
    currencies: [&'static str; 2],
    owner: &'static str,
    salt: &'static str,
    amount: &'static str,
    least: &'static str,
    expected: &'static str,
    deadline: u32,
}

const COIN: &str = "0x0000000000000000000000000000000000000000";

impl Example {
    fn data(&self) -> OrderData {
        let refund = |side: usize| {
            json!({
                "chainId": self.chains[side], "recipient": self.owner, "currency": self.currencies[side],
                "minimumAmount": "0", "deadline": self.deadline, "extraData": FILLER_DATA,
            })
        };
        let order = json!({
            "version": "v1", "solverChainId": "base", "solver": "0xf70da97812cb96acdf810712aa562db8dfa3dbef",
            "salt": self.salt,
            "inputs": [{
                "payment": {
                    "chainId": self.chains[0], "currency": self.currencies[0], "amount": self.amount, "weight": "1",
                },
                "refunds": [refund(0), refund(1)],
            }],
            "output": {
                "chainId": self.chains[1],
                "payments": [{
                    "recipient": self.owner, "currency": self.currencies[1], "minimumAmount": self.least,
                    "expectedAmount": self.expected,
                }],
                "calls": [], "deadline": self.deadline, "extraData": FILLER_DATA,
            },
            "fees": [],
        });
        serde_json::from_value(order).unwrap()
    }
}

#[test]
fn documented_orders_hash_to_their_ids() {
    let examples = [
        (
            "0x4c625ab9733d2d5702beed88f4156575e25d599d5145551d5bf2bfc358db234b",
            Example {
                chains: ["base", "arbitrum"],
                currencies: [
                    "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
                    "0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9",
                ],
                owner: "0x03508bb71268bba25ecacc8f620e01866650532c",
                salt: "0xd286b86b54a2a3d4eaa99814ea4652cd4790e6ebeaf9c802586514a52dd281c9",
                amount: "100000000",
                least: "97951882",
                expected: "99950900",
                deadline: 1_777_339_792,
            },
        ),
        (
            "0x8391f3eb54c0999767a970a1603aaf16403a17263cdf723adec76e3fda5be275",
            Example {
                chains: ["base", "optimism"],
                currencies: [COIN, COIN],
                owner: "0xF0AE622e463fa757Cf72243569E18Be7Df1996cd",
                salt: "0x184ed77f343bff09b7255a75f0be900ac82c00c276c0a97eed2948ab3a1e8503",
                amount: "100000000000000000",
                least: "97980620418202610",
                expected: "99980224916533275",
                deadline: 1_791_082_506,
            },
        ),
    ];
    for (id, example) in examples {
        assert_eq!(example.data().id().to_string(), id);
        let mut other = example.data();
        other.output.payments[0].recipient = alloy_primitives::Address::repeat_byte(7);
        assert_ne!(other.id().to_string(), id, "another recipient is another order");
    }
}

fn read_status(status: &str, out: &Value, refund: &Value) -> Result<Option<ProviderReport>, String> {
    let body = json!({
        "requests": [{
            "id": "0x92b99e6e1ee1deeb9531b5ad7f87091b3d71254b3176de9e8b5f6c6d0bd3a331", "status": status,
            "data": {
                "failReason": "N/A", "inTxs": [{ "txHash": DEPOSIT, "chainId": 1, "status": "success" }],
                "outTxs": out, "refundCurrencyData": refund,
            },
        }],
        "continuation": null,
    });
    let found: Requests = serde_json::from_value(body).unwrap();
    report(&sample::order(1), DEPOSIT, &found.requests)
}

fn state(status: &str, out: &Value, refund: &Value) -> ProviderState {
    read_status(status, out, refund).unwrap().unwrap().state
}

#[test]
fn documented_statuses_are_read() {
    let order = sample::order(1);
    let paid = json!([{ "txHash": PAYOUT, "chainId": order.to.chain().get(), "status": "success" }]);
    for status in ["waiting", "depositing", "pending", "submitted", "delayed"] {
        assert_eq!(state(status, &json!([]), &Value::Null), ProviderState::Working);
    }
    assert_eq!(state("success", &paid, &Value::Null), ProviderState::Delivered { tx: PAYOUT.to_owned() });
    assert_eq!(state("success", &json!([]), &Value::Null), ProviderState::Working, "nothing to look at");
    assert_eq!(state("failure", &json!([]), &Value::Null), ProviderState::Failed);
    assert_eq!(state("refund", &json!([]), &Value::Null), ProviderState::Failed, "nothing to look at");
    assert!(read_status("exploded", &paid, &Value::Null).unwrap_err().contains("exploded"));
    assert_eq!(report(&order, DEPOSIT, &[]), Ok(None));
    let other = |tx: &str| {
        let found: Vec<wire::RelayRequest> =
            serde_json::from_value(json!([{ "status": "success", "data": { "inTxs": [{ "txHash": tx }] } }]))
                .unwrap();
        report(&order, DEPOSIT, &found)
    };
    assert!(other(PAYOUT).unwrap_err().contains("another transaction"));
}

#[test]
fn a_refund_names_its_token() {
    let order = sample::order(1);
    let paid = json!([{ "txHash": PAYOUT, "chainId": order.from.chain().get() }]);
    let returned =
        |token| ProviderState::Returned(ProviderReturn { token, tx: PAYOUT.to_owned(), at_recipient: false });
    assert_eq!(state("refund", &paid, &Value::Null), returned(order.from), "no token: the input");
    let usdt = "0xdAC17F958D2ee523a2206206994597C13D831ec7";
    let refund = json!({ "currency": { "chainId": 1, "address": usdt, "symbol": "USDT", "decimals": 6 } });
    let token = TokenId::from_address(ChainId::new(1).unwrap(), Address::Evm(usdt.parse().unwrap())).unwrap();
    assert_eq!(state("refund", &paid, &refund), returned(token));
}

#[test]
fn every_bundled_contract_is_verified_and_its_chain_has_a_name() {
    let relay = Relay::new(RelayConfig::default()).unwrap();
    assert_eq!(relay.pins.all().len(), CONTRACTS.len());
    assert!(CONTRACTS.iter().all(|contract| chain_name(contract.chain).is_some()));
}

#[test]
fn a_fee_has_a_bound_and_an_owner() {
    let config = RelayConfig { fee_bps: 1_001, ..RelayConfig::default() };
    assert!(Relay::new(config).unwrap_err().to_string().contains("basis points"));
    let config = RelayConfig { fee_bps: 10, ..RelayConfig::default() };
    assert!(Relay::new(config).unwrap_err().to_string().contains("paid to"));
}
