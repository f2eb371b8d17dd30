//! Route ids as a stranger sends them, and route ids with a valid tag over any bytes, so that the decoder is reached.
#![no_main]

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use causeway_domain::{OpenRouteError, QuoteId, QuoteKey, QuoteKeys, RouteId, RouteSeal};
use hmac::{Hmac, KeyInit as _, Mac as _};
use libfuzzer_sys::fuzz_target;
use sha2::Sha256;

const KEY: [u8; 32] = [7; 32];

fn mac(key: &[u8], message: &[u8]) -> [u8; 32] {
    let mac = Hmac::<Sha256>::new_from_slice(key).expect("any length is a key");
    mac.chain_update(message).finalize().into_bytes().into()
}

/// The id of these terms, sealed as the documentation of `RouteSeal` says, without its code.
fn sealed(terms: &[u8]) -> String {
    let [id, ..] = mac(&KEY, b"causeway quote key id");
    let mut bytes = [&[id], terms].concat();
    let tag = mac(&mac(&KEY, b"causeway sealed routes"), &bytes);
    bytes.extend_from_slice(&tag[..16]);
    URL_SAFE_NO_PAD.encode(bytes)
}

fn open(text: &str) -> bool {
    let Ok(route) = text.parse::<RouteId>() else { return false };
    let seal = RouteSeal::new(&QuoteKeys { current: QuoteKey::new(KEY), older: Vec::new() });
    let other: QuoteId = "00000000000000000000000000000000".parse().expect("a quote id");
    match seal.open(&other, &route) {
        Err(OpenRouteError::NotSealed) => false,
        Ok(terms) => {
            assert_eq!(terms.quote, other);
            true
        }
        // It holds the id of its own quote, and every part of it can be written again.
        Err(OpenRouteError::OtherQuote) => true,
    }
}

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        assert!(!open(text), "an id that nobody sealed opens");
    }
    let text = sealed(bytes);
    if open(&text) {
        // The same bytes have one text: neither padding nor another alphabet opens.
        assert!(!open(&format!("{text}=")));
        let route: RouteId = text.parse().expect("it opened");
        let stranger = QuoteKeys { current: QuoteKey::new([8; 32]), older: Vec::new() };
        let opened = RouteSeal::new(&stranger).open(&"00".repeat(16).parse().expect("a quote id"), &route);
        assert_eq!(opened, Err(OpenRouteError::NotSealed), "another key opens it");
    }
});
