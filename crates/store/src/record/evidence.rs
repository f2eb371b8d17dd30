use causeway_domain::ports::StoreError;
use causeway_domain::{ConfirmedTx, Evidence, RefundCause};
use serde::{Deserialize, Serialize};

use super::{chain, chain_number, corrupt, json, parse, parse_with, text};

/// The on-chain evidence of an order, as the JSON in its row.
#[derive(Default, Serialize, Deserialize)]
struct EvidenceRecord {
    #[serde(skip_serializing_if = "Option::is_none")]
    deposit: Option<ConfirmedTxRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fill: Option<ConfirmedTxRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    claim: Option<ConfirmedTxRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refund: Option<(ConfirmedTxRecord, String)>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct ConfirmedTxRecord {
    chain: i64,
    tx: String,
    block: u64,
    time: u64,
    amount: String,
}

impl From<&ConfirmedTx> for ConfirmedTxRecord {
    fn from(confirmed: &ConfirmedTx) -> Self {
        Self {
            chain: chain_number(confirmed.chain),
            tx: text(&confirmed.tx),
            block: confirmed.block,
            time: confirmed.time,
            amount: confirmed.amount.to_string(),
        }
    }
}

impl ConfirmedTxRecord {
    pub(super) fn into_confirmed(self, column: &'static str) -> Result<ConfirmedTx, StoreError> {
        Ok(ConfirmedTx {
            chain: chain(column, self.chain)?,
            tx: self.tx,
            block: self.block,
            time: self.time,
            amount: parse(column, &self.amount)?,
        })
    }
}

const COLUMN: &str = "orders.evidence";

pub(super) fn evidence_text(evidence: &Evidence) -> String {
    let refund = evidence.refund.as_ref();
    json(&EvidenceRecord {
        deposit: evidence.deposit.as_ref().map(Into::into),
        fill: evidence.fill.as_ref().map(Into::into),
        claim: evidence.claim.as_ref().map(Into::into),
        refund: refund.map(|(confirmed, cause)| (confirmed.into(), cause.as_str().to_owned())),
    })
}

pub(super) fn read_evidence(json: &str) -> Result<Evidence, StoreError> {
    let record: EvidenceRecord = serde_json::from_str(json).map_err(|_| corrupt(COLUMN, json))?;
    let confirmed =
        |record: Option<ConfirmedTxRecord>| record.map(|record| record.into_confirmed(COLUMN)).transpose();
    let refund = |(record, cause): (ConfirmedTxRecord, String)| -> Result<_, StoreError> {
        Ok((record.into_confirmed(COLUMN)?, parse_with(COLUMN, &cause, RefundCause::parse)?))
    };
    Ok(Evidence {
        deposit: confirmed(record.deposit)?,
        fill: confirmed(record.fill)?,
        claim: confirmed(record.claim)?,
        refund: record.refund.map(refund).transpose()?,
    })
}

#[cfg(test)]
mod tests {
    use alloy_primitives::U256;
    use causeway_domain::{ChainId, RawAmount};
    use proptest::prelude::*;

    use super::*;

    fn any_confirmed_tx() -> impl Strategy<Value = ConfirmedTx> {
        (1..=ChainId::MAX, "[^\0]{0,12}", any::<(u64, u64)>(), any::<[u64; 4]>()).prop_map(
            |(chain, tx, (block, time), amount)| ConfirmedTx {
                chain: ChainId::new(chain).unwrap(),
                tx,
                block,
                time,
                amount: RawAmount::new(U256::from_limbs(amount)),
            },
        )
    }

    fn any_evidence() -> impl Strategy<Value = Evidence> {
        let one = || prop::option::of(any_confirmed_tx());
        let causes = [RefundCause::Waived, RefundCause::Unfilled, RefundCause::Expired];
        let refund = prop::option::of((any_confirmed_tx(), prop::sample::select(causes.to_vec())));
        (one(), one(), one(), refund).prop_map(|(deposit, fill, claim, refund)| Evidence {
            deposit,
            fill,
            claim,
            refund,
        })
    }

    #[test]
    fn no_evidence_is_an_empty_object() {
        assert_eq!(evidence_text(&Evidence::default()), "{}");
    }

    proptest! {
        #[test]
        fn evidence_reads_back(evidence in any_evidence()) {
            prop_assert_eq!(read_evidence(&evidence_text(&evidence)).unwrap(), evidence);
        }

        #[test]
        fn any_text_is_read_or_refused_without_panic(text in "\\PC{0,60}|(\\{\"refund\":\\[\\PC{0,60})") {
            let _ = read_evidence(&text);
        }
    }
}
