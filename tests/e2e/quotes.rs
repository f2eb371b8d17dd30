use std::path::Path;
use std::time::{Duration, Instant};

use causeway_domain::UsdPrice;
use futures::future::join_all;
use reqwest::Response;
use serde_json::{Value, json};

use crate::service::{Service, data_dir, few_chains};

const WALLET: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

async fn ask(service: &Service, path: &str, body: &Value) -> Response {
    let request = service.client.post(format!("{}{path}", service.url)).body(body.to_string());
    request.send().await.unwrap()
}

/// A rebasing token, which no escrow may hold and no filler quotes.
const STETH: &str = "0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84";

/// A listed token with the raw amount that is worth about a hundred dollars.
struct Listed {
    chain: u64,
    address: String,
    hundred_dollars: String,
}

/// The priced tokens of one chain, best known first.
async fn listed(service: &Service, chain: u64) -> Vec<Listed> {
    let tokens = service.get_json(&format!("/v1/tokens/top?chainIds={chain}")).await;
    let priced = tokens.as_array().unwrap().iter().filter_map(|token| {
        let price: UsdPrice = token["extensions"]["price"]["usd"].as_str()?.parse().ok()?;
        let decimals = u8::try_from(token["decimals"].as_u64()?).ok()?;
        let raw = price.buys("100".parse().ok()?, decimals)?;
        let address = token["address"].as_str()?.to_owned();
        (address != STETH).then_some(Listed { chain, address, hundred_dollars: raw.to_string() })
    });
    priced.collect()
}

fn swap(from: &Listed, to: &Listed) -> Value {
    json!({
        "tradeType": "EXACT_INPUT", "amount": from.hundred_dollars, "fromAddress": WALLET,
        "fromChainId": from.chain, "fromToken": from.address, "toChainId": to.chain, "toToken": to.address,
        "depositMethods": ["CONTRACT_CALL"],
    })
}

#[tokio::test]
async fn a_small_swap_between_rollups_loses_less_than_a_quarter_of_a_percent() {
    let folder = data_dir();
    let service = Service::start_with(folder.path(), &[]);
    let ask_body = json!({
        "tradeType": "EXACT_INPUT", "amount": "25000000", "fromAddress": WALLET,
        "fromChainId": 8453, "fromToken": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        "toChainId": 42161, "toToken": "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
        "depositMethods": ["CONTRACT_CALL"],
    });
    let answer = ask(&service, "/v1/quotes", &ask_body).await.text().await.unwrap();
    let quote: Value = serde_json::from_str(&answer).unwrap();
    let best = &quote["routes"][0]["quote"];
    let out: u64 = best["amountOut"].as_str().unwrap_or_else(|| panic!("{answer}")).parse().unwrap();
    assert!((24_937_500..25_000_000).contains(&out), "{out} of 25000000 arrive");
}

#[tokio::test]
async fn each_deposit_method_has_its_own_price_and_wallet_routes_come_first() {
    let folder = data_dir();
    let service = Service::start_with(folder.path(), &[]);
    let (from, to) = (listed(&service, 8453).await, listed(&service, 42_161).await);
    let from = from.iter().find(|token| token.address.starts_with("0x833589")).unwrap();
    let mut request = swap(from, &to[0]);
    request.as_object_mut().unwrap().remove("depositMethods");
    let answer: Value = ask(&service, "/v1/quotes", &request).await.json().await.unwrap();
    let routes = answer["routes"].as_array().unwrap();
    let methods: Vec<&str> =
        routes.iter().map(|route| route["depositMethods"][0].as_str().unwrap()).collect();
    assert!(routes.iter().all(|route| route["depositMethods"].as_array().unwrap().len() == 1), "{answer}");
    // Two fillers with three methods each; the transfers come last.
    assert_eq!(methods.len(), 6, "{methods:?}");
    assert!(methods.iter().position(|method| *method == "TRANSFER") == Some(4), "{methods:?}");
    let out = |filler: &str, method: &str| -> u128 {
        let is_it = |route: &&Value| route["filler"] == filler && route["depositMethods"][0] == method;
        let route = routes.iter().find(is_it).unwrap();
        // The fees are what the input is worth more than the output.
        let fees = route["quote"]["fees"].as_array().unwrap();
        assert!(fees.iter().all(|fee| fee["token"].as_str().unwrap().contains(&from.address)), "{route}");
        route["quote"]["amountOut"].as_str().unwrap().parse().unwrap()
    };
    for filler in ["north", "south"] {
        let outputs = ["CONTRACT_CALL", "PERMIT2", "TRANSFER"].map(|method| out(filler, method));
        assert!(
            outputs[0] > outputs[1] && outputs[0] > outputs[2],
            "a wallet's call pays for no relay: {outputs:?}"
        );
    }
}

#[tokio::test]
async fn every_two_evm_chains_have_at_least_two_routes_between_listed_tokens() {
    let folder = data_dir();
    let service = Service::start_with_all_chains(folder.path());
    let chains = service.get_json("/v1/chains").await;
    let chains: Vec<u64> = (chains.as_array().unwrap().iter())
        .filter(|chain| chain["type"] == "eip155")
        .map(|chain| chain["id"].as_u64().unwrap())
        .collect();
    assert_eq!(chains.len(), 18);
    let mut tokens = Vec::new();
    for chain in &chains {
        tokens.push(listed(&service, *chain).await);
    }
    // Every ordered pair of chains, and over all of them every token on either side at least once.
    let mut turn = 0_usize;
    let shares = service.get_json("/v1/mtokens").await;
    let is_share =
        |token: &Listed| shares.as_array().unwrap().iter().any(|share| share["address"] == token.address);
    for from in &tokens {
        // Shares of vaults are had by swaps, and turned back at their vault.
        let from: Vec<&Listed> = from.iter().filter(|token| !is_share(token)).collect();
        for to in &tokens {
            turn += 1;
            let (from, to) = (from[turn % from.len()], &to[(turn * 7 + 3) % to.len()]);
            if (from.chain, &from.address) == (to.chain, &to.address) {
                continue;
            }
            let response = ask(&service, "/v1/quotes", &swap(from, to)).await;
            let (status, answer) = (response.status(), response.json::<Value>().await.unwrap());
            let routes = answer["routes"].as_array().map_or(0, Vec::len);
            let pair = format!("{}:{} to {}:{}", from.chain, from.address, to.chain, to.address);
            assert!(status == 200 && routes >= 2, "{pair}: {answer}");
        }
    }
}

#[tokio::test]
async fn rebasing_token_is_refused_at_quote() {
    let folder = data_dir();
    let service = Service::start_with(folder.path(), &[]);
    let tokens = listed(&service, 1).await;
    let mut rebasing = swap(&tokens[0], &tokens[1]);
    rebasing["fromToken"] = json!(STETH);
    let answer: Value = ask(&service, "/v1/quotes", &rebasing).await.json().await.unwrap();
    assert_eq!(answer["details"]["reasons"][0]["reason"], "the pair is not served", "{answer}");
}

#[tokio::test]
async fn a_streamed_quote_has_a_line_per_filler_and_one_id() {
    let folder = data_dir();
    let service = Service::start_with(folder.path(), &[]);
    let tokens = listed(&service, 1).await;
    let response = ask(&service, "/v1/quotes?mode=stream", &swap(&tokens[0], &tokens[1])).await;
    assert_eq!(response.headers()["content-type"], "application/x-ndjson");
    let text = response.text().await.unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut names: Vec<&str> = lines.iter().map(|line| line["filler"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["north", "south"]);
    assert_eq!(lines[0]["quoteId"], lines[1]["quoteId"]);
    let fillers = service.get_json("/v1/fillers").await;
    assert_eq!(fillers[0]["quotes"]["offered"], 1, "{fillers}");
}

/// The log's lines about quotes, once there are `count` of them.
async fn lines_of_quotes(log: &Path, count: usize) -> Vec<Value> {
    let start = Instant::now();
    loop {
        let text = std::fs::read_to_string(log).unwrap();
        // One that is being written is read the next time.
        let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
        let lines = whole.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let lines: Vec<Value> = lines.filter(|line| line["target"] == "causeway::quote").collect();
        if lines.len() >= count || start.elapsed() > Duration::from_mins(1) {
            return lines;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn each_quote_is_one_log_line_at_debug_level_with_the_timing_of_each_part() {
    let folder = data_dir();
    let file = folder.path().join("talkative.toml");
    let settings = "[log]\nformat = \"json\"\nfilter = \"warn,causeway::quote=debug\"\n";
    std::fs::write(&file, format!("{settings}{}", few_chains())).unwrap();
    let log = folder.path().join("log");
    let stderr = std::fs::File::create(&log).unwrap().into();
    let service = Service::start_logging(folder.path(), &["--config", file.to_str().unwrap()], stderr);
    let tokens = listed(&service, 1).await;
    let request = swap(&tokens[0], &tokens[1]);
    let plain: Value = ask(&service, "/v1/quotes", &request).await.json().await.unwrap();
    let streamed = ask(&service, "/v1/quotes?mode=stream", &request).await.text().await.unwrap();
    let streamed: Value = serde_json::from_str(streamed.lines().next().unwrap()).unwrap();
    let mut too_much = request.clone();
    too_much["amount"] = json!("1000000000000000000000000000");
    assert_eq!(ask(&service, "/v1/quotes", &too_much).await.status(), 422);

    let lines = lines_of_quotes(&log, 3).await;
    assert_eq!(lines.len(), 3, "{lines:?}");
    let expected = [
        (&plain["quoteId"], 2, "offered"),
        (&streamed["quoteId"], 2, "offered"),
        // A quote without routes returns no id.
        (&lines[2]["id"], 0, "refused"),
    ];
    for (line, (id, routes, word)) in lines.iter().zip(expected) {
        assert_eq!((&line["level"], &line["id"], &line["routes"]), (&json!("DEBUG"), id, &json!(routes)));
        let answers = line["answers"].as_str().unwrap();
        for filler in ["north", "south"] {
            assert!(answers.contains(&format!("{filler} {word} at ")), "{answers}");
        }
        let micros = |part: &str| line[part].as_u64().unwrap_or_else(|| panic!("{part} in {line}"));
        let parts = ["resolved_micros", "answered_micros", "total_micros"].map(micros);
        assert!(parts.is_sorted() && parts[2] > 0, "{line}");
    }
}

#[tokio::test]
async fn unfillable_quote_reports_the_reason_of_each_filler() {
    let folder = data_dir();
    let service = Service::start_with(folder.path(), &[]);
    let tokens = listed(&service, 8453).await;
    let mut too_much = swap(&tokens[0], &tokens[1]);
    too_much["amount"] = json!("1000000000000000000000000000");
    let answer: Value = ask(&service, "/v1/quotes", &too_much).await.json().await.unwrap();
    assert_eq!(answer["name"], "CannotFillException", "{answer}");
    let reasons = answer["details"]["reasons"].as_array().unwrap();
    assert_eq!(reasons.len(), 2);
    // The reported limit works.
    let mut at_most = swap(&tokens[0], &tokens[1]);
    at_most["amount"] = reasons[0]["maximum"].clone();
    let near = at_most["amount"].as_str().unwrap().parse::<u128>().unwrap() / 100 * 98;
    at_most["amount"] = json!(near.to_string());
    let answer: Value = ask(&service, "/v1/quotes", &at_most).await.json().await.unwrap();
    assert!(
        !answer["routes"].as_array().unwrap().is_empty(),
        "prices drift, by less than two percent: {answer}"
    );
}

#[tokio::test]
async fn internal_chain_calls_are_not_rate_limited() {
    let folder = data_dir();
    let settings = "[server.rate_limit]\nenabled = true\nper_second = 1\nburst = 4\n";
    let service = Service::start_configured(folder.path(), settings);
    let tokens = listed(&service, 8453).await;
    // The fillers know their books, which takes hundreds of calls.
    let answer: Value =
        ask(&service, "/v1/quotes", &swap(&tokens[0], &tokens[1])).await.json().await.unwrap();
    assert_eq!(answer["routes"].as_array().map(Vec::len), Some(2), "{answer}");
    // All at once: a busy machine would answer them one after the other more slowly than the limit.
    let strangers = join_all((0..20).map(|_| service.get("/v1/chains"))).await;
    assert!(strangers.iter().any(|response| response.status() == 429), "strangers are limited");
}
