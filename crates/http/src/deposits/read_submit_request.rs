use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use causeway_engine::{Proof, SubmitRequest};

use super::read_build_request::{parse_ids, read_ids};
use crate::error::ApiError;
use crate::extract::{Body, parse_hex, parse_submitted_id};

/// A text of at least this length that uses only base58 characters is taken for base58. About one base64 text in a hundred
/// million would match by chance.
const MIN_BASE58_CHARS: usize = 200;

/// A Solana transaction begins with its signature count; more do not fit.
const SIGNATURE_COUNTS: std::ops::RangeInclusive<u8> = 1..=12;

/// Parses the body of a submit request with its one proof, or returns all of its issues.
pub(crate) fn read_submit_request(body: &Body) -> Result<SubmitRequest, ApiError> {
    let mut fields = body.fields()?;
    let ids = read_ids(&mut fields);
    let names = ["txHash", "signedTransaction", "signature"];
    let [hash, signed, signature] = names.map(|name| fields.string(name));
    let given = [hash.is_some(), signed.is_some(), signature.is_some()];
    let hash = hash.and_then(|text| fields.issues.check("txHash", parse_submitted_id(&text)));
    let signed = signed.and_then(|text| fields.issues.check("signedTransaction", parse_signed(&text)));
    let signature = signature.and_then(|text| fields.issues.check("signature", parse_hex(&text)));
    fields.finish()?;
    let given: Vec<&str> = names.into_iter().zip(given).filter_map(|(name, is)| is.then_some(name)).collect();
    let proof = match (hash, signed, signature) {
        (Some(hash), None, None) => Proof::Hash(hash),
        (None, Some(signed), None) => Proof::Signed(signed),
        (None, None, Some(signature)) => Proof::Permit(signature),
        _ => return Err(ApiError::exactly_one_proof(&given)),
    };
    let missing = || ApiError::internal(&"a field of the submit request is missing without an issue");
    let (quote, route) = parse_ids(ids.ok_or_else(missing)?)?;
    Ok(SubmitRequest { quote, route, proof })
}

/// A signed transaction: hex on EVM chains, base64 on Solana. No valid Solana transaction starts with `0x`, because its
/// signature count would be too large.
fn parse_signed(text: &str) -> Result<Vec<u8>, &'static str> {
    if text.starts_with("0x") || text.starts_with("0X") {
        return parse_hex(text);
    }
    let bytes = BASE64_STANDARD.decode(text).ok().filter(|bytes| !bytes.is_empty());
    let has_signature_count =
        bytes.as_ref().and_then(|bytes| bytes.first()).is_some_and(|count| SIGNATURE_COUNTS.contains(count));
    if !has_signature_count && text.len() >= MIN_BASE58_CHARS && text.bytes().all(is_base58) {
        return Err("is written in base58; send the signed transaction in base64");
    }
    bytes.ok_or("must be a signed transaction: hex with 0x on EVM chains, base64 on Solana")
}

fn is_base58(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() && !matches!(byte, b'0' | b'O' | b'I' | b'l')
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(mut proofs: Value) -> Result<Proof, String> {
        proofs["quoteId"] = json!("0".repeat(32));
        proofs["routeId"] = json!("house");
        read_submit_request(&Body::from_json(&proofs))
            .map(|request| request.proof)
            .map_err(|error| format!("{error:?}"))
    }

    #[test]
    fn proofs_are_parsed_in_the_format_of_their_family() {
        let hash = format!("0x{}", "Ab".repeat(32));
        assert_eq!(read(json!({ "txHash": hash })), Ok(Proof::Hash(hash.to_lowercase())));
        assert_eq!(read(json!({ "signature": "0x1234" })), Ok(Proof::Permit(vec![0x12, 0x34])));
        assert_eq!(read(json!({ "signedTransaction": "0x02f8" })), Ok(Proof::Signed(vec![2, 0xf8])));
        assert_eq!(read(json!({ "signedTransaction": "AQID" })), Ok(Proof::Signed(vec![1, 2, 3])));
        assert_eq!(
            read(json!({ "signedTransaction": "AQID", "txHash": null })),
            Ok(Proof::Signed(vec![1, 2, 3]))
        );
    }

    #[test]
    fn solana_signature_is_accepted_as_tx_hash() {
        let signature = bs58::encode([7; 64]).into_string();
        assert_eq!(read(json!({ "txHash": signature })), Ok(Proof::Hash(signature.clone())));
        for bad in [&signature[1..], &format!("{signature}1"), &bs58::encode([7; 32]).into_string(), "0OIl"] {
            assert!(read(json!({ "txHash": bad })).unwrap_err().contains("64 bytes in base58"), "{bad}");
        }
    }

    #[test]
    fn base58_instead_of_base64_is_rejected_with_a_hint() {
        let transaction: Vec<u8> = [&[1][..], &[0xab; 64], &[0x80, 1, 0, 1, 3], &[7; 200]].concat();
        let error =
            read(json!({ "signedTransaction": bs58::encode(&transaction).into_string() })).unwrap_err();
        assert!(error.contains("is written in base58"), "{error}");
        let base64 = BASE64_STANDARD.encode(&transaction);
        assert!(base64.bytes().all(is_base58), "the fixture uses base58 characters only");
        assert_eq!(read(json!({ "signedTransaction": base64 })), Ok(Proof::Signed(transaction)));
    }

    #[test]
    fn base64_is_parsed_strictly() {
        for bad in ["AQI", "AQID ", " AQID", "AQ\nID", "AQID=", "AR==", "A_-D"] {
            let error = read(json!({ "signedTransaction": bad })).unwrap_err();
            assert!(error.contains("base64 on Solana"), "{bad}: {error}");
        }
    }

    #[test]
    fn malformed_proofs_are_reported_together_and_before_their_count() {
        let error =
            read(json!({ "txHash": "0x12", "signature": "zz", "signedTransaction": "-" })).unwrap_err();
        for field in ["txHash", "signature", "signedTransaction"] {
            assert!(error.contains(&format!("String(\"{field}\")")), "{field}: {error}");
        }
        for bad in ["", "0x", "0xabc", "!", "AQI"] {
            assert!(read(json!({ "signedTransaction": bad })).unwrap_err().contains("Validation"), "{bad}");
        }
    }
}
