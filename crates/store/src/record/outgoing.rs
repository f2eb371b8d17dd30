use causeway_domain::ports::{Attempt, Outgoing, OutgoingEnd, StoreError};
use causeway_domain::{Address, ChainId};

use super::{address, chain, chain_number, corrupt, parse, text, time};
use crate::database::batch_order::{Locked, Turn};

/// The key of an outgoing transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutgoingKey {
    pub(crate) signer: String,
    pub(crate) chain: i64,
    pub(crate) nonce: i64,
}

impl OutgoingKey {
    /// The turn of a write of this transaction.
    pub(crate) fn turn(&self) -> Turn {
        Turn::of(Locked::Outbox, (&self.signer, self.chain, self.nonce))
    }
}

/// A row of `outbox` and its rows of `attempts`.
pub(crate) struct OutgoingRows {
    pub(crate) key: OutgoingKey,
    pub(crate) purpose: String,
    pub(crate) attempts: Vec<AttemptRecord>,
}

/// A row of `attempts`, without the transaction that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AttemptRecord {
    pub(crate) hash: String,
    pub(crate) raw: Vec<u8>,
    pub(crate) max_fee_per_gas: String,
    pub(crate) priority_fee_per_gas: Option<String>,
    pub(crate) made_at: i64,
}

impl_from_row!(AttemptRecord { hash, raw, max_fee_per_gas, priority_fee_per_gas, made_at });

/// An attempt together with its transaction.
#[derive(Debug)]
pub(crate) struct SentRecord {
    signer: String,
    chain: i64,
    nonce: i64,
    purpose: String,
    state: String,
    ended_by: Option<String>,
    attempt: AttemptRecord,
}

impl_from_row!(SentRecord { signer, chain, nonce, purpose, state, ended_by; flatten attempt });

/// In the order of the fields of [`SentRecord`]; one statement, so that a transaction is never read without its attempts.
pub(crate) const SENT: &str = "SELECT signer, chain, nonce, purpose, state, ended_by, hash, raw, max_fee_per_gas, \
     priority_fee_per_gas, made_at FROM outbox JOIN attempts USING (nonce, chain, signer)";

impl OutgoingKey {
    pub(crate) fn new(chain: ChainId, signer: Address, nonce: u64) -> Result<Self, StoreError> {
        let nonce = i64::try_from(nonce).map_err(|_| StoreError::Conflict("nonce out of range"))?;
        Ok(Self { signer: signer.to_string(), chain: chain_number(chain), nonce })
    }
}

impl TryFrom<&Outgoing> for OutgoingRows {
    type Error = StoreError;

    fn try_from(outgoing: &Outgoing) -> Result<Self, StoreError> {
        if outgoing.attempts.is_empty() {
            return Err(StoreError::Conflict("a transaction needs its signed bytes before it is written"));
        }
        if outgoing.end.is_some() {
            return Err(StoreError::Conflict("an ended transaction cannot be written"));
        }
        Ok(Self {
            key: OutgoingKey::new(outgoing.chain, outgoing.signer, outgoing.nonce)?,
            purpose: text(&outgoing.purpose),
            attempts: outgoing.attempts.iter().map(Into::into).collect(),
        })
    }
}

impl From<&Attempt> for AttemptRecord {
    fn from(attempt: &Attempt) -> Self {
        Self {
            hash: attempt.hash.to_string(),
            raw: attempt.raw.clone(),
            max_fee_per_gas: attempt.max_fee_per_gas.to_string(),
            priority_fee_per_gas: attempt.priority_fee_per_gas.map(|fee| fee.to_string()),
            made_at: attempt.made_at.as_millisecond(),
        }
    }
}

impl AttemptRecord {
    fn into_attempt(self) -> Result<Attempt, StoreError> {
        Ok(Attempt {
            hash: parse("attempts.hash", &self.hash)?,
            raw: self.raw,
            max_fee_per_gas: parse("attempts.max_fee_per_gas", &self.max_fee_per_gas)?,
            priority_fee_per_gas: self
                .priority_fee_per_gas
                .map(|fee| parse("attempts.priority_fee_per_gas", &fee))
                .transpose()?,
            made_at: time("attempts.made_at", self.made_at)?,
        })
    }
}

impl SentRecord {
    fn into_outgoing(self) -> Result<Outgoing, StoreError> {
        Ok(Outgoing {
            chain: chain("outbox.chain", self.chain)?,
            signer: address("outbox.signer", &self.signer)?,
            nonce: read_nonce(self.nonce)?,
            purpose: self.purpose,
            attempts: vec![self.attempt.into_attempt()?],
            end: read_end(&self.state, self.ended_by.as_deref())?,
        })
    }
}

pub(crate) fn read_nonce(nonce: i64) -> Result<u64, StoreError> {
    u64::try_from(nonce).map_err(|_| corrupt("outbox.nonce", nonce))
}

/// Groups the attempts of each transaction, whose rows are consecutive.
pub(crate) fn gather(rows: Vec<SentRecord>) -> Result<Vec<Outgoing>, StoreError> {
    let mut gathered: Vec<Outgoing> = Vec::new();
    for row in rows {
        let mut next = row.into_outgoing()?;
        match gathered.last_mut() {
            Some(last) if (last.chain, last.signer, last.nonce) == (next.chain, next.signer, next.nonce) => {
                last.attempts.append(&mut next.attempts);
            }
            _ => gathered.push(next),
        }
    }
    Ok(gathered)
}

const OPEN: &str = "open";
const SUCCEEDED: &str = "succeeded";
const REVERTED: &str = "reverted";
const SUPERSEDED: &str = "superseded";

/// The stored state of an end, and the attempt that the chain included.
pub(crate) fn end_state(end: OutgoingEnd) -> (&'static str, Option<String>) {
    match end {
        OutgoingEnd::Succeeded(hash) => (SUCCEEDED, Some(hash.to_string())),
        OutgoingEnd::Reverted(hash) => (REVERTED, Some(hash.to_string())),
        OutgoingEnd::Superseded => (SUPERSEDED, None),
    }
}

fn read_end(state: &str, ended_by: Option<&str>) -> Result<Option<OutgoingEnd>, StoreError> {
    match (state, ended_by) {
        (OPEN, None) => Ok(None),
        (SUCCEEDED, Some(hash)) => Ok(Some(OutgoingEnd::Succeeded(parse("outbox.ended_by", hash)?))),
        (REVERTED, Some(hash)) => Ok(Some(OutgoingEnd::Reverted(parse("outbox.ended_by", hash)?))),
        (SUPERSEDED, None) => Ok(Some(OutgoingEnd::Superseded)),
        _ => Err(corrupt("outbox.state", state)),
    }
}
