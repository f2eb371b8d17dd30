use alloy_primitives::B256;
use causeway_domain::ports::{ChainCursor, FinalityTier, StoreError};
use causeway_domain::{ChainId, Fact, FactKind, FactPlace, RefundCause};

use super::order::read_terms;
use super::{
    Plain, address, chain, chain_number, corrupt, count, parse, parse_with, read_count, read_tier, text,
    tier_number,
};

/// A row of `facts`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FactRecord {
    pub(crate) tx: String,
    pub(crate) chain: i64,
    pub(crate) log_index: i64,
    pub(crate) intent_id: String,
    pub(crate) kind: String,
    pub(crate) block: i64,
    pub(crate) block_time: i64,
    pub(crate) finality_tier: i64,
    pub(crate) terms: Option<Vec<u8>>,
    pub(crate) amount: Option<String>,
    pub(crate) paid_to: Option<String>,
    pub(crate) cause: Option<String>,
}

impl_from_row!(FactRecord {
    tx,
    chain,
    log_index,
    intent_id,
    kind,
    block,
    block_time,
    finality_tier,
    terms,
    amount,
    paid_to,
    cause
});

/// In the order of the fields of [`FactRecord`].
pub(crate) const FACT_COLUMNS: &str =
    "tx, chain, log_index, intent_id, kind, block, block_time, finality_tier, terms, amount, paid_to, cause";

/// A row of `chain_cursors`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CursorRecord {
    pub(crate) chain: i64,
    pub(crate) finality_tier: i64,
    pub(crate) block: i64,
    pub(crate) hash: String,
    pub(crate) block_time: i64,
}

const OPENED: &str = "opened";
const FILLED: &str = "filled";
const CLAIMED: &str = "claimed";
const REFUNDED: &str = "refunded";

impl FactRecord {
    pub(crate) fn new(fact: &Fact, finality_tier: FinalityTier) -> Result<Self, StoreError> {
        let FactPlace { chain, tx, index, block, time } = &fact.place;
        let (kind, terms, amount) = match &fact.kind {
            FactKind::Opened(terms) => (OPENED, Some(terms.to_bytes()), None),
            FactKind::Filled(amount) => (FILLED, None, Some(amount)),
            FactKind::Claimed(amount) => (CLAIMED, None, Some(amount)),
            FactKind::Refunded { amount, .. } => (REFUNDED, None, Some(amount)),
        };
        let (paid_to, cause) = match &fact.kind {
            FactKind::Refunded { to, cause, .. } => (Some(to), Some(cause)),
            _ => (None, None),
        };
        Ok(Self {
            tx: text(tx),
            chain: chain_number(*chain),
            log_index: count(*index)?,
            intent_id: fact.intent_id.to_string(),
            kind: kind.to_owned(),
            block: count(*block)?,
            block_time: count(*time)?,
            finality_tier: tier_number(finality_tier),
            terms,
            amount: amount.map(ToString::to_string),
            paid_to: paid_to.map(|address| Plain(*address).to_string()),
            cause: cause.map(|cause| cause.as_str().to_owned()),
        })
    }

    pub(crate) fn into_fact(self) -> Result<(Fact, FinalityTier), StoreError> {
        let kind = match (self.kind.as_str(), &self.terms, &self.amount, &self.paid_to, &self.cause) {
            (OPENED, Some(terms), None, None, None) => {
                FactKind::Opened(Box::new(read_terms("facts.terms", terms)?))
            }
            (FILLED, None, Some(amount), None, None) => FactKind::Filled(parse("facts.amount", amount)?),
            (CLAIMED, None, Some(amount), None, None) => FactKind::Claimed(parse("facts.amount", amount)?),
            (REFUNDED, None, Some(amount), Some(to), Some(cause)) => FactKind::Refunded {
                to: address("facts.paid_to", to)?,
                amount: parse("facts.amount", amount)?,
                cause: parse_with("facts.cause", cause, RefundCause::parse)?,
            },
            (kind, ..) => return Err(corrupt("facts.kind", kind)),
        };
        let place = FactPlace {
            chain: chain("facts.chain", self.chain)?,
            tx: self.tx,
            index: read_count("facts.log_index", self.log_index)?,
            block: read_count("facts.block", self.block)?,
            time: read_count("facts.block_time", self.block_time)?,
        };
        let intent = parse("facts.intent_id", &self.intent_id)?;
        Ok((Fact { intent_id: intent, kind, place }, read_tier("facts.finality_tier", self.finality_tier)?))
    }
}

impl CursorRecord {
    pub(crate) fn new(
        chain: ChainId,
        finality_tier: FinalityTier,
        cursor: ChainCursor,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            chain: chain_number(chain),
            finality_tier: tier_number(finality_tier),
            block: count(cursor.number)?,
            hash: cursor.hash.to_string(),
            block_time: count(cursor.time)?,
        })
    }
}

/// Reads the block, the hash and the time of a cursor.
pub(crate) fn read_cursor((block, hash, time): (i64, String, i64)) -> Result<ChainCursor, StoreError> {
    Ok(ChainCursor {
        number: read_count("chain_cursors.block", block)?,
        hash: parse::<B256>("chain_cursors.hash", &hash)?,
        time: read_count("chain_cursors.block_time", time)?,
    })
}
