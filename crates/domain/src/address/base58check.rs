use sha2::{Digest as _, Sha256};

/// Why a text is no address in base58 with a checksum.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Base58Error {
    Form,
    Checksum,
}

/// The version and the hash of an address: 25 bytes, of which the last four are a checksum.
pub(super) fn decode(text: &str) -> Result<(u8, [u8; 20]), Base58Error> {
    // 25 bytes take at most 35 characters.
    if !(25..=35).contains(&text.len()) {
        return Err(Base58Error::Form);
    }
    let mut bytes = [0; 25];
    let written = bs58::decode(text).onto(&mut bytes).map_err(|_| Base58Error::Form)?;
    let (payload, sum) = bytes.split_last_chunk::<4>().ok_or(Base58Error::Form)?;
    let (version, hash) = payload.split_first().ok_or(Base58Error::Form)?;
    let hash: [u8; 20] = hash.try_into().map_err(|_| Base58Error::Form)?;
    if written != 25 {
        return Err(Base58Error::Form);
    }
    if checksum(payload) != *sum {
        return Err(Base58Error::Checksum);
    }
    Ok((*version, hash))
}

pub(super) fn encode(version: u8, hash: &[u8; 20]) -> String {
    let mut bytes = vec![version];
    bytes.extend_from_slice(hash);
    let sum = checksum(&bytes);
    bytes.extend_from_slice(&sum);
    bs58::encode(bytes).into_string()
}

fn checksum(payload: &[u8]) -> [u8; 4] {
    let digest: [u8; 32] = Sha256::digest(Sha256::digest(payload)).into();
    let [a, b, c, d, ..] = digest;
    [a, b, c, d]
}
