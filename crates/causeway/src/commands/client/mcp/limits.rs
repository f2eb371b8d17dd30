use std::path::Path;

use alloy_primitives::U256;
use causeway_client::Client;
use causeway_client::wire::Token;
use serde::Deserialize;

use super::super::directory::Directory;
use super::super::failure::Failure;
use super::super::pair::describe_amount;
use super::super::parse::parse_amount_and_token;
use super::super::units;

/// The limits file as written: what the agent may spend, token by token.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LimitsFile {
    #[serde(default)]
    allow: Vec<LimitEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LimitEntry {
    /// The most of one swap, such as `25 USDC@base`.
    per_swap: String,
    /// The most within 24 hours, in the same token.
    per_day: String,
    /// Recipients besides the payer.
    #[serde(default)]
    recipients: Vec<String>,
}

/// What the agent may spend of one token.
#[derive(Debug)]
pub(super) struct TokenLimit {
    pub(super) token: Token,
    per_swap: U256,
    pub(super) per_day: U256,
    recipients: Vec<String>,
}

/// The limits of all tokens; a token without one is not spent.
#[derive(Debug, Default)]
pub(super) struct Limits(Vec<TokenLimit>);

impl Limits {
    /// Reads the file and resolves its tokens.
    pub(super) async fn load(file: &Path, client: &Client, directory: &Directory) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(file).map_err(|error| {
            Failure::usage(format!("cannot read the limits in {}: {error}", file.display()))
        })?;
        let read: LimitsFile = toml::from_str(&text).map_err(|error| {
            Failure::usage(format!("the limits in {} are invalid: {error}", file.display()))
        })?;
        let mut limits = Vec::new();
        for entry in read.allow {
            let (per_swap, place) = parse_amount_and_token(std::slice::from_ref(&entry.per_swap))
                .map_err(|error| Failure::usage(format!("per_swap {:?}: {error}", entry.per_swap)))?;
            let token = directory.token(client, &place).await?;
            let per_swap = raw(&per_swap, &token)?;
            let per_day = raw(&entry.per_day, &token)?;
            if per_day < per_swap {
                return Err(Failure::usage(format!(
                    "per_day of {} is less than per_swap: no swap of that size could be made",
                    token.symbol
                )));
            }
            limits.push(TokenLimit { token, per_swap, per_day, recipients: entry.recipients });
        }
        Self(limits).checked()
    }

    /// One limit per token: with two it would be unclear which holds.
    fn checked(self) -> Result<Self, Failure> {
        for (place, limit) in self.0.iter().enumerate() {
            if self.0.iter().skip(place + 1).any(|other| is_same(&other.token, &limit.token)) {
                return Err(Failure::usage(format!("{} has two limits; write one", limit.token.symbol)));
            }
        }
        Ok(self)
    }

    /// The limit that allows the swap, or the reason why none does.
    pub(super) fn allows(
        &self,
        token: &Token,
        amount: U256,
        payer: &str,
        recipient: &str,
        directory: &Directory,
    ) -> Result<&TokenLimit, String> {
        let limit = self.0.iter().find(|limit| is_same(&limit.token, token)).ok_or_else(|| {
            format!("the limits allow no {} on {}", token.symbol, directory.name(token.chain_id))
        })?;
        if amount > limit.per_swap {
            return Err(format!(
                "a swap of {} is above the limit of {}",
                describe_amount(&amount.to_string(), token, directory),
                describe_amount(&limit.per_swap.to_string(), token, directory)
            ));
        }
        let known = std::iter::once(payer).chain(limit.recipients.iter().map(String::as_str));
        if !known.into_iter().any(|address| is_same_address(address, recipient)) {
            return Err(format!("{recipient} is neither the payer nor a recipient that the limits name"));
        }
        Ok(limit)
    }
}

fn raw(text: &str, token: &Token) -> Result<U256, Failure> {
    let raw = units::to_raw(text, token.decimals).map_err(Failure::Usage)?;
    raw.parse().map_err(|_| Failure::usage(format!("{text} {} is too large an amount", token.symbol)))
}

fn is_same(one: &Token, other: &Token) -> bool {
    one.chain_id == other.chain_id && is_same_address(&one.address, &other.address)
}

/// Hex may be written in either case; base58 is exact.
fn is_same_address(one: &str, other: &str) -> bool {
    if one.starts_with("0x") { one.eq_ignore_ascii_case(other) } else { one == other }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PAYER: &str = "0x00000000000000000000000000000000000000Aa";
    const FRIEND: &str = "0x00000000000000000000000000000000000000bB";

    fn token(chain_id: u64, address: &str) -> Token {
        serde_json::from_value(json!({
            "chainId": chain_id, "address": address, "symbol": "USDC", "name": "USD Coin", "decimals": 6,
        }))
        .unwrap()
    }

    fn limits() -> Limits {
        Limits(vec![TokenLimit {
            token: token(8453, "0xAb"),
            per_swap: U256::from(25),
            per_day: U256::from(50),
            recipients: vec![FRIEND.to_owned()],
        }])
    }

    fn refusal(token: &Token, amount: u64, recipient: &str) -> String {
        let directory = Directory::default();
        limits().allows(token, U256::from(amount), PAYER, recipient, &directory).unwrap_err()
    }

    #[test]
    fn a_swap_within_the_limits_is_allowed_to_the_payer_and_to_named_recipients() {
        for recipient in [PAYER, FRIEND, &FRIEND.to_lowercase()] {
            let allowed = limits();
            let directory = Directory::default();
            let limit = allowed.allows(&token(8453, "0xaB"), U256::from(25), PAYER, recipient, &directory);
            assert_eq!(limit.unwrap().per_day, U256::from(50), "{recipient}");
        }
    }

    #[test]
    fn other_tokens_amounts_and_recipients_are_refused_with_the_reason() {
        let usdc = token(8453, "0xab");
        assert!(refusal(&token(1, "0xab"), 1, PAYER).contains("allow no USDC"));
        assert!(refusal(&token(8453, "0xac"), 1, PAYER).contains("allow no USDC"));
        assert!(refusal(&usdc, 26, PAYER).contains("above the limit of 0.000025 USDC"));
        assert!(
            refusal(&usdc, 25, "0x00000000000000000000000000000000000000cc").contains("neither the payer")
        );
    }

    #[test]
    fn two_limits_of_one_token_are_refused() {
        let mut twice = limits();
        twice.0.append(&mut limits().0);
        assert!(twice.checked().unwrap_err().to_string().contains("two limits"));
    }
}
