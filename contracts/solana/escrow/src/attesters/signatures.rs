use pinocchio::AccountView;

use crate::Call;
use crate::chain::{keccak, recover};
use crate::error::EscrowError;
use crate::state::{self, epoch};
use crate::terms::Word;

/// Half of the curve's order. The system call takes signatures above it as well, so every one would have a twin.
const HALF_ORDER: Word = [
    0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x5d,
    0x57, 0x6e, 0x73, 0x57, 0xa4, 0x50, 0x1d, 0xdf, 0xe9, 0x2f, 0x46, 0x68, 0x1b, 0x20, 0xa0,
];

/// Refuses unless a threshold of the epoch's attesters signed `digest`, signers strictly ascending. The signatures are the
/// rest of the instruction from `from` on.
pub fn check(
    call: &Call,
    account: &AccountView,
    number: u64,
    digest: &Word,
    from: usize,
) -> Result<(), EscrowError> {
    let (signatures, rest) = call.data.get(from..).ok_or(EscrowError::BadData)?.as_chunks::<65>();
    if !rest.is_empty() {
        return Err(EscrowError::BadSignature);
    }
    let data = state::load(call.program, account, state::EPOCH)?;
    if state::number(&data, epoch::NUMBER) != number {
        return Err(EscrowError::WrongEpoch);
    }
    if signatures.len() < usize::from(data[epoch::THRESHOLD]) {
        return Err(EscrowError::TooFewSignatures);
    }
    let mut last = [0; 20];
    for signature in signatures {
        let signer = signer(digest, signature)?;
        if signer <= last {
            return Err(EscrowError::SignersNotAscending);
        }
        place(&data, &signer)?;
        last = signer;
    }
    Ok(())
}

/// The address of the key that signed.
pub fn signer(digest: &Word, signature: &[u8; 65]) -> Result<[u8; 20], EscrowError> {
    let (scalars, v) = signature.split_first_chunk::<64>().ok_or(EscrowError::BadSignature)?;
    let recovery = match v {
        [27] => 0,
        [28] => 1,
        _ => return Err(EscrowError::BadSignature),
    };
    if state::word(scalars, 32) > HALF_ORDER {
        return Err(EscrowError::BadSignature);
    }
    let hash = keccak(&[&recover(digest, recovery, scalars)?]);
    let mut address = [0; 20];
    address.copy_from_slice(&hash[12..]);
    Ok(address)
}

/// Where an attester that has not resigned stands in its set.
pub fn place(data: &[u8], signer: &[u8; 20]) -> Result<usize, EscrowError> {
    let members = data[epoch::MEMBERS..].as_chunks::<20>().0;
    let resigned = u16::from_le_bytes([data[epoch::RESIGNED], data[epoch::RESIGNED + 1]]);
    for (place, member) in members.iter().take(usize::from(data[epoch::COUNT])).enumerate() {
        if member == signer && resigned & (1 << (place & 15)) == 0 {
            return Ok(place);
        }
    }
    Err(EscrowError::NotAnAttester)
}
