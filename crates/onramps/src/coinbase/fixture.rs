//! The fixtures in this folder, and their tokens.

use std::collections::HashMap;

use causeway_domain::{ChainId, Token, TokenId};
use serde::de::DeserializeOwned;

pub(super) fn text(name: &str) -> String {
    let text = match name {
        "buy_config" => include_str!("fixtures/buy_config.json"),
        "buy_options" => include_str!("fixtures/buy_options.json"),
        "quote" => include_str!("fixtures/quote.json"),
        "session" => include_str!("fixtures/session.json"),
        "transactions" => include_str!("fixtures/transactions.json"),
        "webhook_transaction" => include_str!("fixtures/webhook_transaction.json"),
        "webhook_order" => include_str!("fixtures/webhook_order.json"),
        "error" => include_str!("fixtures/error.json"),
        other => panic!("there is no fixture `{other}`"),
    };
    text.to_owned()
}

pub(super) fn read<T: DeserializeOwned>(name: &str) -> T {
    serde_json::from_str(&text(name)).unwrap()
}

pub(super) fn base() -> ChainId {
    ChainId::new(8453).unwrap()
}

fn token(id: TokenId, symbol: &str, decimals: u8) -> Token {
    Token { id, symbol: symbol.to_owned(), name: symbol.to_owned(), decimals, logo: None }
}

pub(super) fn usdc() -> Token {
    let id = TokenId::new(base(), "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913").unwrap();
    token(id, "USDC", 6)
}

pub(super) fn assets() -> HashMap<TokenId, Token> {
    [usdc(), token(TokenId::native(base()), "ETH", 18)].into_iter().map(|token| (token.id, token)).collect()
}
