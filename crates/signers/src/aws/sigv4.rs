//! Signature Version 4 of a request, as AWS describes it.

use alloy_primitives::hex;
use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use sha2::{Digest as _, Sha256};

use super::credentials::Credentials;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// A `POST` to `/` of a host, with these headers in alphabetical order of their lower-case names.
pub(super) struct Request<'a> {
    pub(super) service: &'a str,
    pub(super) region: &'a str,
    pub(super) headers: &'a [(&'static str, String)],
    pub(super) body: &'a [u8],
}

/// The time as requests name it.
pub(super) fn amz_date(now: Timestamp) -> String {
    now.to_zoned(TimeZone::UTC).strftime("%Y%m%dT%H%M%SZ").to_string()
}

/// The header `authorization`. `date` is the time of the header `x-amz-date`.
pub(super) fn authorization(credentials: &Credentials, request: &Request<'_>, date: &str) -> String {
    let Request { service, region, headers, body } = request;
    let names: Vec<&str> = headers.iter().map(|(name, _)| *name).collect();
    let names = names.join(";");
    let lines: Vec<String> =
        headers.iter().map(|(name, value)| format!("{name}:{}\n", value.trim())).collect();
    let lines = lines.concat();
    let canonical = format!("POST\n/\n\n{lines}\n{names}\n{}", hex::encode(Sha256::digest(body)));
    let day = date.get(..8).unwrap_or_default();
    let scope = format!("{day}/{region}/{service}/aws4_request");
    let text = format!("{ALGORITHM}\n{date}\n{scope}\n{}", hex::encode(Sha256::digest(canonical.as_bytes())));
    let start = format!("AWS4{}", credentials.secret_key);
    let key = [day, region, service, "aws4_request"]
        .iter()
        .fold(start.into_bytes(), |key, part| hmac(&key, part.as_bytes()));
    let signature = hex::encode(hmac(&key, text.as_bytes()));
    let access_key = &credentials.access_key;
    format!("{ALGORITHM} Credential={access_key}/{scope}, SignedHeaders={names}, Signature={signature}")
}

fn hmac(key: &[u8], text: &[u8]) -> Vec<u8> {
    // Keys of any length are accepted.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return Vec::new() };
    mac.update(text);
    mac.finalize().into_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The case `post-vanilla` of the test suite that AWS publishes for Signature Version 4.
    #[test]
    fn published_example_has_its_published_signature() {
        let credentials = Credentials {
            access_key: "AKIDEXAMPLE".to_owned(),
            secret_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".to_owned(),
            session_token: None,
            expires_at: None,
        };
        let date = "20150830T123600Z";
        let headers = [("host", "example.amazonaws.com".to_owned()), ("x-amz-date", date.to_owned())];
        let request = Request { service: "service", region: "us-east-1", headers: &headers, body: b"" };
        assert_eq!(
            authorization(&credentials, &request, date),
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, \
             SignedHeaders=host;x-amz-date, \
             Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"
        );
    }

    #[test]
    fn times_are_written_as_in_the_example() {
        let time: Timestamp = "2015-08-30T12:36:00Z".parse().unwrap();
        assert_eq!(amz_date(time), "20150830T123600Z");
    }
}
