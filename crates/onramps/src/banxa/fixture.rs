//! The fixtures in this folder, with their tokens and order.

use std::collections::HashMap;

use alloy_primitives::U256;
use causeway_domain::fiat::{FiatAmount, FiatOrder, FiatStatus, Strategy};
use causeway_domain::{Address, ChainId, FiatQuoteId, RawAmount, RowKeys, SOLANA_CHAIN_ID, Token, TokenId};
use jiff::Timestamp;
use serde::de::DeserializeOwned;

use super::offering::{UnavailableIn, offering as read_offering};
use super::wire::Country;
use crate::offering_cache::Offering;

pub(super) fn text(name: &str) -> String {
    let text = match name {
        "countries" => include_str!("fixtures/countries.json"),
        "fiats" => include_str!("fixtures/fiats.json"),
        "crypto" => include_str!("fixtures/crypto.json"),
        "quote" => include_str!("fixtures/quote.json"),
        "buy" => include_str!("fixtures/buy.json"),
        "error" => include_str!("fixtures/error.json"),
        "orders" => include_str!("fixtures/orders.json"),
        "webhook" => include_str!("fixtures/webhook.json"),
        other => panic!("there is no fixture `{other}`"),
    };
    text.to_owned()
}

pub(super) fn read<T: DeserializeOwned>(name: &str) -> T {
    serde_json::from_str(&text(name)).unwrap()
}

fn token(chain: ChainId, contract: Option<&str>, symbol: &str, decimals: u8) -> Token {
    let native = TokenId::native(chain);
    let id = contract.map_or(native, |contract| TokenId::new(chain, contract).unwrap());
    Token { id, symbol: symbol.to_owned(), name: symbol.to_owned(), decimals, logo: None }
}

pub(super) fn usdc() -> Token {
    token(ChainId::new(8453).unwrap(), Some("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"), "USDC", 6)
}

fn tokens() -> HashMap<TokenId, Token> {
    let ethereum = ChainId::new(1).unwrap();
    let tokens = [
        usdc(),
        token(ethereum, Some("0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"), "USDC", 6),
        token(ethereum, None, "ETH", 18),
        token(SOLANA_CHAIN_ID, Some("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"), "USDC", 6),
    ];
    tokens.into_iter().map(|token| (token.id, token)).collect()
}

pub(super) fn offering() -> (Offering, UnavailableIn) {
    let countries: Vec<Country> = read("countries");
    read_offering(read("crypto"), read("fiats"), &countries, &tokens()).unwrap()
}

pub(crate) fn order() -> FiatOrder {
    let wallet = Address::parse_any("0x70997970C51812dc3A010C7d01b50e0d17dc79C8").unwrap();
    let now = Timestamp::now();
    let amount = RawAmount::new(U256::from(97_410_000));
    FiatOrder {
        id: "5b0c3e1d9a7f42688a1d2c3b4e5f6071".parse().unwrap(),
        key: RowKeys::new(0).next(now),
        quote: FiatQuoteId::random().unwrap(),
        provider: "banxa".to_owned(),
        provider_order: None,
        status: FiatStatus::Created,
        author: wallet,
        recipient: wallet,
        refund_to: wallet,
        pays: FiatAmount::new("USD".parse().unwrap(), 10_000),
        target: usdc().id,
        sold: usdc().id,
        sold_amount: amount,
        expected: amount,
        least: amount,
        strategy: Strategy::Direct,
        widget_url: String::new(),
        origin: None,
        integrator: None,
        metadata: None,
        payout: None,
        output: None,
        fill_tx: None,
        failure: None,
        pay_by: now,
        due_at: None,
        created_at: now,
        updated_at: now,
        version: 0,
    }
}
