use alloy_primitives::{Address, B256, Bytes, U256, hex};
use alloy_sol_types::{SolCall as _, SolEvent as _};
use causeway_domain::IntentTerms;
use causeway_domain::ports::{ChainError, DepositTxStatus};
use serde::Deserialize;
use serde_json::json;

use super::builder::EvmDepositBuilder;
use super::payment::{Erc20, Payment};
use crate::blocks::{Log, Receipt};
use crate::contracts::Escrow;
use crate::rpc::Call;

/// A receipt with its logs.
#[derive(Debug, Deserialize)]
struct Mined {
    #[serde(flatten)]
    receipt: Receipt,
    logs: Vec<Log>,
}

/// The fields of a transaction that identify a deposit.
#[derive(Debug, Deserialize)]
struct Sent {
    from: Address,
    to: Option<Address>,
    #[serde(default)]
    input: Bytes,
    value: U256,
}

impl EvmDepositBuilder {
    pub(super) async fn inspect_tx(
        &self,
        terms: &IntentTerms,
        tx: &str,
    ) -> Result<DepositTxStatus, ChainError> {
        let payment = match Payment::read(terms, &self.contracts) {
            Ok(payment) => payment,
            Err(reason) => return Ok(DepositTxStatus::Mismatch(reason)),
        };
        let Some(hash) = read_hash(tx) else {
            let reason = "a transaction hash is 0x and 64 hexadecimal digits";
            return Ok(DepositTxStatus::Mismatch(reason.to_owned()));
        };
        let mined: Option<Mined> =
            self.client.call(Call::new("eth_getTransactionReceipt", json!([hash]))).await?;
        if let Some(mined) = mined {
            if mined.receipt.transaction_hash != hash {
                return Err(self.client.invalid_response("the receipt of another transaction").into());
            }
            return Ok(self.classify_mined(terms.id(), &mined));
        }
        let sent: Option<Sent> =
            self.client.call(Call::new("eth_getTransactionByHash", json!([hash]))).await?;
        Ok(sent.map_or(DepositTxStatus::NotFound, |sent| classify_pending(terms, &payment, &sent)))
    }

    fn classify_mined(&self, intent: B256, mined: &Mined) -> DepositTxStatus {
        let escrow = self.contracts.escrow;
        if mined.receipt.status != 1 {
            return DepositTxStatus::Mismatch("that transaction reverted".to_owned());
        }
        let opened = |log: &Log| match *log.topics {
            [kind, order] if kind == Escrow::Open::SIGNATURE_HASH => Some((log.address, order)),
            _ => None,
        };
        let opened: Vec<(Address, B256)> = mined.logs.iter().filter_map(opened).collect();
        if opened.contains(&(escrow, intent)) {
            return DepositTxStatus::Matches;
        }
        let ours = opened.iter().find(|(contract, _)| *contract == escrow);
        let moved =
            mined.logs.iter().find(|log| log.topics.first() == Some(&Erc20::Transfer::SIGNATURE_HASH));
        DepositTxStatus::Mismatch(match (ours, opened.first(), moved) {
            (Some((_, order)), _, _) => format!("that transaction is the deposit of another order, {order}"),
            (None, Some((contract, _)), _) => {
                format!(
                    "that transaction deposits into another contract, {contract}, and not into the escrow {escrow}"
                )
            }
            (None, None, Some(log)) => format!(
                "that transaction moves the token {} and deposits nothing into the escrow {escrow}",
                log.address
            ),
            (None, None, None) => format!("that transaction deposits nothing into the escrow {escrow}"),
        })
    }
}

/// Classifies a pending transaction. A call to another contract may reach the escrow through it, so it stays undecided.
fn classify_pending(terms: &IntentTerms, payment: &Payment, sent: &Sent) -> DepositTxStatus {
    if sent.to != Some(payment.open.to) {
        return DepositTxStatus::NotFound;
    }
    if let Ok(call) = Escrow::openCall::abi_decode(&sent.input) {
        return match IntentTerms::from_bytes(&call.order.orderData) {
            Some(other) if other != *terms => other_order(&other),
            _ if sent.input != payment.open.data => DepositTxStatus::NotFound,
            _ if sent.value != payment.open.value => DepositTxStatus::Mismatch(format!(
                "that transaction sends {} wei instead of {}",
                sent.value, payment.open.value
            )),
            _ if sent.from != payment.user => DepositTxStatus::Mismatch(format!(
                "that transaction comes from {} instead of the payer {}",
                sent.from, payment.user
            )),
            _ => DepositTxStatus::Matches,
        };
    }
    let permitted = Escrow::openForCall::abi_decode(&sent.input).ok();
    match permitted.and_then(|call| IntentTerms::from_bytes(&call.order.orderData)) {
        Some(other) if other != *terms => other_order(&other),
        _ => DepositTxStatus::NotFound,
    }
}

fn other_order(other: &IntentTerms) -> DepositTxStatus {
    DepositTxStatus::Mismatch(format!("that transaction is the deposit of another order, {}", other.id()))
}

fn read_hash(text: &str) -> Option<B256> {
    let digits = text.strip_prefix("0x")?;
    let mut hash = B256::ZERO;
    hex::decode_to_slice(digits, hash.as_mut_slice()).ok()?;
    // The decoder accepts a second prefix.
    (digits.len() == 64).then_some(hash)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_hash_round_trips_and_other_text_is_rejected(bytes in any::<[u8; 32]>(), text in "(0x){0,2}[0-9a-fA-F]{60,68}") {
            let hash = B256::from(bytes);
            prop_assert_eq!(read_hash(&hash.to_string()), Some(hash));
            prop_assert_eq!(read_hash(&text).is_some(), text.len() == 66 && !text[2..].starts_with("0x") && text.starts_with("0x"));
        }

        #[test]
        fn any_text_is_read_or_refused_without_panic(text in "\\PC{0,70}") {
            let _ = read_hash(&text);
        }
    }
}
