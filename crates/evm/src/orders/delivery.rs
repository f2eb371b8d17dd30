//! What a delivery costs, and whether its recipient can be paid at all (rule 25).

use alloy_consensus::{Transaction as _, TxEnvelope};
use alloy_eips::eip2718::Decodable2718 as _;
use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::SolError as _;
use causeway_domain::ports::Outgoing;

use super::calldata::EncodedTx;
use crate::client::EvmClient;
use crate::contracts::{Escrow, Settler};
use crate::error::CallError;
use crate::revert::revert_reason;

/// Why the recipient cannot be paid, whatever the sender holds: it takes more gas than a delivery may, or refuses it. `None`
/// where it can be paid, and where the node refuses the simulation for another reason.
pub(super) async fn unpayable_reason(
    client: &EvmClient,
    from: Address,
    delivery: &EncodedTx,
) -> Result<Option<String>, CallError> {
    let ceiling = delivery.gas.ceiling(client.config().fees.gas_factor);
    match client.gas_within(from, &delivery.request, ceiling).await {
        Ok(needed) => Ok((needed > ceiling).then(|| too_much_gas(needed, ceiling))),
        Err(CallError::Refused { data, .. }) => Ok(data.as_ref().and_then(recipient_refusal)),
        Err(error) => Err(error),
    }
}

pub(super) fn too_much_gas(needed: u64, ceiling: u64) -> String {
    format!("it takes {needed} gas, more than the {ceiling} that a transaction of this kind may take")
}

/// The reason of a revert that is the recipient's own doing. A token that refuses may lack our balance instead.
fn recipient_refusal(data: &Bytes) -> Option<String> {
    let is_native = Escrow::TransferFailed::abi_decode(data).is_ok_and(|error| error.token.is_zero());
    let is_recipient = is_native
        || Settler::BadRecipient::abi_decode(data).is_ok()
        || Settler::DeliveredTooLittle::abi_decode(data).is_ok();
    if is_native {
        return Some("it refuses the coin, or takes more gas than a payment may".to_owned());
    }
    is_recipient.then(|| revert_reason(data).unwrap_or_else(|| "the settler refuses it".to_owned()))
}

/// The coins that a transaction carries and the most that it can have cost in fees, whichever of its attempts was mined.
pub fn max_spent(outgoing: &Outgoing) -> (U256, U256) {
    let carried = outgoing
        .attempts
        .iter()
        .map(|attempt| TxEnvelope::decode_2718(&mut &*attempt.raw).map_or(U256::ZERO, |tx| tx.value()));
    (carried.max().unwrap_or_default(), max_fees(outgoing))
}

/// The most that any attempt of this nonce can have cost in fees: its gas limit at its highest price.
pub(super) fn max_fees(outgoing: &Outgoing) -> U256 {
    let fees = outgoing.attempts.iter().map(|attempt| {
        let gas = TxEnvelope::decode_2718(&mut &*attempt.raw).map_or(0, |tx| tx.gas_limit());
        U256::from(gas).saturating_mul(U256::from(attempt.max_fee_per_gas))
    });
    fees.max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_25_only_a_refusal_by_the_recipient_makes_a_delivery_unpayable() {
        let (token, to) = (Address::repeat_byte(1), Address::repeat_byte(2));
        let native = Escrow::TransferFailed { token: Address::ZERO, to }.abi_encode();
        let of_token = Escrow::TransferFailed { token, to }.abi_encode();
        let bad = Settler::BadRecipient { recipient: to }.abi_encode();
        let late = Settler::FillDeadlinePassed { fillDeadline: U256::from(1) }.abi_encode();
        for (data, is_refusal) in
            [(native, true), (bad, true), (of_token, false), (late, false), (vec![], false)]
        {
            assert_eq!(recipient_refusal(&data.clone().into()).is_some(), is_refusal, "{data:?}");
        }
    }
}
