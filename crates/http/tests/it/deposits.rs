use std::sync::{Arc, Mutex};

use alloy_primitives::{Address as EvmAddress, B256};
use axum::Router;
use axum::body::Body;
use axum::http::Request;
use causeway_domain::ports::{IdempotencyStore, Offer};
use causeway_domain::{
    Address, Ask, Deployment, DepositMethod, Parties, QuoteKey, QuoteKeys, TokenId, TradeType,
};
use causeway_testing::MemoryStore;
use causeway_testing::sample::{WALLET, chain, raw, seal, seal_with, usdc};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::deposit_builder::{ChainBehavior, FakeDepositBuilder};
use crate::service::{Service, bytes, json as body_json, send};

pub(crate) const QUOTE: &str = "019a8c3f5b200f8fad5bd9cb469fa16570867728950e";
const OTHER_QUOTE: &str = "019a8c3f5b210f8fad5bd9cb469fa16570867728950f";

/// A service with routes from Base to Ethereum.
pub(crate) struct Setup {
    pub(crate) router: Router,
    pub(crate) builder: Arc<FakeDepositBuilder>,
    pub(crate) ledger: Arc<MemoryStore>,
}

pub(crate) fn setup() -> Setup {
    setup_with(None)
}

pub(crate) fn setup_with(idempotency: Option<Arc<dyn IdempotencyStore>>) -> Setup {
    let builder = Arc::new(FakeDepositBuilder { chain: chain(8453), behavior: Mutex::default() });
    let other = Arc::new(FakeDepositBuilder { chain: chain(1), behavior: Mutex::default() });
    let ledger: Arc<MemoryStore> = Arc::default();
    let service = Service {
        ledger: Arc::clone(&ledger),
        deposit_builders: vec![Arc::clone(&builder), other],
        deployments: vec![deployment()],
        idempotency,
        ..Service::default()
    };
    Setup { router: service.router(), builder, ledger }
}

fn deployment() -> Deployment {
    let at = EvmAddress::repeat_byte;
    Deployment {
        chain: chain(8453),
        escrow: at(0xe5),
        settler: at(0x5e),
        registry: at(0x4e),
        deposit_factory: at(0xdf),
        deposit_code_hash: B256::repeat_byte(1),
        permit2: None,
        min_grace: 60,
        transfers: true,
        from_block: 1,
        hub: None,
    }
}

/// The sealed id of a named route of a quote; any other name is passed on as it is.
fn route_id(quote: &str, name: &str) -> String {
    let wallet = Address::parse_any(WALLET).unwrap();
    let filler = Address::Evm(EvmAddress::repeat_byte(0xf1));
    let ask = Ask {
        trade_type: TradeType::ExactInput,
        from: usdc(),
        to: TokenId::native(chain(1)),
        amount: raw(1_000_000_000),
        from_address: wallet,
        recipient: wallet,
        refund_to: wallet,
        slippage: None,
        deposit_methods: Vec::new(),
        referral: None,
        deposit_window: None,
    };
    let offer = |methods: &[DepositMethod]| Offer {
        exact_out: None,
        deposit_methods: methods.to_vec(),
        amount_in: raw(1_000_000_000),
        amount_out: raw(286_000_000_000_000_000),
        min_amount_out: raw(285_000_000_000_000_000),
        expected_duration_seconds: 12,
        valid_before: Timestamp::UNIX_EPOCH,
        price_holds_until: None,
        estimated_gas: None,
        fees: Vec::new(),
        parties: Some(Parties { filler, payee: filler }),
        filler_quote: None,
        gas_charge: None,
        provider: None,
    };
    let (call, permit) = (DepositMethod::ContractCall, DepositMethod::Permit2);
    let foreign = QuoteKeys { current: QuoteKey::new([8; 32]), older: vec![QuoteKey::new([9; 32])] };
    match name {
        "foreign" => seal_with(&foreign, quote, &ask, &offer(&[call]), 3600),
        "house" => seal(quote, &ask, &offer(&[call, permit, DepositMethod::Transfer]), 3600),
        "plain" => seal(quote, &ask, &offer(&[call]), 3600),
        "late" => seal(quote, &ask, &offer(&[call]), -1),
        "ancient" => seal(quote, &ask, &offer(&[call]), -10 * 365 * 24 * 60 * 60),
        other => other.to_owned(),
    }
}

/// Seals the named route of a request for its own quote, or for the first one if the id is no quote's.
pub(crate) fn sealed(mut body: Value) -> Value {
    if let (Some(quote), Some(name)) = (body["quoteId"].as_str(), body["routeId"].as_str()) {
        let quote = if quote == OTHER_QUOTE { OTHER_QUOTE } else { QUOTE };
        body["routeId"] = json!(route_id(quote, name));
    }
    body
}

async fn call(router: &Router, request: Request<Body>) -> (u16, Value) {
    let response = send(router.clone(), request).await;
    (response.status().as_u16(), body_json(response).await)
}

async fn build(setup: &Setup, change: Value) -> (u16, Value) {
    let ask = json!({ "quoteId": QUOTE, "routeId": "house", "from": WALLET.to_lowercase() });
    let ask = sealed(with(ask, change));
    call(&setup.router, Request::post("/v1/deposit/build").body(Body::from(ask.to_string())).unwrap()).await
}

async fn submit(setup: &Setup, change: Value) -> (u16, Value) {
    let ask = sealed(with(json!({ "quoteId": QUOTE, "routeId": "house" }), change));
    call(&setup.router, Request::put("/v1/deposit/submit").body(Body::from(ask.to_string())).unwrap()).await
}

fn with(mut body: Value, change: Value) -> Value {
    let Value::Object(change) = change else { panic!("changes must be an object") };
    body.as_object_mut().unwrap().extend(change);
    body
}

fn hash(byte: &str) -> String {
    format!("0x{}", byte.repeat(32))
}

/// Snapshots a build response with its variable fields redacted.
macro_rules! assert_built {
    ($answer:expr) => {
        insta::assert_json_snapshot!($answer, {
            ".intentId" => "[intent]", ".deposit.intentId" => "[intent]",
            ".orderId" => "[order]", ".deposit.orderId" => "[order]",
            ".depositAddress" => "[address]", ".deposit.depositAddress" => "[address]",
            ".expiresAt" => "[time]", ".deposit.expiresAt" => "[time]",
            ".qrImageUrl" => "[url]", ".deposit.qrImageUrl" => "[url]",
            ".paymentUri" => "[uri]", ".deposit.paymentUri" => "[uri]",
            ".qrPayload" => "[uri]", ".deposit.qrPayload" => "[uri]",
            ".summary" => insta::dynamic_redaction(|value, _| format!("{} sentences", value.as_slice().unwrap().len())),
            ".terms.nonce" => "[nonce]", ".terms.openDeadline" => "[time]", ".terms.fillDeadline" => "[time]",
            ".terms.refundAt" => "[time]", ".recovery.refundAfter" => "[time]",
        })
    };
}

#[tokio::test]
async fn contract_call_is_an_ordered_list_of_wallet_requests_with_one_deposit() {
    let setup = setup();
    let (status, answer) = build(&setup, json!({})).await;
    assert_eq!(status, 200, "{answer}");
    assert_built!(answer.clone());
    assert_eq!(
        build(&setup, json!({ "depositMethod": "CONTRACT_CALL" })).await,
        (200, answer.clone()),
        "the build is idempotent"
    );
    assert_eq!(answer["recovery"]["refundAfter"].to_string(), answer["terms"]["refundAt"].as_str().unwrap());
}

#[tokio::test]
async fn permit_has_typed_data_and_transfer_details() {
    let (status, answer) = build(&setup(), json!({ "depositMethod": "PERMIT2" })).await;
    assert_eq!(status, 200, "{answer}");
    assert_built!(answer);
}

#[tokio::test]
async fn transfer_has_all_fields_in_both_places_and_a_matching_qr_image() {
    let setup = setup();
    let (status, answer) = build(&setup, json!({ "depositMethod": "TRANSFER" })).await;
    assert_eq!(status, 200, "{answer}");
    for (name, value) in answer["deposit"].as_object().unwrap() {
        assert_eq!(answer[name], *value, "{name}");
    }
    let address = answer["depositAddress"].as_str().unwrap();
    let token = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
    let uri = format!("ethereum:{token}@8453/transfer?address={address}&uint256=1000000000");
    assert_eq!((&answer["paymentUri"], &answer["qrPayload"]), (&json!(uri), &json!(uri)));
    assert_eq!(answer["expiresAt"].to_string(), answer["terms"]["openDeadline"].as_str().unwrap());

    let url = answer["qrImageUrl"].as_str().unwrap();
    let path = url.strip_prefix("https://swap.example").unwrap();
    let image = send(setup.router.clone(), Request::get(path).body(Body::empty()).unwrap()).await;
    assert_eq!(
        (image.status().as_u16(), image.headers()["content-type"].to_str().unwrap()),
        (200, "image/svg+xml; charset=utf-8")
    );
    let encoded: String = form_urlencoded::byte_serialize(uri.as_bytes()).collect();
    let same = Request::get(format!("/api/qrcode?content={encoded}")).body(Body::empty()).unwrap();
    assert_eq!(
        bytes(image).await,
        bytes(send(setup.router.clone(), same).await).await,
        "the image encodes qrPayload"
    );

    let order = Request::get(format!("/v1/orders/by-id/{}", answer["orderId"].as_str().unwrap()));
    let (status, order) = call(&setup.router, order.body(Body::empty()).unwrap()).await;
    assert_eq!((status, &order["status"]), (200, &json!("created")), "the order exists from now on");
    assert_eq!(order["intentId"], answer["intentId"]);
    assert_built!(answer);
}

#[tokio::test]
async fn rule_2_a_route_id_that_is_not_sealed_by_us_for_this_quote_is_not_found() {
    let genuine = route_id(QUOTE, "plain");
    let flipped = |at: usize| {
        let other = if genuine.as_bytes()[at] == b'A' { 'B' } else { 'A' };
        format!("{}{other}{}", &genuine[..at], &genuine[at + 1..])
    };
    let foreign = route_id(QUOTE, "foreign");
    for (what, id) in [
        ("another key id", flipped(0)),
        ("another version", flipped(2)),
        ("another term", flipped(genuine.len() / 2)),
        ("another tag", flipped(genuine.len() - 3)),
        ("cut at the end", genuine[..genuine.len() - 4].to_owned()),
        ("cut at the beginning", genuine[4..].to_owned()),
        ("the first character alone", genuine[..1].to_owned()),
        ("continued", format!("{genuine}AAAA")),
        ("with padding", format!("{genuine}=")),
        ("in the other alphabet", genuine.replace('-', "+").replace('_', "/") + "+"),
        ("in lower case", genuine.to_lowercase()),
        ("a foreign key", foreign.clone()),
        ("a foreign key with our key's id", format!("{}{}", &genuine[..2], &foreign[2..])),
        ("another quote", route_id(OTHER_QUOTE, "plain")),
    ] {
        let setup = setup();
        for (status, body) in [
            build(&setup, json!({ "routeId": id })).await,
            submit(&setup, json!({ "routeId": id, "txHash": hash("ab") })).await,
        ] {
            assert_eq!(
                (status, body["name"].as_str()),
                (404, Some("QuoteNotFoundException")),
                "{what}: {body}"
            );
        }
    }
    let (status, body) = build(&setup(), json!({ "routeId": "plain" })).await;
    assert_eq!(status, 200, "{body}");
}

#[tokio::test]
async fn build_is_rejected_with_the_matching_error() {
    for (change, status, name, code) in [
        (json!({ "quoteId": "0".repeat(44) }), 404, "QuoteNotFoundException", Value::Null),
        (json!({ "quoteId": "nonsense" }), 404, "QuoteNotFoundException", Value::Null),
        (json!({ "routeId": "nobody" }), 404, "QuoteNotFoundException", Value::Null),
        (json!({ "routeId": "a/b" }), 404, "QuoteNotFoundException", Value::Null),
        (json!({ "from": hash("aa")[..42] }), 400, "UnexpectedFromAddressException", Value::Null),
        (json!({ "routeId": "late" }), 410, "QuoteExpiredException", Value::Null),
        (json!({ "routeId": "ancient" }), 410, "QuoteExpiredException", Value::Null),
        (json!({ "routeId": "x".repeat(1_025) }), 404, "QuoteNotFoundException", Value::Null),
        (json!({ "routeId": route_id(OTHER_QUOTE, "house") }), 404, "QuoteNotFoundException", Value::Null),
        (json!({ "routeId": &route_id(QUOTE, "house")[1..] }), 404, "QuoteNotFoundException", Value::Null),
        (
            json!({ "routeId": "plain", "depositMethod": "PERMIT2" }),
            422,
            "NotSupportedDepositMethodException",
            Value::Null,
        ),
    ] {
        let (got, body) = build(&setup(), change.clone()).await;
        assert_eq!((got, body["name"].as_str().unwrap()), (status, name), "{change}: {body}");
        assert_eq!(body["details"]["errorCode"], code, "{change}");
    }
    for (behavior, status, code) in [
        (ChainBehavior::InsufficientBalance, 400, json!("INSUFFICIENT_BALANCE")),
        (ChainBehavior::InsufficientGas, 400, json!("INSUFFICIENT_GAS")),
        (ChainBehavior::TokenIsPaused, 400, json!("SIMULATION_REVERTED")),
        (ChainBehavior::Unavailable, 500, Value::Null),
    ] {
        let setup = setup();
        *setup.builder.behavior.lock().unwrap() = behavior;
        let (got, body) = build(&setup, json!({})).await;
        assert_eq!((got, &body["details"]["errorCode"]), (status, &code), "{behavior:?}: {body}");
        assert!(setup.ledger.orders.lock().unwrap().is_empty(), "no order is stored");
    }
}

#[tokio::test]
async fn built_route_cannot_be_rebuilt_with_other_values() {
    let setup = setup();
    assert_eq!(build(&setup, json!({})).await.0, 200);
    let other = &hash("aa")[..42];
    for change in
        [json!({ "recipient": other }), json!({ "refundTo": other }), json!({ "depositMethod": "TRANSFER" })]
    {
        let (status, body) = build(&setup, change.clone()).await;
        assert_eq!(
            (status, body["details"]["errorCode"].as_str()),
            (400, Some("ROUTE_ALREADY_BUILT")),
            "{change}"
        );
        let field = change.as_object().unwrap().keys().next().unwrap();
        assert_eq!(body["details"]["differs"], json!([field]));
    }
}

#[tokio::test]
async fn all_issues_of_a_build_are_returned_together() {
    let change = json!({
        "quoteId": null, "routeId": 7, "from": "0x12", "recipient": "me", "refundTo": "", "depositMethod": 7,
    });
    let (status, body) = build(&setup(), change).await;
    assert_eq!((status, body["name"].as_str()), (400, Some("ValidationException")));
    insta::assert_json_snapshot!(body["details"]["issues"]);
}

#[tokio::test]
async fn a_deposit_method_that_nobody_knows_is_not_supported() {
    let (status, body) = build(&setup(), json!({ "depositMethod": "CASH" })).await;
    assert_eq!((status, body["name"].as_str()), (422, Some("NotSupportedDepositMethodException")), "{body}");
    let message = body["message"].as_str().unwrap();
    assert!(
        message.contains("CASH")
            && message.contains("CONTRACT_CALL, PERMIT2, AUTHORIZATION, PERMIT or TRANSFER"),
        "{message}"
    );
}

#[tokio::test]
async fn submitting_a_hash_is_idempotent() {
    let setup = setup();
    build(&setup, json!({})).await;
    let (status, first) = submit(&setup, json!({ "txHash": hash("AB") })).await;
    assert_eq!((status, &first["txHash"]), (200, &json!(hash("ab"))), "{first}");
    assert_eq!(first.as_object().unwrap().len(), 2, "{first}");
    assert_eq!(submit(&setup, json!({ "txHash": hash("ab") })).await, (200, first.clone()));

    let (status, other) = submit(&setup, json!({ "txHash": hash("cd") })).await;
    assert_eq!(status, 400);
    assert_eq!(
        other["details"],
        json!({ "errorCode": "DEPOSIT_TX_HASH_CONFLICT", "orderId": first["orderId"] })
    );

    build(&setup, json!({ "quoteId": OTHER_QUOTE })).await;
    let (status, taken) = submit(&setup, json!({ "quoteId": OTHER_QUOTE, "txHash": hash("ab") })).await;
    assert_eq!((status, taken["name"].as_str()), (409, Some("DuplicateRecordException")));
}

#[tokio::test]
async fn proof_is_rejected_with_the_matching_error() {
    let setup = setup();
    let code = |body: &Value| body["details"]["errorCode"].as_str().unwrap().to_owned();
    let (status, body) = submit(&setup, json!({ "quoteId": "nonsense", "txHash": hash("ab") })).await;
    assert_eq!((status, body["name"].as_str()), (404, Some("QuoteNotFoundException")));
    let (status, body) = submit(&setup, json!({ "txHash": hash("ab") })).await;
    assert_eq!((status, code(&body).as_str()), (400, "ROUTE_NOT_BUILT"));
    build(&setup, json!({})).await;
    let (status, body) = submit(&setup, json!({ "signature": "0x1234" })).await;
    assert_eq!((status, code(&body).as_str()), (400, "WRONG_PROOF"));
    *setup.builder.behavior.lock().unwrap() = ChainBehavior::ShowsOtherTransaction;
    let (status, body) = submit(&setup, json!({ "txHash": hash("ab") })).await;
    assert_eq!((status, code(&body).as_str()), (400, "NOT_THIS_DEPOSIT"));
    assert_eq!(body["details"]["reason"], "it calls another contract");
    *setup.builder.behavior.lock().unwrap() = ChainBehavior::RejectsBroadcast;
    let (status, body) = submit(&setup, json!({ "signedTransaction": "0x02f8" })).await;
    assert_eq!((status, body["name"].as_str()), (502, Some("BroadcastException")));
    assert_eq!(body["details"], json!({ "reason": "nonce too low" }));
    build(&setup, json!({ "quoteId": OTHER_QUOTE, "depositMethod": "PERMIT2" })).await;
    let (status, body) = submit(&setup, json!({ "quoteId": OTHER_QUOTE, "signature": "0x1234" })).await;
    assert_eq!((status, code(&body).as_str()), (400, "NOT_THIS_DEPOSIT"));
}

#[tokio::test]
async fn exactly_one_proof_is_required() {
    let setup = setup();
    for (change, given) in [
        (json!({}), json!([])),
        (json!({ "txHash": null }), json!([])),
        (json!({ "txHash": hash("ab"), "signature": "0x12" }), json!(["txHash", "signature"])),
        (
            json!({ "txHash": hash("ab"), "signature": "0x12", "signedTransaction": "AQID" }),
            json!(["txHash", "signedTransaction", "signature"]),
        ),
    ] {
        let (status, body) = submit(&setup, change.clone()).await;
        assert_eq!((status, body["name"].as_str()), (400, Some("BadRequestException")), "{change}");
        assert_eq!(body["details"], json!({ "errorCode": "EXACTLY_ONE_PROOF", "given": given }));
    }
}

#[tokio::test]
async fn all_issues_of_a_submit_are_returned_together() {
    let change = json!({ "quoteId": null, "txHash": "0x12", "signature": "zz", "signedTransaction": "*" });
    let (status, body) = submit(&setup(), change).await;
    assert_eq!((status, body["name"].as_str()), (400, Some("ValidationException")));
    insta::assert_json_snapshot!(body["details"]["issues"]);
}

#[tokio::test]
async fn chains_list_the_deposit_methods_of_their_contracts() {
    let request = Request::get("/v1/chains").body(Body::empty()).unwrap();
    let (_, chains) = call(&setup().router, request).await;
    let methods = |id: u64| {
        let chain = chains.as_array().unwrap().iter().find(|chain| chain["id"] == id).unwrap();
        chain["depositMethods"].clone()
    };
    assert_eq!(methods(8453), json!(["CONTRACT_CALL", "TRANSFER"]), "Permit2 is not deployed");
    assert_eq!(methods(1), json!([]), "no contracts are deployed");
    assert_ne!(methods(20_011_000_000), json!([]), "Solana programs are not listed as deployments");
}
