use std::time::{Duration, Instant};

use alloy_primitives::{Address, Bytes, U256, address, hex};
use alloy_sol_types::{SolCall as _, SolValue as _, sol};
use causeway_client::wire::QuoteAsk;
use causeway_client::{Client, EvmTransaction, LocalWallet, TrustedProvider, Unchecked, Wallet, WalletError};
use causeway_fillers::providers::standin::Mischief;
use serde_json::{Value, json};

use super::dishonest::dishonest;
use super::{
    AMOUNT, ARBITRUM, ARBITRUM_USDC, ARBITRUM_USDT, Fixture, KEY, Kind, LIMIT, RECIPIENT, approveCall,
    depositCall, options, route, trusting,
};

sol! {
    function exec(address operator, address token, uint256 amount, address target, bytes data) external payable;
    function execute(Slippage slippage, bytes[] actions, bytes32 id) external payable;

    struct Slippage {
        address recipient;
        address token;
        uint256 least;
    }

    /// What the sandbox's exchange does.
    struct Transfer {
        address token;
        bool fromCaller;
        address to;
        uint256 amount;
    }
}

/// Another well-known token of the chain, which the payer has.
const WETH: Address = address!("82aF49447D8a07e3bd95BD0d56f35241523fBab1");
const KIND: Kind = Kind::Zerox;

impl Fixture {
    /// Another token of the same chain for another recipient.
    fn swap_ask(&self) -> QuoteAsk {
        QuoteAsk {
            from_chain_id: ARBITRUM,
            from_token: ARBITRUM_USDC.to_string(),
            to_token: ARBITRUM_USDT.to_string(),
            ..self.ask()
        }
    }

    async fn swap_quote(&self) -> Value {
        self.quote_of(&self.swap_ask(), &[KIND.name()]).await
    }
}

#[tokio::test]
async fn a_swap_within_a_chain_ends_with_the_payers_own_transaction() {
    let fixture = Fixture::start().await;
    let quote = fixture.swap_quote().await;
    let offered = route(KIND, &quote);
    assert_eq!(offered["settlement"], "provider");
    assert!(offered["heldBy"].as_str().unwrap().contains("nobody else"), "{offered}");
    let (status, built) = fixture.build(KIND, &quote).await;
    assert_eq!((status, &built["kind"]), (200, &json!("PROVIDER_CALL")), "{built}");
    assert_eq!(built["target"], KIND.contract().to_string());
    let summary = built["summary"].to_string();
    for words in ["exactly 25 USDC", "not by the escrow", "keeps the input", "at least 24.850125 USDT"] {
        assert!(summary.contains(words), "{words}: {summary}");
    }

    let ask = fixture.swap_ask();
    let error = fixture.swap_for(&ask, options(KIND)).await.unwrap_err();
    assert!(error.to_string().contains("trusted"), "{error}");
    let before = fixture.balance(ARBITRUM, ARBITRUM_USDC, fixture.payer()).await;
    let received = fixture.balance(ARBITRUM, ARBITRUM_USDT, RECIPIENT).await;
    let order = fixture.swap_for(&ask, trusting(KIND)).await.unwrap();
    let got = fixture.balance(ARBITRUM, ARBITRUM_USDT, RECIPIENT).await - received;
    assert_eq!(got, U256::from(24_975_000));
    let left = fixture.balance(ARBITRUM, ARBITRUM_USDC, fixture.payer()).await;
    assert_eq!(left, before - U256::from(AMOUNT));
    let order = fixture.order(&order.id).await;
    assert_eq!(order["stepsCompleted"], json!(["created", "deposited", "published", "filled"]), "{order}");
    let transactions = &order["transactions"];
    assert_eq!(transactions["fill"]["amount"], "24975000");
    assert_eq!(transactions["deposit"]["amount"], AMOUNT.to_string());
    assert_eq!(transactions["deposit"]["txHash"], transactions["fill"]["txHash"], "one transaction");
}

#[tokio::test]
async fn rule_22_a_swap_that_failed_on_the_chain_completes_nothing() {
    let fixture = Fixture::start().await;
    let quote = fixture.swap_quote().await;
    let (status, built) = fixture.build(KIND, &quote).await;
    assert_eq!(status, 200, "{built}");
    let calls = built["approvals"].as_array().unwrap();
    let call = &calls.iter().find(|call| call["deposit"] == true).unwrap()["request"]["params"][0];
    // Without the allowance the same call takes nothing and pays nothing.
    let transaction = EvmTransaction {
        chain_id: ARBITRUM,
        to: call["to"].as_str().unwrap().parse().unwrap(),
        data: hex::decode(call["data"].as_str().unwrap()).unwrap().into(),
        value: U256::ZERO,
        gas: Some(1_000_000),
    };
    let before = fixture.balance(ARBITRUM, ARBITRUM_USDC, fixture.payer()).await;
    let failed = fixture.wallet.send(&transaction).await.unwrap();
    assert!(fixture.wallet.wait_for_receipt(ARBITRUM, &failed).await.is_err(), "it fails");
    fixture.submit(KIND, &quote, &failed).await;
    let id = built["orderId"].as_str().unwrap();
    assert_eq!(fixture.order(id).await["status"], "created");
    assert_eq!(fixture.balance(ARBITRUM, ARBITRUM_USDC, fixture.payer()).await, before);
    // The same order is paid by the next transaction.
    let paid = fixture.send_built(KIND, &built).await;
    assert_eq!(fixture.submit(KIND, &quote, &paid).await, 200);
    let order = fixture.wait_for(id, "filled", |order| order["status"] == "filled").await;
    assert_eq!(order["transactions"]["fill"]["txHash"], paid, "{order}");
}

#[tokio::test]
async fn an_exchange_that_lies_is_named_and_rested_and_no_money_moves() {
    let fixture = Fixture::start().await;
    let payer = fixture.payer();
    // The payer once allowed its contract another token.
    let value = U256::from(10).pow(U256::from(17));
    fixture.send(ARBITRUM, WETH, depositCall {}.abi_encode(), value).await;
    let approve = approveCall { spender: KIND.contract(), amount: U256::MAX }.abi_encode();
    fixture.send(ARBITRUM, WETH, approve, U256::ZERO).await;
    let before = fixture.balance(ARBITRUM, ARBITRUM_USDC, payer).await;
    let quote = fixture.swap_quote().await;
    let other = Address::repeat_byte(0xdd);
    for (mischief, words) in [
        (Mischief::TakesMore(WETH), "it takes 25000000 raw units of the token"),
        (Mischief::PaysLess, "12487500 raw units, and the route says at least 24850125"),
        (Mischief::OtherTarget(other), "is not pinned"),
        (Mischief::OtherSpender(other), "is not pinned"),
        (Mischief::OtherSettler(other), "does not name"),
        (Mischief::OtherRecipient(other), "instead of"),
        (Mischief::OtherOutput, "pays in"),
        (Mischief::OtherChain, "another output token"),
        (Mischief::Html, "cannot be read"),
    ] {
        fixture.misbehave(KIND, mischief);
        let (status, answer) = fixture.build(KIND, &quote).await;
        let fault = (status, &answer["details"]["errorCode"]);
        assert_eq!(fault, (400, &json!("PROVIDER_FAULT")), "{mischief:?} {answer}");
        assert!(answer["message"].as_str().unwrap().contains(words), "{words}: {answer}");
    }
    fixture.misbehave(KIND, Mischief::WorsePrice);
    let (status, answer) = fixture.build(KIND, &quote).await;
    assert_eq!((status, &answer["name"]), (410, &json!("QuoteExpiredException")), "{answer}");
    // It is not asked any more.
    fixture.misbehave(KIND, Mischief::None);
    let asked = fixture.quotes(KIND);
    let ask = serde_json::to_value(fixture.swap_ask()).unwrap();
    let (_, quote) = fixture.post("/v1/quotes", &ask).await;
    assert!(!quote.to_string().contains("\"zerox\""), "{quote}");
    assert_eq!(fixture.quotes(KIND), asked);
    assert_eq!(fixture.balance(ARBITRUM, ARBITRUM_USDC, payer).await, before);
}

/// A wallet that cannot simulate, and can ask 0x's registry.
struct Blind<'a>(&'a LocalWallet);

impl Wallet for Blind<'_> {
    fn address(&self) -> String {
        self.0.address()
    }

    async fn send(&self, transaction: &EvmTransaction) -> Result<String, WalletError> {
        self.0.send(transaction).await
    }

    async fn wait_for_receipt(&self, chain_id: u64, tx_hash: &str) -> Result<(), WalletError> {
        self.0.wait_for_receipt(chain_id, tx_hash).await
    }

    async fn call(&self, chain_id: u64, to: Address, data: &Bytes) -> Result<Bytes, WalletError> {
        self.0.call(chain_id, to, data).await
    }
}

/// Changes the amount of one of the transfers that the exchange makes, which its call does not say.
fn change_transfer(built: &mut Value, place: usize, amount: u64) {
    let calls = built["approvals"].as_array_mut().unwrap();
    let call = calls.iter_mut().find(|call| call["deposit"] == true).unwrap();
    let data = &mut call["request"]["params"][0]["data"];
    let mut outer = execCall::abi_decode(&hex::decode(data.as_str().unwrap()).unwrap()).unwrap();
    let mut inner = executeCall::abi_decode(&outer.data).unwrap();
    let mut transfer = Transfer::abi_decode(&inner.actions[place]).unwrap();
    transfer.amount = U256::from(amount);
    inner.actions[place] = transfer.abi_encode().into();
    outer.data = inner.abi_encode().into();
    *data = json!(hex::encode_prefixed(outer.abi_encode()));
}

#[tokio::test]
async fn what_a_changed_call_does_is_seen_before_it_is_signed() {
    let fixture = Fixture::start().await;
    let (ask, payer) = (fixture.swap_ask(), fixture.payer());
    fixture.swap_quote().await;
    // The payer once allowed its contract all of the input.
    let approve = approveCall { spender: KIND.contract(), amount: U256::MAX }.abi_encode();
    fixture.send(ARBITRUM, ARBITRUM_USDC, approve, U256::ZERO).await;
    let balance = async || fixture.balance(ARBITRUM, ARBITRUM_USDC, payer).await;
    let before = balance().await;
    for (place, amount, words) in [
        (0, AMOUNT + 1, "is 25000001, expected at most 25000000"),
        (1, 1, "is 1, expected at least 24850125"),
        (1, u64::MAX, "The deposit would fail: "),
    ] {
        let url = dishonest(&fixture.service, move |built| change_transfer(built, place, amount)).await;
        let client = Client::new(&url).unwrap();
        let error = client.execute(&ask, &fixture.wallet, &trusting(KIND), |_| {}).await.unwrap_err();
        assert!(error.to_string().contains(words), "{words}: {error}");
    }
    let blind = Blind(&fixture.wallet);
    let error = fixture.client.execute(&ask, &blind, &trusting(KIND), |_| {}).await.unwrap_err();
    assert!(error.to_string().contains("`effects` unchecked"), "{error}");
    assert_eq!(balance().await, before);
    // Nothing else shows it: who takes the service's word for it loses what the call takes.
    let unchecked = TrustedProvider::new(&KIND.contract().to_string()).with_unchecked(Unchecked::Effects);
    let unchecked = options(KIND).with_trusted_provider(ARBITRUM, unchecked);
    let url = dishonest(&fixture.service, |built| change_transfer(built, 0, AMOUNT + 1)).await;
    let client = Client::new(&url).unwrap();
    let error = client.execute(&ask, &blind, &unchecked, |_| {}).await.unwrap_err();
    let begun = Instant::now();
    while balance().await == before {
        assert!(begun.elapsed() < LIMIT, "nothing is taken: {error}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    assert_eq!(balance().await, before - U256::from(AMOUNT + 1));
}

#[tokio::test]
async fn a_check_of_an_exchange_compares_what_it_can() {
    let fixture = Fixture::start().await;
    let payer = fixture.wallet.address();
    let (from, to) =
        (format!("eip155:{ARBITRUM}:{ARBITRUM_USDC}"), format!("eip155:{ARBITRUM}:{ARBITRUM_USDT}"));
    let args = ["--payer", &payer, "--from", &from, "--to", &to];
    let (code, document) = fixture.check(KIND.name(), &args).await;
    let outcomes: Vec<&str> = document["checks"]
        .as_array()
        .unwrap_or_else(|| panic!("{document}"))
        .iter()
        .map(|check| check["outcome"].as_str().unwrap())
        .collect();
    assert_eq!((code, outcomes), (Some(0), vec!["skipped", "ok", "ok", "ok", "ok"]), "{document}");
    fixture.misbehave(KIND, Mischief::PaysLess);
    let (code, document) = fixture.check(KIND.name(), &args).await;
    assert_eq!(code, Some(1), "{document}");
    assert!(document["checks"][4]["seen"].as_str().unwrap().contains("at least"), "{document}");
}

#[tokio::test]
async fn a_check_pays_one_small_swap_if_told_to() {
    let fixture = Fixture::start().await;
    let key = fixture.folder.path().join("payer.key");
    std::fs::write(&key, KEY).unwrap();
    std::fs::set_permissions(&key, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let key = key.to_str().unwrap();
    let payer = fixture.payer();
    let within = [
        ("--from", format!("eip155:{ARBITRUM}:{ARBITRUM_USDC}")),
        ("--to", format!("eip155:{ARBITRUM}:{ARBITRUM_USDT}")),
    ];
    let seen = |document: &Value, rule: &str| {
        let mut checks = document["checks"].as_array().unwrap_or_else(|| panic!("{document}")).iter();
        let found = checks.find(|check| check["rule"].as_str().unwrap().contains(rule)).unwrap();
        (found["outcome"].as_str().unwrap().to_owned(), found["seen"].as_str().unwrap().to_owned())
    };
    let swaps = [("zerox", ARBITRUM_USDT, 2), ("relay", ARBITRUM_USDC, 0), ("oneclick", ARBITRUM_USDC, 0)];
    for (name, output, flags) in swaps {
        let mut args = vec!["--amount", "1000000", "--swap", "--key-file", key, "--yes"];
        args.extend(within[..flags].iter().flat_map(|(flag, value)| [*flag, value.as_str()]));
        // Without a ceiling, or above it, nothing is asked.
        let (code, words) = fixture.check(name, &args).await;
        assert!(code == Some(2) && words.to_string().contains("--ceiling"), "{words}");
        let above = [&args[..], &["--ceiling", "999999"][..]].concat();
        let (code, words) = fixture.check(name, &above).await;
        assert!(code == Some(2) && words.to_string().contains("exceeds"), "{words}");
        args.extend(["--ceiling", "1000000"]);
        let before = fixture.balance(ARBITRUM, output, payer).await;
        let (code, document) = fixture.check(name, &args).await;
        assert_eq!(code, Some(0), "{document}");
        assert_eq!(seen(&document, "is paid").0, "ok", "{document}");
        let (outcome, words) = seen(&document, "ends with");
        assert!(outcome == "ok" && words.contains("999000 raw units"), "{document}");
        let got = fixture.balance(ARBITRUM, output, payer).await - before;
        assert_eq!(got, U256::from(999_000), "{name}");
    }

    // A return is no success, and nothing is paid where a check has failed.
    let args = ["--amount", "1000000", "--swap", "--key-file", key, "--yes", "--ceiling", "1000000"];
    fixture.misbehave(Kind::Lifi, Mischief::Refunds);
    let (code, document) = fixture.check("lifi", &args).await;
    let (outcome, words) = seen(&document, "ends with");
    assert!(code == Some(1) && outcome == "failed" && words.contains("returned 1000000"), "{document}");
    fixture.misbehave(Kind::Lifi, Mischief::OtherRecipient(Address::repeat_byte(0xdd)));
    let (code, document) = fixture.check("lifi", &args).await;
    assert_eq!((code, seen(&document, "is paid").0.as_str()), (Some(1), "skipped"), "{document}");
}
