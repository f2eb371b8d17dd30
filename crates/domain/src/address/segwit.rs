//! Addresses of Bitcoin's witness programs: bech32 for version 0 (BIP-173), bech32m for later ones (BIP-350).

const CHARSET: &[u8; 32] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";

/// The human-readable part of Bitcoin's main network, which is in the checksum.
const HRP: &str = "bc";

/// What the checksum of each version comes to.
const BECH32: u32 = 1;
const BECH32M: u32 = 0x2bc8_30a3;

/// Why a text that begins with `bc1` is no address.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SegwitError {
    Form,
    Checksum,
}

/// The version and the program of an address of the main network, in one case.
pub(super) fn decode(text: &str) -> Result<(u8, Vec<u8>), SegwitError> {
    let has = |of: fn(&u8) -> bool| text.as_bytes().iter().any(of);
    if text.len() > 90 || (has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)) {
        return Err(SegwitError::Form);
    }
    let lower = text.to_ascii_lowercase();
    let data = lower.strip_prefix(HRP).and_then(|rest| rest.strip_prefix('1')).ok_or(SegwitError::Form)?;
    let value = |byte: u8| CHARSET.iter().position(|known| *known == byte);
    let values: Option<Vec<u8>> =
        data.bytes().map(|byte| value(byte).and_then(|at| u8::try_from(at).ok())).collect();
    let values = values.ok_or(SegwitError::Form)?;
    let (payload, _) = values.split_last_chunk::<6>().ok_or(SegwitError::Form)?;
    let (version, program) = payload.split_first().ok_or(SegwitError::Form)?;
    if polymod(expanded().chain(values.iter().copied())) != constant(*version) {
        return Err(SegwitError::Checksum);
    }
    let program = to_bytes(program).ok_or(SegwitError::Form)?;
    if *version > 16 {
        return Err(SegwitError::Form);
    }
    Ok((*version, program))
}

pub(super) fn encode(version: u8, program: &[u8]) -> String {
    let mut values = vec![version];
    values.extend(to_groups(program));
    let padded = expanded().chain(values.iter().copied()).chain([0; 6]);
    let sum = polymod(padded) ^ constant(version);
    values.extend((0..6_u32).map(|at| group(sum >> (5 * (5 - at)))));
    let character = |value: &u8| CHARSET.get(usize::from(*value)).map_or('?', |byte| char::from(*byte));
    [HRP, "1"].into_iter().map(str::to_owned).chain([values.iter().map(character).collect()]).collect()
}

const fn constant(version: u8) -> u32 {
    if version == 0 { BECH32 } else { BECH32M }
}

/// The lowest five bits.
fn group(bits: u32) -> u8 {
    u8::try_from(bits & 31).unwrap_or_default()
}

fn expanded() -> impl Iterator<Item = u8> {
    HRP.bytes().map(|byte| byte >> 5).chain([0]).chain(HRP.bytes().map(|byte| byte & 31))
}

fn polymod(values: impl Iterator<Item = u8>) -> u32 {
    const GENERATOR: [u32; 5] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3];
    values.fold(1_u32, |sum, value| {
        let top = sum >> 25;
        let next = (sum & 0x01ff_ffff) << 5 ^ u32::from(value);
        let taken = GENERATOR.iter().enumerate().filter(|(bit, _)| top >> bit & 1 == 1);
        taken.fold(next, |sum, (_, generator)| sum ^ generator)
    })
}

/// Groups of five bits as bytes; `None` where the padding is not a few zero bits.
fn to_bytes(groups: &[u8]) -> Option<Vec<u8>> {
    let (mut bytes, mut held, mut bits) = (Vec::with_capacity(40), 0_u32, 0_u32);
    for value in groups {
        held = (held << 5 | u32::from(*value)) & 0xfff;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(held >> bits & 0xff).ok()?);
        }
    }
    let padding = held & ((1 << bits) - 1);
    (bits < 5 && padding == 0).then_some(bytes)
}

/// Bytes as groups of five bits, padded with zero bits.
fn to_groups(bytes: &[u8]) -> Vec<u8> {
    let (mut groups, mut held, mut bits) = (Vec::with_capacity(60), 0_u32, 0_u32);
    for byte in bytes {
        held = (held << 8 | u32::from(*byte)) & 0xfff;
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            groups.push(group(held >> bits));
        }
    }
    if bits > 0 {
        groups.push(group(held << (5 - bits)));
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_90_characters_at_most() {
        let longest = encode(1, &[7; 50]);
        assert_eq!(longest.len(), 90);
        assert_eq!(decode(&longest), Ok((1, vec![7; 50])));
        assert_eq!(decode(&encode(1, &[7; 51])), Err(SegwitError::Form));
    }
}
