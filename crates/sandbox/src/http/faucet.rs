use std::sync::Arc;

use alloy_primitives::U256;
use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use causeway_domain::{Address, ChainId, Family, RawAmount};
use serde::Deserialize;
use serde_json::{Value, json};
use solana_address::Address as SolanaAddress;

use super::error::{HttpError, done, read};
use crate::Sandbox;

/// The default amounts: ten coins of 18 decimals, ten SOL, a thousand tokens of 6 decimals.
const EVM_COINS: u128 = 10_000_000_000_000_000_000;
const SOLANA_COINS: u128 = 10_000_000_000;
const TOKENS: u128 = 1_000_000_000;

/// The maximum amount, so that a faucet cannot overflow a supply.
const MAX_AMOUNT: u128 = 1_000_000_000_000_000_000_000_000_000;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FaucetRequest {
    chain_id: u64,
    address: String,
    token: Option<String>,
    /// Raw units.
    amount: Option<String>,
}

/// Sends test money: the native coin or a token.
pub(super) async fn faucet(
    State(sandbox): State<Arc<Sandbox>>,
    body: Bytes,
) -> Result<Json<Value>, HttpError> {
    let request: FaucetRequest = read(&body)?;
    let chain = ChainId::new(request.chain_id).ok_or(HttpError::NoChain)?;
    let invalid = |what: &str, error: &dyn std::fmt::Display| HttpError::Invalid(format!("{what}: {error}."));
    let to = Address::parse(chain.family(), &request.address).map_err(|error| invalid("address", &error))?;
    let token = request.token.as_deref().map(|text| Address::parse_token(chain, text)).transpose();
    let token = token.map_err(|error| invalid("token", &error))?.filter(|token| !token.is_native());
    let default = match (token, chain.family()) {
        (Some(_), _) => TOKENS,
        (None, Family::Evm) => EVM_COINS,
        (None, Family::Solana) => SOLANA_COINS,
        (None, Family::Bitcoin | Family::Tron) => return Err(HttpError::NoChain),
    };
    let amount = request.amount.as_deref().map(str::parse::<RawAmount>).transpose();
    let amount =
        amount.map_err(|error| invalid("amount", &error))?.map_or(U256::from(default), RawAmount::get);
    if amount.is_zero() || amount > U256::from(MAX_AMOUNT) {
        return Err(HttpError::Invalid(format!("amount: must be from 1 to {MAX_AMOUNT} raw units.")));
    }
    let transaction = send_funds(&sandbox, chain, to, token, amount).await?;
    Ok(done(json!({ "txHash": transaction, "amount": amount.to_string() })))
}

async fn send_funds(
    sandbox: &Sandbox,
    chain: ChainId,
    to: Address,
    token: Option<Address>,
    amount: U256,
) -> Result<String, HttpError> {
    let refused = |error: &dyn std::fmt::Display| HttpError::Refused(format!("{error}."));
    match to {
        Address::Evm(to) => {
            let chain = sandbox.evm.get(&chain).ok_or(HttpError::NoChain)?;
            let token = match token {
                Some(Address::Evm(token)) => Some(token),
                _ => None,
            };
            let hash =
                sandbox.faucet.send(chain, to, token, amount).await.map_err(|error| refused(&error))?;
            Ok(hash.to_string())
        }
        Address::Solana(to) => {
            let solana = sandbox.solana.as_ref().ok_or(HttpError::NoChain)?;
            let too_large = "amount: must fit 64 bits on Solana.".to_owned();
            let amount = u64::try_from(amount).map_err(|_| HttpError::Invalid(too_large))?;
            let to = SolanaAddress::from(to);
            let signature = match token {
                Some(Address::Solana(token)) => {
                    solana.give_tokens(to, SolanaAddress::from(token), amount).await
                }
                _ => solana.airdrop(to, amount).await,
            };
            Ok(signature.map_err(|error| refused(&error))?.to_string())
        }
        Address::Bitcoin(_) | Address::Tron(_) => Err(HttpError::NoChain),
    }
}
