use causeway_domain::ports::{Arrival, StoreError};

use super::{Plain, PlainToken, address, count, parse, read_count, text};

/// A row of `arrivals`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArrivalRecord {
    pub(crate) order_id: String,
    pub(crate) block: i64,
    pub(crate) token: String,
    pub(crate) address: String,
    pub(crate) balance: String,
    pub(crate) gained: String,
    pub(crate) tx: Option<String>,
}

impl_from_row!(ArrivalRecord { order_id, block, token, address, balance, gained, tx });

impl TryFrom<&Arrival> for ArrivalRecord {
    type Error = StoreError;

    fn try_from(arrival: &Arrival) -> Result<Self, StoreError> {
        Ok(Self {
            order_id: arrival.order.to_string(),
            block: count(arrival.block)?,
            token: PlainToken(arrival.token).to_string(),
            address: Plain(arrival.address).to_string(),
            balance: arrival.balance.to_string(),
            gained: arrival.gained.to_string(),
            tx: arrival.tx.as_deref().map(text),
        })
    }
}

impl ArrivalRecord {
    pub(crate) fn into_arrival(self) -> Result<Arrival, StoreError> {
        Ok(Arrival {
            order: parse("arrivals.order_id", &self.order_id)?,
            address: address("arrivals.address", &self.address)?,
            token: parse("arrivals.token", &self.token)?,
            balance: parse("arrivals.balance", &self.balance)?,
            gained: parse("arrivals.gained", &self.gained)?,
            block: read_count("arrivals.block", self.block)?,
            tx: self.tx,
        })
    }
}
