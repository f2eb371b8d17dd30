use alloy_primitives::{Address as Attester, B256};
use causeway_domain::Terms;
use solana_address::Address;
use thiserror::Error;

/// How an order of the escrow stands; without an account it was never opened, or it has ended and was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderStatus {
    Open,
    Claimed,
    Refunded(RefundCause),
}

/// Why a deposit went back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefundCause {
    Waived,
    Unfilled,
    Expired,
}

/// What the account of an order says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderAccount {
    pub status: OrderStatus,
    /// Whether it was opened from its deposit address.
    pub swept: bool,
    /// Whether the referrer took its fee; otherwise the payee has it.
    pub referrer_paid: bool,
    pub opened_at: u64,
    /// Zero while it is open, as the three that follow.
    pub ended_at: u64,
    pub filled_at: u64,
    pub fill_ref: B256,
    /// The payee, or whoever holds the refund.
    pub paid_to: Address,
    /// Who gets the rent back.
    pub payer: Address,
    pub rent: u64,
    pub terms: Terms,
}

/// What the record of a fill says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FillMarker {
    pub order: B256,
    pub filled_at: u64,
    /// Until then the record stays.
    pub kept_until: u64,
    /// Who called the fill, and gets the rent back.
    pub payer: Address,
}

/// The attesters of an epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpochAccount {
    pub number: u64,
    /// In office from then on.
    pub from: u64,
    pub threshold: u8,
    pub members: Vec<Attester>,
    /// Members whose keys no longer count.
    pub resigned: Vec<Attester>,
}

/// What holds for all orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Office {
    pub newest_epoch: u64,
    pub newest_from: u64,
    pub paused_until: u64,
    /// How many handovers were ever proposed; the next one is signed with this number.
    pub proposals: u64,
    /// The shortest time between the fill deadline and the refund that anyone may ask for.
    pub min_grace: u64,
}

#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("the data is not what the escrow program writes into such an account")]
pub struct NotOurs;

const ORDER: u8 = 1;
const FILL: u8 = 2;
const EPOCH: u8 = 3;
const OFFICE: u8 = 4;

impl OrderAccount {
    /// Reads an order's data. That the account belongs to the program, at the address of the order, is the caller's to see.
    pub fn parse(data: &[u8]) -> Result<Self, NotOurs> {
        let fields = Fields::of(data, ORDER, 808)?;
        let status = match (fields.byte(1)?, fields.byte(2)?) {
            (1, 0) => OrderStatus::Open,
            (2, 0) => OrderStatus::Claimed,
            (3, 1) => OrderStatus::Refunded(RefundCause::Waived),
            (3, 2) => OrderStatus::Refunded(RefundCause::Unfilled),
            (3, 3) => OrderStatus::Refunded(RefundCause::Expired),
            _ => return Err(NotOurs),
        };
        Ok(Self {
            status,
            referrer_paid: fields.byte(3)? == 1,
            swept: fields.byte(4)? == 1,
            opened_at: fields.number(8)?,
            ended_at: fields.number(16)?,
            filled_at: fields.number(24)?,
            fill_ref: fields.bytes(32)?.into(),
            paid_to: fields.bytes(64)?.into(),
            payer: fields.bytes(96)?.into(),
            rent: fields.number(128)?,
            terms: data.get(136..).and_then(Terms::from_bytes).ok_or(NotOurs)?,
        })
    }
}

impl FillMarker {
    /// Reads the data of a fill's record.
    pub fn parse(data: &[u8]) -> Result<Self, NotOurs> {
        let fields = Fields::of(data, FILL, 88)?;
        Ok(Self {
            order: fields.bytes(56)?.into(),
            filled_at: fields.number(8)?,
            kept_until: fields.number(16)?,
            payer: fields.bytes(24)?.into(),
        })
    }
}

impl EpochAccount {
    /// Reads the data of an epoch.
    pub fn parse(data: &[u8]) -> Result<Self, NotOurs> {
        let fields = Fields::of(data, EPOCH, 324)?;
        let count = usize::from(fields.byte(2)?);
        let marks = u16::from_le_bytes(fields.bytes(4)?);
        let (members, _) = data.get(24..).ok_or(NotOurs)?.as_chunks::<20>();
        let members: Vec<Attester> =
            members.get(..count).ok_or(NotOurs)?.iter().map(Attester::from).collect();
        let resigned = members.iter().zip(0..16).filter(|(_, place)| marks >> place & 1 == 1);
        Ok(Self {
            number: fields.number(8)?,
            from: fields.number(16)?,
            threshold: fields.byte(1)?,
            resigned: resigned.map(|(member, _)| *member).collect(),
            members,
        })
    }
}

impl Office {
    /// Reads the data of the office.
    pub fn parse(data: &[u8]) -> Result<Self, NotOurs> {
        let fields = Fields::of(data, OFFICE, 48)?;
        Ok(Self {
            newest_epoch: fields.number(8)?,
            newest_from: fields.number(16)?,
            paused_until: fields.number(24)?,
            proposals: fields.number(32)?,
            min_grace: fields.number(40)?,
        })
    }

    /// The epoch in office at this time.
    pub const fn current_epoch(&self, now: u64) -> u64 {
        if now < self.newest_from { self.newest_epoch.saturating_sub(1) } else { self.newest_epoch }
    }
}

struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn of(data: &'a [u8], kind: u8, length: usize) -> Result<Self, NotOurs> {
        if data.len() == length && data.first() == Some(&kind) { Ok(Self(data)) } else { Err(NotOurs) }
    }

    fn bytes<const N: usize>(&self, at: usize) -> Result<[u8; N], NotOurs> {
        self.0.get(at..).and_then(|rest| rest.first_chunk().copied()).ok_or(NotOurs)
    }

    fn byte(&self, at: usize) -> Result<u8, NotOurs> {
        self.0.get(at).copied().ok_or(NotOurs)
    }

    fn number(&self, at: usize) -> Result<u64, NotOurs> {
        self.bytes(at).map(u64::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_data_is_read_or_refused_without_panic(
            kind in 0u8..6, length in prop::sample::select(vec![48usize, 88, 324, 808, 7]), fill in any::<u8>()
        ) {
            let mut data = vec![fill; length];
            data[0] = kind;
            let _ = (OrderAccount::parse(&data), FillMarker::parse(&data));
            let _ = (EpochAccount::parse(&data), Office::parse(&data));
        }
    }
}
