//! A whole swap from Solana with a transaction that the service's own code builds.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use causeway_client::wire::QuoteAsk;
use causeway_client::{
    Bound, Client, Error, ExecuteOptions, LocalSolanaWallet, LocalWallet, PollingOptions, Step, Wallet as _,
    WalletError,
};
use causeway_domain::IntentTerms;
use causeway_solana::program::{EscrowProgram, SANDBOX_PROGRAM, SOLANA_CHAIN_ID};
use causeway_solana::{RecentBlockhash, UnsignedTransaction};
use ed25519_dalek::{Signature, SigningKey, Verifier as _};
use serde_json::{Value, json};
use solana_address::Address;
use solana_hash::Hash;

use crate::server::Server;

const RECIPIENT: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

fn wallet() -> LocalSolanaWallet {
    LocalSolanaWallet::from_bytes(&SigningKey::from_bytes(&[7; 32]).to_keypair_bytes()).unwrap()
}

fn ask() -> QuoteAsk {
    QuoteAsk {
        trade_type: "EXACT_INPUT".to_owned(),
        from_chain_id: SOLANA_CHAIN_ID,
        from_token: "1".repeat(32),
        to_chain_id: 8453,
        to_token: format!("0x{}", "0".repeat(40)),
        amount: "1000".to_owned(),
        from_address: wallet().address(),
        recipient: Some(RECIPIENT.to_owned()),
        ..QuoteAsk::default()
    }
}

fn terms(payer: Address) -> IntentTerms {
    let word = |bytes: &[u8]| alloy_primitives::B256::left_padding_from(bytes);
    let recipient = RECIPIENT.parse::<alloy_primitives::Address>().unwrap();
    let numbers = [2, SOLANA_CHAIN_ID].map(alloy_primitives::U256::from).map(alloy_primitives::B256::from);
    let blank = [[numbers[0]; 1].to_vec(), vec![word(&[1]); IntentTerms::WORDS - 1]].concat();
    IntentTerms {
        origin_chain_id: SOLANA_CHAIN_ID,
        escrow: SANDBOX_PROGRAM.to_bytes().into(),
        user: payer.to_bytes().into(),
        input_token: word(&[]),
        amount_in: alloy_primitives::U256::from(1000),
        refund_to: payer.to_bytes().into(),
        referrer: word(&[]),
        referrer_fee: alloy_primitives::U256::ZERO,
        destination_chain_id: 8453,
        output_token: word(&[]),
        amount_out: alloy_primitives::U256::from(300),
        recipient: recipient.into_word(),
        ..IntentTerms::from_bytes(&blank.concat()).unwrap()
    }
}

fn unsigned() -> Vec<u8> {
    let payer: Address = wallet().address().parse().unwrap();
    let open = EscrowProgram::new(SANDBOX_PROGRAM).open(&terms(payer), payer, None);
    let recent = RecentBlockhash { blockhash: Hash::new_from_array([9; 32]), last_valid_block_height: 1 };
    UnsignedTransaction::build(&payer, &[open], &[], recent).unwrap().to_wire()
}

fn ok(body: &Value) -> Value {
    json!({ "status": 200, "json": body })
}

fn answers(transaction: &[u8]) -> [Value; 4] {
    let terms = terms(wallet().address().parse().unwrap());
    let names = [
        "version",
        "originChainId",
        "escrow",
        "user",
        "nonce",
        "inputToken",
        "amountIn",
        "refundTo",
        "filler",
        "payee",
        "referrer",
        "referrerFee",
        "destinationChainId",
        "settler",
        "outputToken",
        "amountOut",
        "recipient",
        "openDeadline",
        "fillDeadline",
        "refundAt",
        "epoch",
    ];
    let numbers = [0, 1, 6, 11, 12, 15, 17, 18, 19, 20];
    let fields = terms.words().into_iter().zip(names).enumerate().map(|(index, (word, name))| {
        let number = alloy_primitives::U256::from_be_bytes(word.0).to_string();
        (name.to_owned(), if numbers.contains(&index) { json!(number) } else { json!(word) })
    });
    [
        ok(&json!({ "quoteId": "q1", "routes": [{
            "routeId": "north", "type": "native-filler", "depositMethods": ["CONTRACT_CALL"],
            "quote": { "amountIn": "1000", "amountOut": "300", "minAmountOut": "300", "expectedDurationSeconds": 1,
                "validBefore": 1, "tags": [] },
        }] })),
        ok(&json!({
            "kind": "CONTRACT_CALL", "summary": [], "intentId": "0x01",
            "recovery": { "chainId": SOLANA_CHAIN_ID, "escrow": SANDBOX_PROGRAM.to_string(), "refundAfter": 1 },
            "approvals": [{
                "type": "solana_sendTransaction", "deposit": true, "transaction": BASE64.encode(transaction),
            }],
            "terms": fields.collect::<serde_json::Map<_, _>>(),
        })),
        ok(&json!({ "orderId": "o1", "txHash": "sent" })),
        ok(&json!({
            "id": "o1", "type": "native-filler", "quoteId": "q1", "routeId": "north", "status": "filled",
            "fromChainId": SOLANA_CHAIN_ID, "toChainId": 8453, "fromToken": null, "toToken": null, "srcAmount": "1000",
            "destAmount": "300", "author": wallet().address(), "recipient": null, "refundTo": null,
            "fillerAddress": null, "externalOrderId": null, "depositTxHash": null, "intentId": null,
            "tradeType": "EXACT_INPUT", "createdAt": "", "updatedAt": "", "transactions": {},
            "timestamps": { "createdAt": "" }, "stepsCompleted": [], "fromTokenMeta": null, "toTokenMeta": null,
        })),
    ]
}

fn options() -> ExecuteOptions {
    ExecuteOptions::new(Bound::MinAmountOut("300".to_owned()))
        .with_polling(PollingOptions::default().with_interval(Duration::from_millis(500)))
}

#[tokio::test]
async fn swap_from_solana_is_signed_and_submitted() {
    let transaction = unsigned();
    let server = Server::start(serde_json::from_value(json!(answers(&transaction))).unwrap()).await;
    let client = Client::new(&server.url).unwrap();
    let mut signed = None;
    let on_step = |step: Step<'_>| {
        if let Step::Signed { tx_hash } = step {
            signed = Some(tx_hash.to_owned());
        }
    };
    let order = client.execute(&ask(), &wallet(), &options(), on_step).await.unwrap();
    assert_eq!(order.status, "filled");

    let submitted: Value = serde_json::from_slice(&server.requests()[2].body).unwrap();
    let bytes = BASE64.decode(submitted["signedTransaction"].as_str().unwrap()).unwrap();
    assert_eq!(submitted.as_object().unwrap().len(), 3, "exactly one proof: {submitted}");
    assert_eq!((bytes[0], &bytes[65..]), (1, &transaction[65..]), "the very message that was built");
    let signature: [u8; 64] = bytes[1..65].try_into().unwrap();
    assert_eq!(signed, Some(bs58::encode(signature).into_string()));
    let key = SigningKey::from_bytes(&[7; 32]).verifying_key();
    key.verify(&bytes[65..], &Signature::from_bytes(&signature)).unwrap();
}

#[tokio::test]
async fn transaction_that_differs_from_the_terms_is_not_signed() {
    let mut transaction = unsigned();
    *transaction.last_mut().unwrap() ^= 1;
    let server = Server::start(serde_json::from_value(json!(answers(&transaction))).unwrap()).await;
    let client = Client::new(&server.url).unwrap();
    let error = client.execute(&ask(), &wallet(), &options(), |_| {}).await.unwrap_err();
    assert_eq!(error.code(), "SVC3003", "{error}");
    assert_eq!(server.requests().len(), 2, "nothing was submitted");
}

#[tokio::test]
async fn wallet_of_another_family_is_rejected() {
    let evm = LocalWallet::new(&"11".repeat(32)).unwrap();
    let client = Client::new("http://127.0.0.1:9").unwrap();
    let error = client.execute(&ask(), &evm, &options(), |_| {}).await.unwrap_err();
    assert!(matches!(error, Error::Wallet(WalletError::AddressMismatch { .. })), "{error:?}");
    assert_eq!(wallet().sign_typed_data(&Value::Null).await, Err(WalletError::UnsupportedFamily));
}
