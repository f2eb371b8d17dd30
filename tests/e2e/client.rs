//! The Rust SDK against the real service and its chains.

use std::pin::pin;
use std::time::Duration;

use causeway_client::answers::BuildAnswer;
use causeway_client::wire::{BuildAsk, QuoteAsk, SubmitAsk};
use causeway_client::{
    Bound, Client, DepositMethod, Error, ExecuteOptions, IntentQuery, LocalWallet, OrderQuery,
    PollingOptions, Step, TokenQuery, TransferQr, Wallet as _,
};
use futures::TryStreamExt as _;

use crate::service::{Service, data_dir};

#[path = "../../crates/client/examples/follow_orders.rs"]
#[allow(dead_code, reason = "the example's own `main`")]
mod follow_orders;
#[path = "../../crates/client/examples/swap_when.rs"]
#[allow(dead_code, reason = "the example's own `main`")]
mod swap_when;

/// The first account of the customary test phrase, rich on every chain of the sandbox.
const KEY: &str = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
/// Unknown to the sandbox, and poor.
const POOR_KEY: &str = "0x1111111111111111111111111111111111111111111111111111111111113009";
const USDC_ON_BASE: &str = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const COIN: &str = "0x0000000000000000000000000000000000000000";

fn ask(wallet: &LocalWallet) -> QuoteAsk {
    QuoteAsk {
        trade_type: "EXACT_INPUT".to_owned(),
        from_chain_id: 8453,
        from_token: USDC_ON_BASE.to_owned(),
        to_chain_id: 1,
        to_token: COIN.to_owned(),
        amount: "25000000".to_owned(),
        from_address: wallet.address(),
        ..QuoteAsk::default()
    }
}

fn pace() -> PollingOptions {
    PollingOptions::default().with_interval(Duration::from_millis(500))
}

/// The fillers may need a moment after the start until they know prices and gas.
async fn wait_for_quote(client: &Client, ask: &QuoteAsk) {
    for _ in 0..300 {
        if client.quote(ask).await.is_ok_and(|quote| !quote.routes.is_empty()) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("nobody offers anything");
}

#[tokio::test]
async fn swaps_through_the_sdk_are_filled() {
    let folder = data_dir();
    let service = Service::start_with(folder.path(), &[]);
    let client = Client::new(&format!("{}/", service.url)).unwrap();
    let wallet = LocalWallet::connect_sandbox(&client, KEY).await.unwrap();
    let ask = ask(&wallet);
    wait_for_quote(&client, &ask).await;

    every_read_answers(&client, &wallet).await;
    step_by_step(&client, &wallet, &ask).await;
    for way in [DepositMethod::ContractCall, DepositMethod::Permit2] {
        in_one_call(&client, &wallet, &ask, way).await;
    }
    a_wallet_with_usdc_and_nothing_else_swaps_by_signing(&client, &service.url).await;
    native_coin_to_another_recipient(&client, &wallet).await;
    refusals_have_their_class(&client, &wallet, &ask).await;
    the_examples_do_what_they_say(&client, &wallet).await;
}

async fn every_read_answers(client: &Client, wallet: &LocalWallet) {
    let me = wallet.address();
    assert!(client.status().await.unwrap().ready);
    assert_eq!(client.chains().await.unwrap().len(), 19);
    assert!(client.chain_icon(8453).await.unwrap().starts_with("<svg"));
    let query = TokenQuery { chain_ids: vec![8453], limit: Some(2), ..TokenQuery::default() };
    let page = client.tokens(&query).await.unwrap();
    let next = client.tokens(&TokenQuery { cursor: page.cursor, ..query }).await.unwrap();
    assert_eq!((page.data.len(), next.data.len()), (2, 2));
    assert_ne!(page.data, next.data);
    assert_eq!(client.search_tokens("usdcoin", &[8453]).await.unwrap()[0].symbol, "USDC");
    assert!(client.top_tokens(&[8453]).await.unwrap().iter().any(|token| token.address == USDC_ON_BASE));
    let balances = client.balances(&me, &[8453]).await.unwrap();
    assert!(balances.tokens.iter().any(|token| token.address == USDC_ON_BASE));
    assert!(balances.unavailable_chains.is_empty());
    let understood = client.autocomplete("100 usdc on base", &[], Some(1)).await.unwrap();
    assert_eq!(understood.parsed, "100 USDC on Base");
    assert!(!client.suggestions().await.unwrap().is_empty());
    assert_eq!(client.hub_config().await.unwrap().chain_id, 4_278_608);
    assert!(!client.vaults().await.unwrap().is_empty());
    assert!(!client.mtokens(&[]).await.unwrap().is_empty());
    assert!(!client.fillers().await.unwrap().is_empty());
    assert!(client.qr_code("hello", Some(128)).await.unwrap().starts_with("<svg"));
    let transfer = TransferQr {
        amount: "1.5".to_owned(),
        recipient: me,
        caip2: "eip155:8453".to_owned(),
        token: USDC_ON_BASE.to_owned(),
        decimals: 6,
        ..TransferQr::default()
    };
    assert!(client.transfer_qr_code(&transfer).await.unwrap().starts_with("<svg"));
}

/// What a dApp does by hand, by a plain transfer to the order's own address.
async fn step_by_step(client: &Client, wallet: &LocalWallet, ask: &QuoteAsk) {
    let by_transfer = QuoteAsk { deposit_methods: Some(vec!["TRANSFER".to_owned()]), ..ask.clone() };
    let routes: Vec<_> = pin!(client.stream_quotes(&by_transfer).await.unwrap()).try_collect().await.unwrap();
    let best = routes.iter().max_by_key(|line| line.route.quote.amount_out.parse::<u128>().unwrap()).unwrap();
    let (quote_id, route_id) = (best.quote_id.clone(), best.route.route_id.clone());
    assert!(routes.iter().all(|line| line.quote_id == quote_id));
    let built = client
        .build_deposit(&BuildAsk {
            quote_id,
            route_id,
            from: ask.from_address.clone(),
            recipient: None,
            refund_to: None,
            deposit_method: Some("TRANSFER".to_owned()),
        })
        .await
        .unwrap();
    let BuildAnswer::Transfer(deposit) = built else { panic!("not a transfer: {built:?}") };
    let transfer = &deposit.transfer;
    let waiting = client.orders_at(&transfer.deposit_address).await.unwrap();
    assert_eq!(waiting.data[0].step, "awaiting_deposit");

    let to = transfer.deposit_address.parse::<alloy_primitives::Address>().unwrap();
    let amount = transfer.amount.as_ref().unwrap().parse::<alloy_primitives::U256>().unwrap();
    let selector = alloy_primitives::hex!("a9059cbb");
    let data = [&selector[..], to.into_word().as_slice(), &amount.to_be_bytes::<32>()].concat();
    let payment = causeway_client::EvmTransaction {
        chain_id: 8453,
        to: USDC_ON_BASE.parse().unwrap(),
        data: data.into(),
        value: alloy_primitives::U256::ZERO,
        gas: None,
    };
    let hash = wallet.send(&payment).await.unwrap();
    wallet.wait_for_receipt(8453, &hash).await.unwrap();

    let mut statuses = Vec::new();
    let order = client
        .track_order(transfer.order_id.as_ref().unwrap(), pace(), |order| statuses.push(order.status.clone()))
        .await
        .unwrap();
    assert_eq!(order.status, "filled", "{order:?}");
    assert_eq!(statuses.last().map(String::as_str), Some("filled"));

    let me = &ask.from_address;
    assert_eq!(client.order_of(me, &order.id).await.unwrap().map(|found| found.id), Some(order.id.clone()));
    let stranger = "0x00000000000000000000000000000000000A11cE";
    assert_eq!(client.order_of(stranger, &order.id).await.unwrap(), None);
    assert_eq!(client.orders(me, &OrderQuery::default()).await.unwrap().data[0].id, order.id);
    let intent = client.intent(transfer.intent_id.as_ref().unwrap()).await.unwrap();
    let deposit = order.transactions.deposit.unwrap();
    let found = client.intent_by_deposit(deposit.chain_id.unwrap(), &deposit.tx_hash).await.unwrap();
    assert_eq!(found.summary.intent_id, intent.summary.intent_id);
    let query = IntentQuery { from_chain_id: Some(8453), ..IntentQuery::default() };
    assert_eq!(
        client.intents(me, &query).await.unwrap().data[0].intent_id,
        *transfer.intent_id.as_ref().unwrap()
    );
}

async fn in_one_call(client: &Client, wallet: &LocalWallet, ask: &QuoteAsk, way: DepositMethod) {
    let mut steps = Vec::new();
    let options = ExecuteOptions::new(Bound::MinAmountOut("1".to_owned()))
        .with_deposit_method(way)
        .with_polling(pace());
    let order = client
        .execute(ask, wallet, &options, |step| {
            steps.push(match step {
                Step::Bounded(_) => "bounded".to_owned(),
                Step::Quoted(_) => "quoted".to_owned(),
                Step::Chosen(_) => "chosen".to_owned(),
                Step::Built(_) => "built".to_owned(),
                Step::Sent { deposit, .. } => if deposit { "deposited" } else { "approved" }.to_owned(),
                Step::Submitted(_) => "submitted".to_owned(),
                Step::Order(order) => order.status.clone(),
                other => panic!("{other:?}"),
            });
        })
        .await
        .unwrap_or_else(|error| panic!("{way:?} {steps:?}: {error:?}"));
    assert_eq!(order.status, "filled");
    assert!(order.transactions.fill.is_some());
    let before_the_order = match way {
        DepositMethod::ContractCall => {
            &["bounded", "quoted", "chosen", "built", "approved", "deposited", "submitted"][..]
        }
        DepositMethod::Permit2 => &["bounded", "quoted", "chosen", "built", "approved", "submitted"][..],
        DepositMethod::Authorization | DepositMethod::Permit => {
            &["bounded", "quoted", "chosen", "built", "submitted"][..]
        }
    };
    assert_eq!(steps[..before_the_order.len()], *before_the_order, "{way:?}");
    assert_eq!(steps.last().map(String::as_str), Some("filled"));
}

/// No coin for gas and no allowance: the wallet signs the token's own authorization, or its permit and the order.
async fn a_wallet_with_usdc_and_nothing_else_swaps_by_signing(client: &Client, service: &str) {
    let wallet = LocalWallet::connect_sandbox(client, POOR_KEY).await.unwrap();
    let gift = serde_json::json!({
        "chainId": 8453, "address": wallet.address(), "token": USDC_ON_BASE, "amount": "20000000",
    });
    let faucet = format!("{service}/sandbox/faucet");
    let answer = reqwest::Client::new().post(faucet).json(&gift).send().await.unwrap();
    assert!(answer.status().is_success(), "{}", answer.text().await.unwrap());
    let held = async || {
        let held = client.balances(&wallet.address(), &[8453]).await.unwrap().tokens;
        let balance = |address: &str| {
            let token = held.iter().find(|token| token.address == address);
            token
                .and_then(|token| token.extensions.as_ref()?.balance.clone())
                .unwrap_or_else(|| "0".to_owned())
        };
        (balance(USDC_ON_BASE), balance(COIN))
    };
    while held().await.0 != "20000000" {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(held().await.1, "0");
    let ask = QuoteAsk { amount: "10000000".to_owned(), ..ask(&wallet) };
    for way in [DepositMethod::Authorization, DepositMethod::Permit] {
        in_one_call(client, &wallet, &ask, way).await;
        assert_eq!(held().await.1, "0", "the wallet never had a coin");
        // Nobody is offered it who has not asked for it, and the native coin has neither.
        let quote = client.quote(&ask).await.unwrap();
        assert!(quote.routes.iter().all(|route| !route.offers(way.as_str())));
        let native = QuoteAsk {
            from_token: COIN.to_owned(),
            amount: "10000000000000000".to_owned(),
            deposit_methods: Some(vec![way.as_str().to_owned()]),
            ..ask.clone()
        };
        let refused = client.quote(&native).await;
        assert!(refused.is_err() || refused.is_ok_and(|quote| quote.routes.is_empty()));
    }
}

/// The chain's own coin, by the spelling that others use, for an exact output to another address.
async fn native_coin_to_another_recipient(client: &Client, wallet: &LocalWallet) {
    let recipient = "0x00000000000000000000000000000000000A11cE";
    let ask = QuoteAsk {
        trade_type: "EXACT_OUTPUT".to_owned(),
        from_chain_id: 1,
        from_token: "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE".to_owned(),
        to_chain_id: 8453,
        to_token: USDC_ON_BASE.to_owned(),
        amount: "20000000".to_owned(),
        recipient: Some(recipient.to_owned()),
        refund_to: Some(recipient.to_owned()),
        ..ask(wallet)
    };
    let bound = Bound::MaxAmountIn("20000000000000000".to_owned());
    let options = ExecuteOptions::new(bound).with_polling(pace());
    let order = client.execute(&ask, wallet, &options, |_| {}).await.unwrap();
    assert_eq!((order.status.as_str(), order.recipient.as_deref()), ("filled", Some(recipient)));
    let held = client.balances(recipient, &[8453]).await.unwrap().tokens;
    let dollars = held.iter().find(|token| token.address == USDC_ON_BASE).unwrap();
    assert_eq!(dollars.extensions.as_ref().unwrap().balance.as_deref(), Some("20000000"));
}

async fn refusals_have_their_class(client: &Client, wallet: &LocalWallet, ask: &QuoteAsk) {
    let class = |error: Error| error.class();
    let quoted = async |ask: QuoteAsk| class(client.quote(&ask).await.unwrap_err());
    assert_eq!(quoted(QuoteAsk { amount: "1.5".to_owned(), ..ask.clone() }).await, "ApiValidationError");
    assert_eq!(quoted(QuoteAsk { to_chain_id: 7, ..ask.clone() }).await, "NotSupportedChainError");
    assert_eq!(
        quoted(QuoteAsk { to_token: ask.from_token.clone(), ..ask.clone() }).await,
        "NotSupportedTokenError"
    );
    let tiny = QuoteAsk { amount: "1".to_owned(), ..ask.clone() };
    assert_eq!(quoted(tiny.clone()).await, "CannotFillError");
    let refused = client.stream_quotes(&tiny).await;
    assert!(matches!(refused.map(|_| ()), Err(Error::CannotFill(_))));

    let quote = client.quote(ask).await.unwrap();
    let build = BuildAsk {
        quote_id: quote.quote_id,
        route_id: quote.routes[0].route_id.clone(),
        from: ask.from_address.clone(),
        recipient: None,
        refund_to: None,
        deposit_method: None,
    };
    let refusal = async |build: BuildAsk| class(client.build_deposit(&build).await.unwrap_err());
    let elsewhere = "00".repeat(22);
    assert_eq!(refusal(BuildAsk { quote_id: elsewhere, ..build.clone() }).await, "QuoteNotFoundError");
    let stranger = "0x00000000000000000000000000000000000A11cE".to_owned();
    assert_eq!(refusal(BuildAsk { from: stranger, ..build.clone() }).await, "UnexpectedFromAddressError");
    let nothing = SubmitAsk {
        quote_id: build.quote_id,
        route_id: build.route_id,
        tx_hash: None,
        signed_transaction: None,
        signature: None,
    };
    assert_eq!(class(client.submit_deposit(&nothing).await.unwrap_err()), "BadRequestError");
    let unknown = format!("0x{}", "07".repeat(32));
    assert_eq!(class(client.intent(&unknown).await.unwrap_err()), "IntentNotFoundError");
    let missing = client.order("00").await.unwrap_err();
    assert_eq!(
        (missing.class(), missing.code(), missing.details().unwrap().status),
        ("ServiceError", "SVC3001", 404)
    );

    let picky = ExecuteOptions::new(Bound::MinAmountOut("1".to_owned())).with_route_filter(|_| false);
    let refused = client.execute(ask, wallet, &picky, |_| {}).await.unwrap_err();
    assert!(matches!(refused, Error::NoRoute { .. }), "{refused:?}");
}

async fn the_examples_do_what_they_say(client: &Client, wallet: &LocalWallet) {
    let ask = swap_when::dollars_for_ether(wallet);
    let waiting = swap_when::swap_when(client, wallet, &ask, u128::MAX);
    assert!(tokio::time::timeout(Duration::from_secs(2), waiting).await.is_err(), "no price is that good");
    assert_eq!(swap_when::swap_when(client, wallet, &ask, 1).await.unwrap().status, "filled");

    let mut statuses = Vec::new();
    let on_change = |order: &causeway_client::answers::Order| statuses.push(order.status.clone());
    follow_orders::follow(client, &ask.from_address, on_change).await.unwrap();
    assert_eq!(statuses, ["filled"; 5], "every order of this test");
}
