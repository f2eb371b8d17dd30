use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::SolCall as _;
use causeway_domain::RawAmount;
use causeway_domain::ports::{ChainError, DepositError};
use serde_json::json;

use super::payment::{Erc20, Payment};
use crate::client::EvmClient;
use crate::error::CallError;
use crate::multicall::balance_of;
use crate::rpc::Call;

/// The payer's balance and allowance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Holdings {
    /// The native balance.
    pub(super) coins: U256,
    /// The spender's current allowance; unlimited for the native coin.
    pub(super) allowance: U256,
}

/// Reads balances and allowance in one batch and rejects a payer with too little of the input token.
pub(super) async fn holdings(
    client: &EvmClient,
    payment: &Payment,
    spender: Address,
) -> Result<Holdings, DepositError> {
    let mut calls = vec![Call::new("eth_getBalance", json!([payment.user, "latest"]))];
    if !payment.is_native() {
        let allowance = Erc20::allowanceCall { owner: payment.user, spender }.abi_encode();
        for data in [balance_of(payment.user), allowance] {
            let call = json!([{ "to": payment.token, "data": Bytes::from(data) }, "latest"]);
            calls.push(Call::new("eth_call", call));
        }
    }
    let mut answers = client.batch::<String>(&calls).await.into_iter();
    let mut answer = || answers.next().unwrap_or_else(|| Err(client.invalid_response("too few answers")));
    let coins = answer().and_then(|text| {
        let digits = text.strip_prefix("0x").and_then(|hex| U256::from_str_radix(hex, 16).ok());
        digits.ok_or_else(|| client.invalid_response("a balance is not a number"))
    });
    let coins = coins.map_err(ChainError::from)?;
    let (has, allowance) = if payment.is_native() {
        (coins, U256::MAX)
    } else {
        (token_number(payment, answer())?, token_number(payment, answer())?)
    };
    if has < payment.amount {
        let (has, needs) = (RawAmount::new(has), RawAmount::new(payment.amount));
        return Err(DepositError::Balance { has, needs });
    }
    Ok(Holdings { coins, allowance })
}

/// The number that the token returned; without one there is no token at the address.
fn token_number(payment: &Payment, answer: Result<String, CallError>) -> Result<U256, DepositError> {
    let number = match answer {
        Ok(text) => text.parse::<Bytes>().ok().and_then(|data| data.first_chunk::<32>().copied()),
        Err(CallError::Refused { .. }) => None,
        Err(error) => return Err(ChainError::from(error).into()),
    };
    let missing = || DepositError::WouldFail(format!("there is no token at {} on this chain", payment.token));
    number.map(U256::from_be_bytes).ok_or_else(missing)
}
