use causeway_domain::RawAmount;
use causeway_domain::ports::{OpenTransfer, Owed, StoreError};

use super::evidence::read_evidence;
use super::order::read_terms;
use super::{address, corrupt, key, parse};

/// The columns of an order that the deposit address watcher needs.
#[derive(Debug)]
pub(crate) struct TransferRecord {
    id: String,
    row_key: i64,
    deposit_address: String,
    from_token: String,
}

impl_from_row!(TransferRecord { id, row_key, deposit_address, from_token });

impl TransferRecord {
    pub(crate) fn into_transfer(self) -> Result<OpenTransfer, StoreError> {
        Ok(OpenTransfer {
            order: parse("orders.id", &self.id)?,
            key: key("orders.row_key", self.row_key)?,
            address: address("orders.deposit_address", &self.deposit_address)?,
            token: parse("orders.from_token", &self.from_token)?,
        })
    }
}

/// The columns of an order that determine what its filler is owed.
#[derive(Debug)]
pub(crate) struct OwedRecord {
    filler: String,
    from_token: String,
    terms: Vec<u8>,
    evidence: String,
}

impl_from_row!(OwedRecord { filler, from_token, terms, evidence });

impl OwedRecord {
    /// The escrow pays the filler the input without the referrer's part.
    pub(crate) fn into_owed(self) -> Result<Owed, StoreError> {
        let terms = read_terms("orders.terms", &self.terms)?;
        let amount = terms.amount_in.checked_sub(terms.referrer_fee);
        let amount = amount.ok_or_else(|| corrupt("orders.terms", "a referrer fee above the input"))?;
        Ok(Owed {
            filler: self.filler,
            token: parse("orders.from_token", &self.from_token)?,
            amount: RawAmount::new(amount),
            deposited_in: read_evidence(&self.evidence)?.deposit.map(|deposit| deposit.block),
            refund_at: terms.refund_at,
        })
    }
}
