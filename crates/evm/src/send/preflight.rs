use alloy_primitives::{Address, U64};
use serde_json::{Value, json};

use super::sender::SendError;
use super::sign::TxRequest;
use crate::client::EvmClient;
use crate::error::CallError;
use crate::gas_ceiling::GasLimits;
use crate::revert::revert_reason;
use crate::rpc::Call;
use crate::simulate::{transaction, with_margin};

/// Simulates a transaction and estimates its gas in one request. Returns the estimate with the configured margin, within the
/// limits.
pub(super) async fn preflight(
    client: &EvmClient,
    from: Address,
    request: &TxRequest,
    limits: GasLimits,
) -> Result<u64, SendError> {
    let body = transaction(from, request);
    let calls = [Call::new("eth_call", json!([body, "latest"])), Call::new("eth_estimateGas", json!([body]))];
    let mut answers = client.batch::<Value>(&calls).await.into_iter();
    let missing = || client.invalid_response("a call of the batch was left out");
    // The simulation first: its error has the contract's revert reason, which an estimate often lacks.
    answers.next().ok_or_else(missing)?.map_err(send_error)?;
    let estimate = answers.next().ok_or_else(missing)?.map_err(send_error)?;
    let gas: U64 = serde_json::from_value(estimate)
        .map_err(|error| client.invalid_response(format!("eth_estimateGas answers {error}")))?;
    let fees = &client.config().fees;
    let (needed, ceiling) = (gas.to::<u64>(), limits.ceiling(fees.gas_factor));
    if needed > ceiling {
        return Err(SendError::GasAboveCeiling { needed, ceiling });
    }
    Ok(with_margin(needed, fees.gas_margin_percent).max(limits.min).min(ceiling))
}

fn send_error(error: CallError) -> SendError {
    match error {
        CallError::Refused { message, data, .. } => {
            SendError::WouldFail(data.as_ref().and_then(|data| revert_reason(data)).unwrap_or(message))
        }
        error => error.into(),
    }
}
