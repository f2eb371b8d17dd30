use alloy_primitives::{Address, B256, Bytes};
use causeway_domain::ports::{AttestationRefusal, BatchRefusal};
use causeway_domain::{Attestation, FilledOrder, Outcome, SignatureBytes, SignedAttestation, SignedBatch};
use serde::{Deserialize, Serialize};

/// A signed attestation as JSON, in answers and in the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AttestationJson {
    order_id: B256,
    epoch: u64,
    outcome: OutcomeName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    filled_at: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fill_ref: Option<B256>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    destination_time: Option<u64>,
    signature: SignatureBytes,
    attester: Address,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum OutcomeName {
    Filled,
    Unfilled,
}

impl From<&SignedAttestation> for AttestationJson {
    fn from(signed: &SignedAttestation) -> Self {
        let (filled_at, fill_ref, destination_time) = match signed.attestation {
            Attestation::Filled { filled_at, fill_ref, .. } => (Some(filled_at), Some(fill_ref), None),
            Attestation::Unfilled { destination_time, .. } => (None, None, Some(destination_time)),
        };
        Self {
            order_id: signed.attestation.order(),
            epoch: signed.epoch,
            outcome: match signed.attestation.outcome() {
                Outcome::Filled => OutcomeName::Filled,
                Outcome::Unfilled => OutcomeName::Unfilled,
            },
            filled_at,
            fill_ref,
            destination_time,
            signature: signed.signature,
            attester: signed.attester,
        }
    }
}

impl AttestationJson {
    /// The attestation; `None` if a field that its outcome needs is missing.
    pub(crate) fn read(&self) -> Option<SignedAttestation> {
        let order = self.order_id;
        let attestation = match self.outcome {
            OutcomeName::Filled => {
                Attestation::Filled { order, filled_at: self.filled_at?, fill_ref: self.fill_ref? }
            }
            OutcomeName::Unfilled => {
                Attestation::Unfilled { order, destination_time: self.destination_time? }
            }
        };
        let (epoch, attester, signature) = (self.epoch, self.attester, self.signature);
        Some(SignedAttestation { attestation, epoch, attester, signature })
    }
}

/// The body of `POST /attest`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AttestRequest {
    /// The order's terms as the contracts encode them.
    pub(crate) terms: Bytes,
}

/// The body of `POST /attest-batch`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AttestBatchRequest {
    /// The terms of each order as the contracts encode them, in the order in which they are signed.
    pub(crate) orders: Vec<Bytes>,
}

/// A signed list of fills.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SignedBatchJson {
    epoch: u64,
    fills: Vec<FillJson>,
    signature: SignatureBytes,
    attester: Address,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct FillJson {
    order_id: B256,
    filled_at: u64,
    fill_ref: B256,
}

impl From<&SignedBatch> for SignedBatchJson {
    fn from(batch: &SignedBatch) -> Self {
        let fill = |fill: &FilledOrder| FillJson {
            order_id: fill.order,
            filled_at: fill.filled_at,
            fill_ref: fill.fill_ref,
        };
        let (epoch, fills) = (batch.epoch, batch.fills.iter().map(fill).collect());
        Self { epoch, fills, signature: batch.signature, attester: batch.attester }
    }
}

impl SignedBatchJson {
    pub(crate) fn read(self) -> SignedBatch {
        let fill = |fill: FillJson| FilledOrder {
            order: fill.order_id,
            filled_at: fill.filled_at,
            fill_ref: fill.fill_ref,
        };
        let (epoch, fills) = (self.epoch, self.fills.into_iter().map(fill).collect());
        SignedBatch { epoch, fills, signature: self.signature, attester: self.attester }
    }
}

/// Why a batch is not signed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct BatchRefusalJson {
    pub(crate) name: String,
    pub(crate) message: String,
    pub(crate) retry: bool,
    /// The orders that it does not sign for; without any it does not sign the batch at all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    orders: Vec<RefusedOrderJson>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RefusedOrderJson {
    order_id: B256,
    name: String,
    message: String,
    retry: bool,
}

impl From<&BatchRefusal> for BatchRefusalJson {
    fn from(refusal: &BatchRefusal) -> Self {
        match refusal {
            BatchRefusal::Whole(why) => {
                let RefusalJson { name, message, retry } = RefusalJson::from(why);
                Self { name, message, retry, orders: Vec::new() }
            }
            BatchRefusal::Orders(orders) => {
                let order = |(order_id, why): &(B256, AttestationRefusal)| {
                    let RefusalJson { name, message, retry } = RefusalJson::from(why);
                    RefusedOrderJson { order_id: *order_id, name, message, retry }
                };
                let retry = orders.iter().all(|(_, why)| why.is_retryable());
                let message = format!("this attester does not sign for {} orders of the batch", orders.len());
                let orders = orders.iter().map(order).collect();
                Self { name: "NotAllFilled".to_owned(), message, retry, orders }
            }
        }
    }
}

impl BatchRefusalJson {
    pub(crate) fn read(self) -> BatchRefusal {
        if self.orders.is_empty() {
            let (name, message, retry) = (self.name, self.message, self.retry);
            return BatchRefusal::Whole(AttestationRefusal::Remote { name, message, retry });
        }
        let order = |RefusedOrderJson { order_id, name, message, retry }: RefusedOrderJson| {
            (order_id, AttestationRefusal::Remote { name, message, retry })
        };
        BatchRefusal::Orders(self.orders.into_iter().map(order).collect())
    }
}

/// Why there is no attestation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RefusalJson {
    pub(crate) name: String,
    pub(crate) message: String,
    /// Whether the same request may succeed later.
    pub(crate) retry: bool,
}

impl From<&AttestationRefusal> for RefusalJson {
    fn from(why: &AttestationRefusal) -> Self {
        Self { name: why.name().to_owned(), message: why.to_string(), retry: why.is_retryable() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_outcomes_round_trip_and_incomplete_ones_are_rejected() {
        let sign = |attestation| SignedAttestation {
            attestation,
            epoch: 3,
            attester: Address::repeat_byte(1),
            signature: SignatureBytes::repeat_byte(2),
        };
        let order = B256::repeat_byte(3);
        for attestation in [
            Attestation::Filled { order, filled_at: 4, fill_ref: B256::repeat_byte(5) },
            Attestation::Unfilled { order, destination_time: 6 },
        ] {
            let json = serde_json::to_string(&AttestationJson::from(&sign(attestation))).unwrap();
            let read: AttestationJson = serde_json::from_str(&json).unwrap();
            assert_eq!(read.read(), Some(sign(attestation)));
            let half = json.replace("filledAt", "x").replace("destinationTime", "x");
            assert_eq!(serde_json::from_str::<AttestationJson>(&half).unwrap().read(), None);
        }
    }
}

/// What others read of an attester's health.
#[derive(Debug, Deserialize)]
pub(crate) struct HealthSummaryJson {
    chains: Vec<ChainSummaryJson>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ChainSummaryJson {
    chain_id: u64,
    final_block: Option<serde::de::IgnoredAny>,
    #[serde(default)]
    halted: bool,
    trouble: Option<serde::de::IgnoredAny>,
}

impl HealthSummaryJson {
    /// The chains that the attester reads and trusts.
    pub(crate) fn readable_chains(&self) -> Vec<u64> {
        let is_readable = |chain: &&ChainSummaryJson| {
            chain.final_block.is_some() && chain.trouble.is_none() && !chain.halted
        };
        self.chains.iter().filter(is_readable).map(|chain| chain.chain_id).collect()
    }
}
