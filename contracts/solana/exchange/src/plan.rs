//! The data of the instruction: the aggregator's own header, and a plan that only this program reads.

use crate::error::ExchangeError;

/// What the data of `route_v2` begins with.
const ROUTE_V2: [u8; 8] = [0xbb, 0x64, 0xfa, 0xcc, 0x31, 0xc4, 0xaf, 0x14];
/// Amount in and quoted amount out, of eight bytes, and slippage, platform fee and positive slippage, of two bytes.
/// Nothing here looks at them.
const QUOTE_LENGTH: usize = 22;

/// The moves of one call.
pub struct Plan {
    pub takes: u64,
    pub pays: u64,
    pub bump: u8,
    pub also: Also,
}

/// What an exchange has no business to do.
pub enum Also {
    Nothing,
    Approve,
    Take(u64),
}

impl Plan {
    pub fn read(data: &[u8]) -> Result<Self, ExchangeError> {
        let (discriminator, mut data) = data.split_first_chunk().ok_or(ExchangeError::UnknownInstruction)?;
        if *discriminator != ROUTE_V2 {
            return Err(ExchangeError::UnknownInstruction);
        }
        next::<QUOTE_LENGTH>(&mut data)?;
        if u32::from_le_bytes(*next(&mut data)?) != 1 {
            return Err(ExchangeError::BadData);
        }
        let takes = u64::from_le_bytes(*next(&mut data)?);
        let pays = u64::from_le_bytes(*next(&mut data)?);
        let [bump, also] = *next(&mut data)?;
        let more = u64::from_le_bytes(*next(&mut data)?);
        if !data.is_empty() {
            return Err(ExchangeError::BadData);
        }
        let also = match also {
            0 => Also::Nothing,
            1 => Also::Approve,
            2 => Also::Take(more),
            _ => return Err(ExchangeError::BadData),
        };
        Ok(Self { takes, pays, bump, also })
    }
}

fn next<'a, const N: usize>(data: &mut &'a [u8]) -> Result<&'a [u8; N], ExchangeError> {
    let (bytes, rest) = data.split_first_chunk().ok_or(ExchangeError::BadData)?;
    *data = rest;
    Ok(bytes)
}
