//! Signatures of wallet contracts that may not be deployed yet (ERC-6492): what deploys the wallet, its signature, and a mark.

use alloy_primitives::{Address, B256, Bytes, b256};
use alloy_sol_types::SolValue as _;

/// The last 32 bytes of such a signature.
const MARK: B256 = b256!("6492649264926492649264926492649264926492649264926492649264926492");

/// The signature within, if the bytes are of this form.
pub(crate) fn inner_signature(signature: &[u8]) -> Option<Bytes> {
    let wrapped = signature.strip_suffix(MARK.as_slice())?;
    let (_, _, inner) = <(Address, Bytes, Bytes)>::abi_decode_params(wrapped).ok()?;
    Some(inner)
}

/// What a deployed wallet verifies: the signature within, or the bytes themselves.
pub(in crate::orders) fn deployed_signature(signature: &[u8]) -> Bytes {
    inner_signature(signature).unwrap_or_else(|| Bytes::copy_from_slice(signature))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_signature_within_is_found_behind_the_mark_only() {
        let inner = Bytes::from_static(&[7; 130]);
        let wrapped =
            (Address::repeat_byte(1), Bytes::from_static(&[1, 2, 3]), inner.clone()).abi_encode_params();
        let marked = [wrapped.as_slice(), MARK.as_slice()].concat();
        assert_eq!(inner_signature(&marked), Some(inner.clone()));
        assert_eq!(deployed_signature(&marked), inner);
        assert_eq!(inner_signature(&wrapped), None);
        assert_eq!(deployed_signature(&[1; 65]), Bytes::from_static(&[1; 65]));
        // The mark alone is no signature of this form.
        assert_eq!(inner_signature(MARK.as_slice()), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_not_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = inner_signature(&[bytes.as_slice(), MARK.as_slice()].concat());
        }
    }
}
