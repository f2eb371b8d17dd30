//! Signatures of secp256k1 as key management services give them: DER, any s, and no recovery id.

use alloy_primitives::{Address as EvmAddress, B256, Signature, U256};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use causeway_domain::Address;
use causeway_domain::ports::KeySignerError;

/// What stands before the point of a public key of secp256k1 in DER: the algorithm, and that no bit is unused.
const PUBLIC_KEY_PREFIX: [u8; 23] = [
    0x30, 0x56, 0x30, 0x10, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x05, 0x2b, 0x81,
    0x04, 0x00, 0x0a, 0x03, 0x42, 0x00,
];

/// The signature in the form of EVM chains, if it is this account's: with a low s, and the recovery id that gives the account.
pub(crate) fn from_der(der: &[u8], digest: &B256, account: EvmAddress) -> Result<Vec<u8>, KeySignerError> {
    let parsed = integers(der);
    let (r, s) = parsed.ok_or_else(|| invalid("it is no ECDSA signature in DER"))?;
    let found = [false, true].into_iter().find_map(|parity| {
        let signature = Signature::new(r, s, parity);
        let signature = signature.normalize_s().unwrap_or(signature);
        let recovered = signature.recover_address_from_prehash(digest).ok()?;
        (recovered == account).then_some(signature)
    });
    let found = found.ok_or(KeySignerError::OtherKey { found: None })?;
    Ok(found.as_bytes().to_vec())
}

/// The bytes of a field in base64.
pub(crate) fn decoded(text: &str) -> Result<Vec<u8>, KeySignerError> {
    STANDARD.decode(text).map_err(|_| invalid("it is no base64"))
}

/// A signature of another key, with the account whose key was used: that helps whoever has configured the wrong one.
pub(crate) async fn naming_other(
    signed: Result<Vec<u8>, KeySignerError>,
    account: EvmAddress,
    used: impl Future<Output = Result<EvmAddress, KeySignerError>>,
) -> Result<Vec<u8>, KeySignerError> {
    let Err(KeySignerError::OtherKey { .. }) = signed else { return signed };
    let found = used.await.ok().filter(|found| *found != account).map(Address::Evm);
    Err(KeySignerError::OtherKey { found })
}

/// Two positive integers in a sequence, and nothing else.
fn integers(der: &[u8]) -> Option<(U256, U256)> {
    let [0x30, length, body @ ..] = der else { return None };
    if usize::from(*length) != body.len() || *length >= 0x80 {
        return None;
    }
    let (r, rest) = integer(body)?;
    let (s, rest) = integer(rest)?;
    (rest.is_empty() && !r.is_zero() && !s.is_zero()).then_some((r, s))
}

fn integer(der: &[u8]) -> Option<(U256, &[u8])> {
    let [0x02, length, rest @ ..] = der else { return None };
    let (digits, rest) = rest.split_at_checked(usize::from(*length))?;
    // Negative, or longer than needed.
    if matches!(digits, [] | [0x80..=0xff, ..] | [0, 0..=0x7f, ..]) {
        return None;
    }
    let digits = digits.strip_prefix(&[0]).unwrap_or(digits);
    U256::try_from_be_slice(digits).map(|number| (number, rest))
}

/// The account of a public key in DER.
pub(crate) fn account_of(public_key: &[u8]) -> Result<EvmAddress, KeySignerError> {
    let point = public_key.strip_prefix(&PUBLIC_KEY_PREFIX);
    match point {
        Some([4, point @ ..]) if point.len() == 64 => Ok(EvmAddress::from_raw_public_key(point)),
        _ => Err(invalid("the key is not one of secp256k1")),
    }
}

fn invalid(words: &str) -> KeySignerError {
    KeySignerError::InvalidAnswer(words.to_owned())
}

#[cfg(test)]
mod tests {
    use alloy_primitives::hex;

    use super::*;

    #[test]
    fn only_two_positive_integers_in_their_shortest_form_are_a_signature() {
        assert_eq!(integers(&hex!("3006020101020102")), Some((U256::from(1), U256::from(2))));
        assert_eq!(integers(&hex!("300702020080020102")), Some((U256::from(0x80), U256::from(2))));
        for bad in [
            &hex!("") as &[u8],
            &hex!("30"),
            &hex!("3006020101020100"),
            &hex!("3006020181020102"),
            &hex!("300702020001020102"),
            &hex!("300602010102010200"),
            &hex!("3080020101020102"),
            &hex!("3005020101020102"),
            &hex!("3006020501020102"),
            &hex!("30040201010200"),
        ] {
            assert_eq!(integers(bad), None, "{}", hex::encode(bad));
        }
        let long = [&hex!("3027022200")[..], &[0xff; 33], &hex!("020101")].concat();
        assert_eq!(integers(&long), None);
    }

    #[test]
    fn public_key_of_another_curve_is_refused() {
        let mut key = PUBLIC_KEY_PREFIX.to_vec();
        key.push(4);
        key.extend([7; 64]);
        assert!(account_of(&key).is_ok());
        key[19] ^= 1;
        assert!(account_of(&key).is_err());
        assert!(account_of(&[]).is_err());
    }
}
