use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use causeway_engine::{Proof, SubmitRequest};

use super::read_build::{known_ids, read_ids};
use crate::error::ApiError;
use crate::extract::{Body, parse_hash, parse_hex};

/// Turns the body of a submit into a request with its one proof, or tells everything that is wrong with it.
pub(super) fn read_proof(body: Body) -> Result<SubmitRequest, ApiError> {
    let mut fields = body.fields();
    let ids = read_ids(&mut fields);
    let names = ["txHash", "signedTransaction", "signature"];
    let [hash, signed, signature] = names.map(|name| fields.string(name));
    let given = [hash.is_some(), signed.is_some(), signature.is_some()];
    let hash = hash.and_then(|text| fields.issues.keep("txHash", parse_hash(&text)));
    let signed = signed.and_then(|text| fields.issues.keep("signedTransaction", parse_signed(&text)));
    let signature = signature.and_then(|text| fields.issues.keep("signature", parse_hex(&text)));
    fields.finish()?;
    let given: Vec<&str> = names.into_iter().zip(given).filter_map(|(name, is)| is.then_some(name)).collect();
    let proof = match (hash, signed, signature) {
        // In one spelling, so that the same transaction is always the same text.
        (Some(hash), None, None) => Proof::Hash(hash.to_string()),
        (None, Some(signed), None) => Proof::Signed(signed),
        (None, None, Some(signature)) => Proof::Permit(signature),
        _ => return Err(ApiError::not_one_proof(&given)),
    };
    let missing = || ApiError::internal(&"a field of the submit is missing without an issue");
    let (quote, route) = known_ids(ids.ok_or_else(missing)?)?;
    Ok(SubmitRequest { quote, route, proof })
}

/// A signed transaction as its family writes it. No Solana transaction begins like hex: it would bear more
/// signatures than one has room for.
fn parse_signed(text: &str) -> Result<Vec<u8>, &'static str> {
    if text.starts_with("0x") || text.starts_with("0X") {
        return parse_hex(text);
    }
    let bytes = BASE64_STANDARD.decode(text).ok().filter(|bytes| !bytes.is_empty());
    bytes.ok_or("must be a signed transaction: hex with 0x on EVM chains, base64 on Solana")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(mut proofs: Value) -> Result<Proof, String> {
        proofs["quoteId"] = json!("0".repeat(32));
        proofs["routeId"] = json!("house");
        let body = Body::parse(proofs.to_string().as_bytes()).unwrap();
        read_proof(body).map(|request| request.proof).map_err(|error| format!("{error:?}"))
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
