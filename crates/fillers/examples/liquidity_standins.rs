//! Starts local stand-ins of LI.FI, Relay, 1Click, 0x and Jupiter for a sandbox, and prints the configuration of a service that asks them.
//! Nothing real is moved.
//!
//! `cargo run -p causeway-fillers --example liquidity_standins`
//!
//! The last line that it prints is the address where it is told more: `POST /connect` with the sandbox's URL, `GET /contracts` for
//! what must be put on its chains, `POST /misbehave/PROVIDER` with a word, and `POST /pay/ADDRESS` with an amount, which pays an
//! address of Bitcoin or Tron.

#![allow(clippy::print_stdout, reason = "the program prints the configuration")]

use std::error::Error;
use std::net::Ipv4Addr;
use std::sync::Arc;

use alloy_primitives::{Address, B256, U256, address, hex, keccak256};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use causeway_domain::{Address as AnyAddress, Family};
use causeway_fillers::providers::standin::{
    JupiterStandIn, LifiStandIn, Mischief, OneClickStandIn, PlayMoney, RelayStandIn, ZeroxStandIn,
    depository_code,
};
use serde_json::{Value, json};
use tokio::net::TcpListener;

const BASE: u64 = 8453;
const ARBITRUM: u64 = 42_161;
const BITCOIN: u64 = 8_253_038;
const TRON: u64 = 728_126_428;
const SOLANA: u64 = 20_011_000_000;
const BASE_USDC: Address = address!("833589fCD6eDb6E08f4c7C32D4f71b54bdA02913");
const BASE_USDT: Address = address!("fde4C96c8593536E31F229EA8f37b2ADa2699bb2");
const ARBITRUM_USDC: Address = address!("af88d065e77c8cC2239327C5EDb3A432268e5831");
/// Tron's USDT as its twenty bytes.
const TRON_USDT: Address = address!("a614f803b6fd780986a42c78ec9c7f77e6ded13c");
const SOLANA_USDC: &str = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
const SOLANA_USDT: &str = "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB";
/// Where the sandbox's play exchange is put on Solana.
const PROGRAM: [u8; 32] = [0x4a; 32];
/// The deterministic CREATE2 deployer, which every sandbox chain has.
const CREATE2: Address = address!("4e59b44847b379578588920cA78FbF26c0B4956C");
const PROVIDER: &str = include_str!("../../../contracts/evm/artifacts/PlayProvider.json");
const EXCHANGE: &str = include_str!("../../../contracts/evm/artifacts/PlayExchange.json");
/// A price holds for ten minutes.
const SETTINGS: &str = "deadline_ms = 20000\nvalid_for_s = 600\n";

struct StandIns {
    money: Arc<PlayMoney>,
    lifi: LifiStandIn,
    relay: RelayStandIn,
    oneclick: OneClickStandIn,
    zerox: ZeroxStandIn,
    jupiter: JupiterStandIn,
    contracts: Value,
}

impl StandIns {
    async fn start() -> Result<Self, Box<dyn Error>> {
        let codes = [bytecode(PROVIDER)?, depository_code(), bytecode(EXCHANGE)?];
        let [contract, depository, exchange] = codes.each_ref().map(|code| address_of(code));
        let [provider, deposits, exchanges] = codes.each_ref().map(|code| contract_of(code));
        let money = Arc::new(PlayMoney::new()?);
        let tokens = || [(BASE, BASE_USDC, 6, "USDC"), (ARBITRUM, ARBITRUM_USDC, 6, "USDC")];
        let sources = [
            (BITCOIN, Address::ZERO, 8, "BTC"),
            (TRON, Address::ZERO, 6, "TRX"),
            (TRON, TRON_USDT, 6, "USDT"),
        ];
        let mints = [(mint(SOLANA_USDC)?, 6, "USDC"), (mint(SOLANA_USDT)?, 6, "USDT")];
        let lifi = LifiStandIn::start(contract, tokens(), Arc::clone(&money)).await?;
        let relay = RelayStandIn::start(depository, tokens(), Arc::clone(&money)).await?;
        let within = [(BASE, BASE_USDC, 6, "USDC"), (BASE, BASE_USDT, 6, "USDT")];
        let zerox = ZeroxStandIn::start(exchange, within, Arc::clone(&money)).await?;
        let both = tokens().into_iter().chain(sources);
        let oneclick = OneClickStandIn::start(both, Arc::clone(&money)).await?;
        let jupiter = JupiterStandIn::start(PROGRAM, SOLANA, mints, Arc::clone(&money)).await?;
        let contracts = json!({
            "lifi": provider,
            "relay": deposits,
            "zerox": exchanges,
            "jupiter": {
                "chainId": SOLANA, "address": AnyAddress::Solana(PROGRAM).to_string(),
                "authority": AnyAddress::Solana(JupiterStandIn::authority(PROGRAM)).to_string(),
            },
        });
        Ok(Self { money, lifi, relay, oneclick, zerox, jupiter, contracts })
    }

    /// The section of each in the service's configuration.
    fn settings(&self) -> String {
        let address =
            |name: &str| self.contracts.pointer(&format!("/{name}/address")).and_then(Value::as_str);
        let called = |name: &str, url: &str, limit: &str| {
            let contract = address(name).unwrap_or_default();
            format!(
                "[liquidity.{name}]\nurl = \"{url}\"\n{limit} = 10000\n{SETTINGS}\
                 [liquidity.{name}.contracts]\nbundled = false\npinned = [{{ chain = {BASE}, address = \"{contract}\" }}]\n"
            )
        };
        let registry = format!(
            "api_key = \"key\"\nregistry = \"{}\"\nquotes_in_a_second",
            address("zerox").unwrap_or_default()
        );
        called("lifi", &self.lifi.url, "quotes_in_two_hours")
            + &called("relay", &self.relay.url, "quotes_in_a_minute")
            + &called("zerox", &self.zerox.url, &registry)
            + &format!(
                "[liquidity.oneclick]\nurl = \"{}\"\nquotes_in_a_minute = 10000\n{SETTINGS}\
             [liquidity.jupiter]\nurl = \"{}\"\nquotes_in_a_minute = 10000\nprogram = \"{}\"\n{SETTINGS}",
                self.oneclick.url,
                self.jupiter.url,
                address("jupiter").unwrap_or_default(),
            )
    }
}

fn bytecode(artifact: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    let artifact: Value = serde_json::from_str(artifact)?;
    Ok(hex::decode(artifact.get("bytecode").and_then(Value::as_str).ok_or("no bytecode")?)?)
}

/// Where the deployer puts this code.
fn address_of(code: &[u8]) -> Address {
    CREATE2.create2(B256::ZERO, keccak256(code))
}

/// What must be sent to have it there.
fn contract_of(code: &[u8]) -> Value {
    json!({
        "chainId": BASE, "address": address_of(code).to_string(), "deployer": CREATE2.to_string(),
        "data": hex::encode_prefixed([B256::ZERO.as_slice(), code].concat()),
    })
}

fn mint(text: &str) -> Result<[u8; 32], Box<dyn Error>> {
    match AnyAddress::parse(Family::Solana, text)? {
        AnyAddress::Solana(bytes) => Ok(bytes),
        other => Err(format!("{other} is none of Solana").into()),
    }
}

/// The misconduct that a word means.
fn mischief(word: &str) -> Option<Mischief> {
    Some(match word {
        "none" => Mischief::None,
        "down" => Mischief::Down,
        "other-target" => Mischief::OtherTarget(Address::repeat_byte(0xdd)),
        "other-recipient" => Mischief::OtherRecipient(Address::repeat_byte(0xdd)),
        "refunds" => Mischief::Refunds,
        "pays-less" => Mischief::PaysLess,
        "stuck" => Mischief::Stuck,
        _ => return None,
    })
}

async fn misbehave(
    State(all): State<Arc<StandIns>>,
    Path(name): Path<String>,
    word: String,
) -> (StatusCode, String) {
    let Some(mischief) = mischief(&word) else {
        return (StatusCode::BAD_REQUEST, format!("no misconduct is called {word:?}"));
    };
    match name.as_str() {
        "lifi" => all.lifi.misbehave(mischief),
        "relay" => all.relay.misbehave(mischief),
        "oneclick" => all.oneclick.misbehave(mischief),
        "zerox" => all.zerox.misbehave(mischief),
        "jupiter" => all.jupiter.misbehave(mischief),
        other => return (StatusCode::NOT_FOUND, format!("there is no stand-in {other:?}")),
    }
    (StatusCode::OK, String::new())
}

/// Pays an address of Bitcoin or Tron, and answers with the transaction.
async fn pay(
    State(all): State<Arc<StandIns>>,
    Path(to): Path<String>,
    amount: String,
) -> (StatusCode, String) {
    match amount.parse::<U256>() {
        Ok(amount) => (StatusCode::OK, all.oneclick.pay(&to, amount)),
        Err(error) => (StatusCode::BAD_REQUEST, error.to_string()),
    }
}

async fn connect(State(all): State<Arc<StandIns>>, url: String) {
    all.money.connect(&url);
}

async fn contracts(State(all): State<Arc<StandIns>>) -> Json<Value> {
    Json(all.contracts.clone())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let all = Arc::new(StandIns::start().await?);
    let settings = all.settings();
    let router = Router::new()
        .route("/connect", post(connect))
        .route("/contracts", get(contracts))
        .route("/misbehave/{provider}", post(misbehave))
        .route("/pay/{address}", post(pay))
        .with_state(all);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    println!("{settings}# http://{}", listener.local_addr()?);
    axum::serve(listener, router).await?;
    Ok(())
}
