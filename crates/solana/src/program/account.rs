use alloy_primitives::{Address as Attester, B256};
use causeway_domain::IntentTerms;
use solana_address::Address;
use thiserror::Error;

/// The status of an order; an order without an account was never opened, or has ended and was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderStatus {
    Open,
    Claimed,
    Refunded(RefundCause),
}

/// Why a deposit was refunded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefundCause {
    Waived,
    Unfilled,
    Expired,
}

/// The account of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderAccount {
    pub status: OrderStatus,
    /// Whether it was opened from its deposit address.
    pub swept: bool,
    /// Whether the referrer got its fee; otherwise the payee has it.
    pub referrer_paid: bool,
    pub opened_at: u64,
    /// Zero while it is open, like the three fields below.
    pub ended_at: u64,
    pub filled_at: u64,
    pub fill_ref: B256,
    /// The payee, or the recipient of the refund.
    pub paid_to: Address,
    /// Who paid the rent and gets it back.
    pub payer: Address,
    pub rent: u64,
    pub terms: IntentTerms,
}

/// The record of a fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FillMarker {
    pub order: B256,
    pub filled_at: u64,
    /// The record cannot be closed before this time.
    pub kept_until: u64,
    /// The caller of the fill, who gets the rent back.
    pub payer: Address,
}

/// The attesters of an epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpochAccount {
    pub number: u64,
    /// In effect from this time on.
    pub from: u64,
    pub threshold: u8,
    pub members: Vec<Attester>,
    /// Members that have resigned.
    pub resigned: Vec<Attester>,
}

/// The attester configuration of the program: current epoch, pause and grace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttesterConfig {
    pub newest_epoch: u64,
    pub newest_from: u64,
    pub paused_until: u64,
    /// The number of proposed handovers, which the next one signs.
    pub proposals: u64,
    /// The shortest time between the fill deadline and the refund by anyone, in seconds.
    pub min_grace: u64,
}

#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("the data is not an account of this kind of the escrow program")]
pub struct InvalidAccountData;

const ORDER: u8 = 1;
const FILL: u8 = 2;
const EPOCH: u8 = 3;
const ATTESTER_CONFIG: u8 = 4;

impl OrderAccount {
    /// Parses an order's data. The caller checks the owner and address of the account.
    pub fn parse(data: &[u8]) -> Result<Self, InvalidAccountData> {
        let fields = Fields::new(data, ORDER, 808)?;
        let status = match (fields.byte(1)?, fields.byte(2)?) {
            (1, 0) => OrderStatus::Open,
            (2, 0) => OrderStatus::Claimed,
            (3, 1) => OrderStatus::Refunded(RefundCause::Waived),
            (3, 2) => OrderStatus::Refunded(RefundCause::Unfilled),
            (3, 3) => OrderStatus::Refunded(RefundCause::Expired),
            _ => return Err(InvalidAccountData),
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
            terms: data.get(136..).and_then(IntentTerms::from_bytes).ok_or(InvalidAccountData)?,
        })
    }
}

impl FillMarker {
    /// Parses the data of a fill marker.
    pub fn parse(data: &[u8]) -> Result<Self, InvalidAccountData> {
        let fields = Fields::new(data, FILL, 88)?;
        Ok(Self {
            order: fields.bytes(56)?.into(),
            filled_at: fields.number(8)?,
            kept_until: fields.number(16)?,
            payer: fields.bytes(24)?.into(),
        })
    }
}

impl EpochAccount {
    /// Parses the data of an epoch.
    pub fn parse(data: &[u8]) -> Result<Self, InvalidAccountData> {
        let fields = Fields::new(data, EPOCH, 324)?;
        let count = usize::from(fields.byte(2)?);
        let resigned_bits = u16::from_le_bytes(fields.bytes(4)?);
        let (members, _) = data.get(24..).ok_or(InvalidAccountData)?.as_chunks::<20>();
        let members: Vec<Attester> =
            members.get(..count).ok_or(InvalidAccountData)?.iter().map(Attester::from).collect();
        let resigned = members.iter().zip(0..16).filter(|(_, place)| resigned_bits >> place & 1 == 1);
        Ok(Self {
            number: fields.number(8)?,
            from: fields.number(16)?,
            threshold: fields.byte(1)?,
            resigned: resigned.map(|(member, _)| *member).collect(),
            members,
        })
    }
}

impl AttesterConfig {
    /// Parses the data of the attester configuration.
    pub fn parse(data: &[u8]) -> Result<Self, InvalidAccountData> {
        let fields = Fields::new(data, ATTESTER_CONFIG, 48)?;
        Ok(Self {
            newest_epoch: fields.number(8)?,
            newest_from: fields.number(16)?,
            paused_until: fields.number(24)?,
            proposals: fields.number(32)?,
            min_grace: fields.number(40)?,
        })
    }

    /// The epoch in effect at this time.
    pub const fn current_epoch(&self, now: u64) -> u64 {
        if now < self.newest_from { self.newest_epoch.saturating_sub(1) } else { self.newest_epoch }
    }
}

struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn new(data: &'a [u8], kind: u8, length: usize) -> Result<Self, InvalidAccountData> {
        if data.len() == length && data.first() == Some(&kind) {
            Ok(Self(data))
        } else {
            Err(InvalidAccountData)
        }
    }

    fn bytes<const N: usize>(&self, at: usize) -> Result<[u8; N], InvalidAccountData> {
        self.0.get(at..).and_then(|rest| rest.first_chunk().copied()).ok_or(InvalidAccountData)
    }

    fn byte(&self, at: usize) -> Result<u8, InvalidAccountData> {
        self.0.get(at).copied().ok_or(InvalidAccountData)
    }

    fn number(&self, at: usize) -> Result<u64, InvalidAccountData> {
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
            let _ = (EpochAccount::parse(&data), AttesterConfig::parse(&data));
        }
    }
}
