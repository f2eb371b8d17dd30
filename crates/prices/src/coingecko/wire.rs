use std::collections::HashMap;
use std::time::Duration;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::number::parse_price;
use crate::source::{PriceObservation, PriceResult, ReadError};

/// The response of `/simple/price`: an object by coin id. Each entry is parsed alone, so that an invalid one does not
/// affect others.
type Simple = HashMap<String, Box<RawValue>>;

/// Numbers stay text, so that they can be parsed without rounding.
#[derive(Deserialize)]
struct Entry {
    usd: Option<Box<RawValue>>,
    last_updated_at: Option<i64>,
}

/// The result of each id.
pub(super) fn read(
    body: &[u8],
    max_age: Duration,
    now: Timestamp,
) -> Result<HashMap<String, PriceResult>, ReadError> {
    let invalid =
        |error: serde_json::Error| ReadError::InvalidResponse(format!("no object of prices: {error}"));
    let simple: Simple = serde_json::from_slice(body).map_err(invalid)?;
    Ok(simple.into_iter().map(|(id, entry)| (id, check(entry.get(), max_age, now))).collect())
}

fn check(entry: &str, max_age: Duration, now: Timestamp) -> PriceResult {
    let entry: Entry = serde_json::from_str(entry).map_err(|_| "returns no price object")?;
    let price = entry.usd.ok_or("reports no price")?;
    let shown = || price.get().chars().take(40).collect::<String>();
    let price = parse_price(price.get()).ok_or_else(|| format!("answers {}, which is no price", shown()))?;
    let at = entry.last_updated_at.ok_or("reports no time")?;
    let at = Timestamp::from_second(at).map_err(|_| format!("dates its price {at}"))?;
    PriceObservation::new(price, at, max_age, now)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: i64 = 1_800_000_000;

    fn read_all(body: &str) -> Result<HashMap<String, PriceResult>, ReadError> {
        read(body.as_bytes(), Duration::from_mins(5), Timestamp::from_second(NOW).unwrap())
    }

    fn one(usd: &str, at: &str) -> Result<String, String> {
        let body = format!(r#"{{"coin":{{"usd":{usd},"last_updated_at":{at}}}}}"#);
        let result = read_all(&body).map_err(|error| error.to_string())?.remove("coin").unwrap();
        result.map(|observation| observation.price.to_string())
    }

    #[test]
    fn numbers_are_read_without_rounding() {
        // Floats cannot represent these.
        assert_eq!(one("67187.335893656612345", "1799999999").as_deref(), Ok("67187.335893656612345"));
        assert_eq!(one("5.74291e-06", "1799999999").as_deref(), Ok("0.00000574291"));
        assert_eq!(one("0.1", "1800000000").as_deref(), Ok("0.1"));
    }

    #[test]
    fn invalid_price_is_rejected_with_reason() {
        let why = |usd, at| one(usd, at).unwrap_err();
        assert!(why("null", "1").contains("reports no price"));
        assert!(why("-0.5", "1").contains("answers -0.5"));
        assert!(why("\"1.0\"", "1").contains("no price"));
        assert!(why("0", "1800000000").contains("zero price"));
        assert!(why("1e90", "1800000000").contains("no price"));
        assert!(why("1", "null").contains("no time"));
        assert!(why("1", "1.5").contains("no price"));
        assert!(why("1", "1800000031").contains("future"));
        assert!(why("1", "9223372036854775807").contains("dates its price"));
    }

    #[test]
    fn an_invalid_entry_does_not_affect_others_and_a_non_object_is_an_error() {
        let good = r#"{"usd":1,"last_updated_at":1800000000}"#;
        let results = read_all(&format!(r#"{{"a":[],"b":{good},"c":{{}}}}"#)).unwrap();
        assert!(results["a"].is_err() && results["b"].is_ok() && results["c"].is_err());
        for body in ["", "[]", "null", "{\"a\":", "error code: 1020"] {
            assert!(matches!(read_all(body), Err(ReadError::InvalidResponse(_))), "{body}");
        }
    }

    proptest! {
        #[test]
        fn any_entry_is_checked_without_panic(usd in "-?[0-9]{1,30}(\\.[0-9]{1,30})?(e-?[0-9]{1,6})?", at in any::<i64>()) {
            let _ = one(&usd, &at.to_string());
        }
    }
}
