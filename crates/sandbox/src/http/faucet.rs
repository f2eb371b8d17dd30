use std::sync::Arc;

use alloy_primitives::U256;
use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use causeway_domain::{Address, ChainId, Family, RawAmount};
use serde::Deserialize;
use serde_json::{Value, json};
use solana_address::Address as SolanaAddress;

use super::answer::{Refusal, done, read};
use crate::Sandbox;

/// What is given when no amount is named: ten coins of 18 decimals, ten SOL, a thousand tokens of six.
const EVM_COINS: u128 = 10_000_000_000_000_000_000;
const SOLANA_COINS: u128 = 10_000_000_000;
const TOKENS: u128 = 1_000_000_000;

/// No gift is larger: a faucet that overflows a supply helps nobody.
const MAX_GIFT: u128 = 1_000_000_000_000_000_000_000_000_000;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Gift {
    chain_id: u64,
    address: String,
    token: Option<String>,
    /// Raw units.
    amount: Option<String>,
}

/// Gives play money: the chain's own coin, or a token.
pub(super) async fn faucet(State(sandbox): State<Arc<Sandbox>>, body: Bytes) -> Result<Json<Value>, Refusal> {
    let gift: Gift = read(&body)?;
    let chain = ChainId::new(gift.chain_id).ok_or(Refusal::NoChain)?;
    let invalid = |what: &str, error: &dyn std::fmt::Display| Refusal::Invalid(format!("{what}: {error}."));
    let to = Address::parse(chain.family(), &gift.address).map_err(|error| invalid("address", &error))?;
    let token = gift.token.as_deref().map(|text| Address::parse_token(chain, text)).transpose();
    let token = token.map_err(|error| invalid("token", &error))?.filter(|token| !token.is_native());
    let default = match (token, chain.family()) {
        (Some(_), _) => TOKENS,
        (None, Family::Evm) => EVM_COINS,
        (None, Family::Solana) => SOLANA_COINS,
    };
    let amount = gift.amount.as_deref().map(str::parse::<RawAmount>).transpose();
    let amount =
        amount.map_err(|error| invalid("amount", &error))?.map_or(U256::from(default), RawAmount::get);
    if amount.is_zero() || amount > U256::from(MAX_GIFT) {
        return Err(Refusal::Invalid(format!("amount: must be from 1 to {MAX_GIFT} raw units.")));
    }
    let transaction = give(&sandbox, chain, to, token, amount).await?;
    Ok(done(json!({ "txHash": transaction, "amount": amount.to_string() })))
}

async fn give(
    sandbox: &Sandbox,
    chain: ChainId,
    to: Address,
    token: Option<Address>,
    amount: U256,
) -> Result<String, Refusal> {
    let refused = |error: &dyn std::fmt::Display| Refusal::Refused(format!("{error}."));
    match to {
        Address::Evm(to) => {
            let chain = sandbox.evm.get(&chain).ok_or(Refusal::NoChain)?;
            let token = match token {
                Some(Address::Evm(token)) => Some(token),
                _ => None,
            };
            let hash =
                sandbox.faucet.give(chain, to, token, amount).await.map_err(|error| refused(&error))?;
            Ok(hash.to_string())
        }
        Address::Solana(to) => {
            let solana = sandbox.solana.as_ref().ok_or(Refusal::NoChain)?;
            let too_large = "amount: must fit 64 bits on Solana.".to_owned();
            let amount = u64::try_from(amount).map_err(|_| Refusal::Invalid(too_large))?;
            let to = SolanaAddress::from(to);
            let signature = match token {
                Some(Address::Solana(token)) => {
                    solana.give_tokens(to, SolanaAddress::from(token), amount).await
                }
                _ => solana.airdrop(to, amount).await,
            };
            Ok(signature.map_err(|error| refused(&error))?.to_string())
        }
    }
}
