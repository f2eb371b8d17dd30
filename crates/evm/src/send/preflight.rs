use alloy_primitives::Address;

use super::sender::SendError;
use super::sign::TxRequest;
use crate::client::EvmClient;
use crate::error::CallError;
use crate::gas_ceiling::GasLimits;
use crate::revert::revert_reason;
use crate::simulate::with_margin;

/// Simulates a transaction and estimates its gas in one request. Returns the estimate with the configured margin, within the
/// limits.
pub(super) async fn preflight(
    client: &EvmClient,
    from: Address,
    request: &TxRequest,
    limits: GasLimits,
) -> Result<u64, SendError> {
    let fees = &client.config().fees;
    let ceiling = limits.ceiling(fees.gas_factor);
    let needed = client.simulated_gas(from, request, ceiling).await.map_err(send_error)?;
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
