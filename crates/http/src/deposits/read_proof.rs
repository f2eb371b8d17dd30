use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use causeway_engine::{Proof, SubmitRequest};

use super::read_build::{known_ids, read_ids};
use crate::error::ApiError;
use crate::extract::{Body, parse_hash, parse_hex};

const SIGNATURE_BYTES: usize = 64;
/// The most characters that 64 bytes take in base58.
const LONGEST_SIGNATURE: usize = 88;
/// From this length on, a text without any of the six characters that base58 leaves out of base64 is base58: by chance one
/// base64 text in a hundred million would be.
const SURELY_BASE58: usize = 200;

/// A Solana transaction begins with the number of its signatures, of which no more than these fit.
const FEW: std::ops::RangeInclusive<u8> = 1..=12;

/// Turns the body of a submit into a request with its one proof, or tells everything that is wrong with it.
pub(super) fn read_proof(body: &Body) -> Result<SubmitRequest, ApiError> {
    let mut fields = body.fields()?;
    let ids = read_ids(&mut fields);
    let names = ["txHash", "signedTransaction", "signature"];
    let [hash, signed, signature] = names.map(|name| fields.string(name));
    let given = [hash.is_some(), signed.is_some(), signature.is_some()];
    let hash = hash.and_then(|text| fields.issues.keep("txHash", parse_name(&text)));
    let signed = signed.and_then(|text| fields.issues.keep("signedTransaction", parse_signed(&text)));
    let signature = signature.and_then(|text| fields.issues.keep("signature", parse_hex(&text)));
    fields.finish()?;
    let given: Vec<&str> = names.into_iter().zip(given).filter_map(|(name, is)| is.then_some(name)).collect();
    let proof = match (hash, signed, signature) {
        (Some(hash), None, None) => Proof::Hash(hash),
        (None, Some(signed), None) => Proof::Signed(signed),
        (None, None, Some(signature)) => Proof::Permit(signature),
        _ => return Err(ApiError::not_one_proof(&given)),
    };
    let missing = || ApiError::internal(&"a field of the submit is missing without an issue");
    let (quote, route) = known_ids(ids.ok_or_else(missing)?)?;
    Ok(SubmitRequest { quote, route, proof })
}

/// By which a chain knows a transaction, in one spelling, so that the same transaction is always the same text.
fn parse_name(text: &str) -> Result<String, &'static str> {
    let hash = parse_hash(text).map(|hash| hash.to_string());
    let signature = || bs58::decode(text).into_vec().ok().filter(|bytes| bytes.len() == SIGNATURE_BYTES);
    // Longer texts are not worth decoding.
    let named = hash.ok().or_else(|| {
        let short = text.len() <= LONGEST_SIGNATURE;
        short.then(signature).flatten().map(|_| text.to_owned())
    });
    named.ok_or("must be 0x and 64 hex digits on EVM chains, a signature of 64 bytes in base58 on Solana")
}

/// A signed transaction as its family writes it. No Solana transaction begins like hex: it would bear more
/// signatures than one has room for.
fn parse_signed(text: &str) -> Result<Vec<u8>, &'static str> {
    if text.starts_with("0x") || text.starts_with("0X") {
        return parse_hex(text);
    }
    let bytes = BASE64_STANDARD.decode(text).ok().filter(|bytes| !bytes.is_empty());
    let begins_well = bytes.as_ref().and_then(|bytes| bytes.first()).is_some_and(|count| FEW.contains(count));
    // So much base64 has some of the characters that base58 leaves out.
    if !begins_well && text.len() >= SURELY_BASE58 && text.bytes().all(is_base58) {
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
        read_proof(&Body::of(&proofs)).map(|request| request.proof).map_err(|error| format!("{error:?}"))
    }

    #[test]
    fn each_proof_is_read_as_its_family_writes_it() {
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
    fn a_solana_signature_names_a_transaction_too() {
        let signature = bs58::encode([7; 64]).into_string();
        assert_eq!(read(json!({ "txHash": signature })), Ok(Proof::Hash(signature.clone())));
        for bad in [&signature[1..], &format!("{signature}1"), &bs58::encode([7; 32]).into_string(), "0OIl"] {
            assert!(read(json!({ "txHash": bad })).unwrap_err().contains("64 bytes in base58"), "{bad}");
        }
    }

    #[test]
    fn base58_given_for_base64_is_told_as_such() {
        let transaction: Vec<u8> = [&[1][..], &[0xab; 64], &[0x80, 1, 0, 1, 3], &[7; 200]].concat();
        let error =
            read(json!({ "signedTransaction": bs58::encode(&transaction).into_string() })).unwrap_err();
        assert!(error.contains("is written in base58"), "{error}");
        let base64 = BASE64_STANDARD.encode(&transaction);
        assert!(base64.bytes().all(is_base58), "by chance");
        assert_eq!(read(json!({ "signedTransaction": base64 })), Ok(Proof::Signed(transaction)));
    }

    #[test]
    fn base64_is_read_strictly() {
        for bad in ["AQI", "AQID ", " AQID", "AQ\nID", "AQID=", "AR==", "A_-D"] {
            let error = read(json!({ "signedTransaction": bad })).unwrap_err();
            assert!(error.contains("base64 on Solana"), "{bad}: {error}");
        }
    }

    #[test]
    fn malformed_proofs_are_told_all_at_once_and_before_their_number() {
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
