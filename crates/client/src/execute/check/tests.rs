use serde_json::json;

use super::*;

const PAYER: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const USDC: &str = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const ESCROW: &str = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const COIN: &str = "0x0000000000000000000000000000000000000000";

fn padded(address: &str) -> String {
    format!("0x{}{}", "0".repeat(24), address[2..].to_lowercase())
}

fn ask() -> QuoteAsk {
    QuoteAsk {
        trade_type: "EXACT_INPUT".to_owned(),
        from_chain_id: 8453,
        from_token: USDC.to_owned(),
        to_chain_id: 1,
        to_token: "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE".to_owned(),
        amount: "1000".to_owned(),
        from_address: PAYER.to_lowercase(),
        ..QuoteAsk::default()
    }
}

fn quote() -> RouteQuote {
    serde_json::from_value(json!({
        "amountIn": "1000", "amountOut": "300", "minAmountOut": "290", "expectedDurationSeconds": 1,
        "validBefore": 1, "tags": [],
    }))
    .unwrap()
}

fn frozen() -> Value {
    json!({
        "summary": [], "intentId": "0x01",
        "recovery": { "chainId": 8453, "escrow": ESCROW, "refundAfter": 1 },
        "terms": {
            "version": "1", "originChainId": "8453", "escrow": padded(ESCROW), "user": padded(PAYER), "nonce": "0x01",
            "inputToken": padded(USDC), "amountIn": "1000", "refundTo": padded(PAYER), "filler": padded(ESCROW),
            "payee": padded(ESCROW), "referrer": padded(COIN), "referrerFee": "0", "destinationChainId": "1",
            "settler": padded(ESCROW), "outputToken": padded(COIN), "amountOut": "300", "recipient": padded(PAYER),
            "openDeadline": "1", "fillDeadline": "2", "refundAt": "3", "epoch": "0",
        },
    })
}

fn call() -> Value {
    let mut built = frozen();
    built["kind"] = json!("CONTRACT_CALL");
    let transaction =
        json!({ "from": PAYER, "to": ESCROW, "data": "0x", "value": "0x0", "chainId": "0x2105" });
    built["approvals"] = json!([
        { "type": "eip1193_request",
          "request": { "method": "wallet_switchEthereumChain", "params": [{ "chainId": "0x2105" }] } },
        { "type": "eip1193_request", "deposit": true,
          "request": { "method": "eth_sendTransaction", "params": [transaction] } },
    ]);
    built
}

fn permit() -> Value {
    let mut built = frozen();
    built["kind"] = json!("PERMIT2");
    built["transferDetails"] = json!({ "to": ESCROW, "requestedAmount": "1000" });
    built["permit"] = json!({
        "domain": { "chainId": 8453 },
        "message": { "permitted": { "token": USDC, "amount": "1000" }, "spender": ESCROW },
    });
    built
}

fn judge(way: DepositWay, built: &Value) -> Result<(), String> {
    check_deposit(&ask(), &quote(), way, &serde_json::from_value(built.clone()).unwrap())
}

#[test]
fn the_deposit_that_was_asked_for_is_signed() {
    assert_eq!(judge(DepositWay::ContractCall, &call()), Ok(()));
    assert_eq!(judge(DepositWay::Permit2, &permit()), Ok(()));
}

#[test]
fn a_deposit_that_differs_from_what_was_asked_is_never_signed() {
    let stranger = padded("0x70997970C51812dc3A010C7d01b50e0d17dc79C8");
    let table = [
        ("/terms/originChainId", json!("10"), "source chain"),
        ("/terms/destinationChainId", json!("10"), "destination chain"),
        ("/terms/amountIn", json!("1001"), "input"),
        ("/terms/user", json!(stranger), "payer"),
        ("/terms/inputToken", json!(stranger), "input token"),
        ("/terms/outputToken", json!(stranger), "output token"),
        ("/terms/recipient", json!(stranger), "recipient"),
        ("/terms/refundTo", json!(stranger), "refund address"),
        ("/terms/amountOut", json!("289"), "output"),
        ("/terms/amountOut", json!("many"), "output"),
        ("/approvals/1/deposit", json!(false), "0 deposits"),
        ("/approvals/0/deposit", json!(true), "2 deposits"),
        ("/approvals/1/request/params/0/value", json!("0x1"), "spends 1 raw units"),
        ("/approvals/1/request/params/0/chainId", json!("0x1"), "another chain"),
        ("/approvals/1/request/params/0/from", json!(ESCROW), "another wallet"),
        ("/approvals/1/request/params", json!([]), "missing"),
        ("/approvals/1/request/params/0/to", json!(null), "not what the contract says"),
        ("/approvals/1/request/method", json!("eth_sign"), "eth_sign"),
    ];
    for (pointer, value, says) in table {
        let mut built = call();
        if let (Some((parent, "deposit")), None) = (pointer.rsplit_once('/'), built.pointer(pointer)) {
            built.pointer_mut(parent).unwrap()["deposit"] = value.clone();
        }
        *built.pointer_mut(pointer).unwrap() = value;
        let problem = judge(DepositWay::ContractCall, &built).unwrap_err();
        assert!(problem.contains(says), "{pointer}: {problem}");
    }
}

#[test]
fn a_permit_that_moves_something_else_is_never_signed() {
    for (pointer, value) in [
        ("/permit/domain/chainId", json!(1)),
        ("/permit/message/permitted/token", json!(ESCROW)),
        ("/permit/message/permitted/amount", json!("1001")),
        ("/permit/message/spender", json!(USDC)),
        ("/permit/message", json!({})),
    ] {
        let mut built = permit();
        *built.pointer_mut(pointer).unwrap() = value;
        let problem = judge(DepositWay::Permit2, &built).unwrap_err();
        assert!(problem.contains("permit"), "{pointer}: {problem}");
    }
    assert!(judge(DepositWay::ContractCall, &permit()).is_err(), "another way than asked for");
}
