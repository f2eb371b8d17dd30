use alloy_primitives::{Address, U64};
use serde_json::{Value, json};

use super::sender::SendError;
use super::sign::TxRequest;
use crate::client::EvmClient;
use crate::error::CallError;
use crate::revert::revert_words;
use crate::rpc::Call;
use crate::simulate::{transaction, with_margin};

/// Tries a transaction and asks what gas it takes, in one request; that gas with the configured margin, and `least` at least.
pub(super) async fn try_out(
    client: &EvmClient,
    from: Address,
    request: &TxRequest,
    least: u64,
) -> Result<u64, SendError> {
    let body = transaction(from, request);
    let calls = [Call::new("eth_call", json!([body, "latest"])), Call::new("eth_estimateGas", json!([body]))];
    let mut answers = client.batch::<Value>(&calls).await.into_iter();
    let missing = || client.nonsense("a call of the batch was left out");
    // The trial first: its refusal has the contract's own words, an estimate's often has not.
    answers.next().ok_or_else(missing)?.map_err(refusal)?;
    let estimate = answers.next().ok_or_else(missing)?.map_err(refusal)?;
    let gas: U64 = serde_json::from_value(estimate)
        .map_err(|error| client.nonsense(format!("eth_estimateGas answers {error}")))?;
    Ok(with_margin(gas.to(), client.config().fees.gas_margin_percent).max(least))
}

fn refusal(error: CallError) -> SendError {
    match error {
        CallError::Refused { message, data, .. } => {
            SendError::WouldFail(data.as_ref().and_then(|data| revert_words(data)).unwrap_or(message))
        }
        error => error.into(),
    }
}
