use causeway_domain::RawAmount;
use causeway_domain::ports::{OpenTransfer, Owed, StoreError};
use sqlx::FromRow;

use super::order::read_terms;
use super::{address, corrupt, key, parse};

/// What of an order's row a watcher of deposit addresses needs.
#[derive(Debug, FromRow)]
pub(crate) struct TransferRecord {
    id: String,
    row_key: i64,
    deposit_address: String,
    from_token: String,
}

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

/// What of an order's row tells what its filler is owed.
#[derive(Debug, FromRow)]
pub(crate) struct OwedRecord {
    filler: String,
    from_token: String,
    terms: Vec<u8>,
}

impl OwedRecord {
    /// The escrow pays the filler the input without the referrer's part.
    pub(crate) fn into_owed(self) -> Result<Owed, StoreError> {
        let terms = read_terms("orders.terms", &self.terms)?;
        let amount = terms.amount_in.checked_sub(terms.referrer_fee);
        let amount = amount.ok_or_else(|| corrupt("orders.terms", "a referrer's fee above the input"))?;
        Ok(Owed {
            filler: self.filler,
            token: parse("orders.from_token", &self.from_token)?,
            amount: RawAmount::new(amount),
        })
    }
}
