//! Deposits whose origin is Solana.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use causeway_domain::ports::Offer;
use causeway_domain::{Address, Ask, DepositMethod, Parties, SOLANA_CHAIN_ID, TokenId, TradeType};
use causeway_testing::sample::{WALLET, chain, raw, seal};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::deposit_builder::{ChainBehavior, FakeDepositBuilder};
use crate::service::{Service, json as body_json, send};

const QUOTE: &str = "019a8c3f5b200f8fad5bd9cb469fa16570867728950e";
const USDC: &str = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
const PAYER: [u8; 32] = [0xa1; 32];

struct Setup {
    router: Router,
    builder: Arc<FakeDepositBuilder>,
}

/// A service with deposits on Solana.
fn setup() -> Setup {
    let builder = Arc::new(FakeDepositBuilder { chain: SOLANA_CHAIN_ID, behavior: Mutex::default() });
    let other = Arc::new(FakeDepositBuilder { chain: chain(1), behavior: Mutex::default() });
    let service = Service { deposit_builders: vec![Arc::clone(&builder), other], ..Service::default() };
    Setup { router: service.router(), builder }
}

/// A route of 12.5 USDC on Solana for ether.
fn route_id() -> String {
    let payer = Address::Solana(PAYER);
    let amount = raw(12_500_000);
    let ask = Ask {
        trade_type: TradeType::ExactInput,
        from: TokenId::new(SOLANA_CHAIN_ID, USDC).unwrap(),
        to: TokenId::native(chain(1)),
        amount,
        from_address: payer,
        recipient: Address::parse_any(WALLET).unwrap(),
        refund_to: payer,
        slippage: None,
        deposit_methods: Vec::new(),
        referral: None,
        deposit_window: None,
    };
    let offer = Offer {
        exact_out: None,
        deposit_methods: vec![DepositMethod::ContractCall, DepositMethod::Transfer],
        amount_in: amount,
        amount_out: raw(3_600_000_000_000_000),
        min_amount_out: raw(3_500_000_000_000_000),
        expected_duration_seconds: 12,
        valid_before: Timestamp::UNIX_EPOCH,
        price_holds_until: None,
        estimated_gas: None,
        fees: Vec::new(),
        parties: Some(Parties { filler: Address::Solana([0xf1; 32]), payee: Address::Solana([0xf2; 32]) }),
        filler_quote: None,
        gas_charge: None,
        provider: None,
    };
    seal(QUOTE, &ask, &offer, 3600)
}

async fn call(setup: &Setup, request: Request<Body>) -> (u16, Value) {
    let response = send(setup.router.clone(), request).await;
    (response.status().as_u16(), body_json(response).await)
}

async fn build(setup: &Setup, method: &str) -> (u16, Value) {
    let from = Address::Solana(PAYER).to_string();
    let ask = json!({ "quoteId": QUOTE, "routeId": route_id(), "from": from, "depositMethod": method });
    call(setup, Request::post("/v1/deposit/build").body(Body::from(ask.to_string())).unwrap()).await
}

async fn submit(setup: &Setup, proof: &str, text: &str) -> (u16, Value) {
    let ask = json!({ "quoteId": QUOTE, "routeId": route_id(), proof: text });
    call(setup, Request::put("/v1/deposit/submit").body(Body::from(ask.to_string())).unwrap()).await
}

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
async fn deposit_is_one_base64_transaction_to_sign() {
    let setup = setup();
    let (status, answer) = build(&setup, "CONTRACT_CALL").await;
    assert_eq!(status, 200, "{answer}");
    let expected = json!([{ "type": "solana_sendTransaction", "transaction": "AQIDBA==", "deposit": true }]);
    assert_eq!(answer["approvals"], expected);
    assert_built!(answer);
}

#[tokio::test]
async fn transfer_has_a_solana_pay_uri_and_a_qr_code_of_the_recipient_only() {
    let setup = setup();
    let (status, answer) = build(&setup, "TRANSFER").await;
    assert_eq!(status, 200, "{answer}");
    let address = answer["depositAddress"].as_str().unwrap();
    let uri = format!("solana:{address}?amount=12.5&spl-token={USDC}");
    assert_eq!((&answer["paymentUri"], &answer["qrPayload"]), (&json!(uri), &json!(address)));
    assert_eq!(
        answer["recovery"]["depositFactory"], answer["recovery"]["escrow"],
        "one program is escrow and factory"
    );
    let url = answer["qrImageUrl"].as_str().unwrap().strip_prefix("https://swap.example").unwrap();
    let image = send(setup.router.clone(), Request::get(url).body(Body::empty()).unwrap()).await;
    assert_eq!(image.status(), 200);
    assert_built!(answer);
}

#[tokio::test]
async fn permit_is_not_supported() {
    let (status, body) = build(&setup(), "PERMIT2").await;
    assert_eq!((status, body["name"].as_str()), (422, Some("NotSupportedDepositMethodException")));
}

#[tokio::test]
async fn signed_transaction_is_identified_by_its_signature() {
    let setup = setup();
    build(&setup, "CONTRACT_CALL").await;
    let (status, body) = submit(&setup, "signedTransaction", "AQIDBA==").await;
    assert_eq!((status, &body["txHash"]), (200, &json!(bs58::encode([7; 64]).into_string())), "{body}");
    assert_eq!(
        submit(&setup, "signedTransaction", "AQIDBA==").await,
        (200, body),
        "the submit is idempotent"
    );
}

#[tokio::test]
async fn signature_is_accepted_as_tx_hash() {
    let setup = setup();
    build(&setup, "CONTRACT_CALL").await;
    let signature = bs58::encode([9; 64]).into_string();
    let (status, body) = submit(&setup, "txHash", &signature).await;
    assert_eq!((status, &body["txHash"]), (200, &json!(signature)), "{body}");
}

#[tokio::test]
async fn other_transaction_is_rejected_with_the_difference() {
    let setup = setup();
    build(&setup, "CONTRACT_CALL").await;
    let (status, body) = submit(&setup, "signedTransaction", "AQIDBQ==").await;
    assert_eq!((status, body["name"].as_str()), (400, Some("BadRequestException")));
    let details = json!({ "errorCode": "MESSAGE_MISMATCH", "reason": "it is a legacy transaction" });
    assert_eq!(body["details"], details, "{body}");
}

#[tokio::test]
async fn expired_blockhash_asks_to_build_again() {
    let setup = setup();
    build(&setup, "CONTRACT_CALL").await;
    *setup.builder.behavior.lock().unwrap() = ChainBehavior::BlockhashExpired;
    let (status, body) = submit(&setup, "signedTransaction", "AQIDBA==").await;
    assert_eq!((status, body["name"].as_str()), (502, Some("BroadcastException")));
    assert!(body["message"].as_str().unwrap().contains("build the deposit again"), "{body}");
}

#[tokio::test]
async fn base58_instead_of_base64_is_rejected_with_a_hint() {
    let setup = setup();
    build(&setup, "CONTRACT_CALL").await;
    let base58 = bs58::encode([[1; 65].as_slice(), &[0x80; 300]].concat()).into_string();
    let (status, body) = submit(&setup, "signedTransaction", &base58).await;
    assert_eq!((status, body["name"].as_str()), (400, Some("ValidationException")));
    let issue = &body["details"]["issues"][0];
    assert_eq!(issue["path"], "signedTransaction", "{body}");
    assert!(issue["message"].as_str().unwrap().contains("is written in base58"), "{body}");
}

#[tokio::test]
async fn evm_hash_on_a_solana_quote_is_rejected_with_a_hint() {
    let setup = setup();
    build(&setup, "CONTRACT_CALL").await;
    let (status, body) = submit(&setup, "txHash", &format!("0x{}", "ab".repeat(32))).await;
    assert_eq!((status, body["name"].as_str()), (400, Some("ValidationException")));
    let issue = &body["details"]["issues"][0];
    assert_eq!(issue["path"], "txHash", "{body}");
    assert!(issue["message"].as_str().unwrap().contains("its signature: 64 bytes in base58"), "{body}");
}
