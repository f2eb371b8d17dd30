use causeway_domain::ports::StoreError;
use causeway_domain::{Evidence, RefundCause, Shown};
use serde::{Deserialize, Serialize};

use super::packed::json;
use super::{chain, chain_number, corrupt, parse, parse_with, text};

/// What the chains have shown of an order, as the JSON in its row.
#[derive(Default, Serialize, Deserialize)]
struct EvidenceRecord {
    #[serde(skip_serializing_if = "Option::is_none")]
    deposit: Option<ShownRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fill: Option<ShownRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    claim: Option<ShownRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refund: Option<(ShownRecord, String)>,
}

#[derive(Serialize, Deserialize)]
struct ShownRecord {
    chain: i64,
    tx: String,
    block: u64,
    time: u64,
    amount: String,
}

impl From<&Shown> for ShownRecord {
    fn from(shown: &Shown) -> Self {
        Self {
            chain: chain_number(shown.chain),
            tx: text(&shown.tx),
            block: shown.block,
            time: shown.time,
            amount: shown.amount.to_string(),
        }
    }
}

impl ShownRecord {
    fn into_shown(self) -> Result<Shown, StoreError> {
        Ok(Shown {
            chain: chain(COLUMN, self.chain)?,
            tx: self.tx,
            block: self.block,
            time: self.time,
            amount: parse(COLUMN, &self.amount)?,
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
        refund: refund.map(|(shown, cause)| (shown.into(), cause.as_str().to_owned())),
    })
}

pub(super) fn read_evidence(json: &str) -> Result<Evidence, StoreError> {
    let record: EvidenceRecord = serde_json::from_str(json).map_err(|_| corrupt(COLUMN, json))?;
    let shown = |record: Option<ShownRecord>| record.map(ShownRecord::into_shown).transpose();
    let refund = |(record, cause): (ShownRecord, String)| -> Result<_, StoreError> {
        Ok((record.into_shown()?, parse_with(COLUMN, &cause, RefundCause::parse)?))
    };
    Ok(Evidence {
        deposit: shown(record.deposit)?,
        fill: shown(record.fill)?,
        claim: shown(record.claim)?,
        refund: record.refund.map(refund).transpose()?,
    })
}

#[cfg(test)]
mod tests {
    use alloy_primitives::U256;
    use causeway_domain::{ChainId, RawAmount};
    use proptest::prelude::*;

    use super::*;

    fn any_shown() -> impl Strategy<Value = Shown> {
        (1..=ChainId::MAX, "[^\0]{0,12}", any::<(u64, u64)>(), any::<[u64; 4]>()).prop_map(
            |(chain, tx, (block, time), amount)| Shown {
                chain: ChainId::new(chain).unwrap(),
                tx,
                block,
                time,
                amount: RawAmount::new(U256::from_limbs(amount)),
            },
        )
    }

    fn any_evidence() -> impl Strategy<Value = Evidence> {
        let one = || prop::option::of(any_shown());
        let causes = [RefundCause::Waived, RefundCause::Unfilled, RefundCause::Expired];
        let refund = prop::option::of((any_shown(), prop::sample::select(causes.to_vec())));
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
