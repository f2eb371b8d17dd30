use std::collections::HashMap;
use std::time::Duration;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::number::price_of_number;
use crate::source::{ReadFault, Sighting, Word};

/// The answer of `/simple/price`: an object by coin id. Each is judged alone, so that one which is no price harms no other.
type Simple = HashMap<String, Box<RawValue>>;

/// Numbers stay text until they are read without rounding.
#[derive(Deserialize)]
struct Entry {
    usd: Option<Box<RawValue>>,
    last_updated_at: Option<i64>,
}

/// What each id says.
pub(super) fn read(
    body: &[u8],
    max_age: Duration,
    now: Timestamp,
) -> Result<HashMap<String, Word>, ReadFault> {
    let nonsense = |error: serde_json::Error| ReadFault::Nonsense(format!("no object of prices: {error}"));
    let simple: Simple = serde_json::from_slice(body).map_err(nonsense)?;
    Ok(simple.into_iter().map(|(id, entry)| (id, word(entry.get(), max_age, now))).collect())
}

fn word(entry: &str, max_age: Duration, now: Timestamp) -> Word {
    let entry: Entry = serde_json::from_str(entry).map_err(|_| "answers what is no price")?;
    let price = entry.usd.ok_or("tells no price")?;
    let shown = || price.get().chars().take(40).collect::<String>();
    let price =
        price_of_number(price.get()).ok_or_else(|| format!("answers {}, which is no price", shown()))?;
    let at = entry.last_updated_at.ok_or("does not say of when its price is")?;
    let at = Timestamp::from_second(at).map_err(|_| format!("dates its price {at}"))?;
    Sighting::new(price, at, max_age, now)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: i64 = 1_800_000_000;

    fn read_all(body: &str) -> Result<HashMap<String, Word>, ReadFault> {
        read(body.as_bytes(), Duration::from_mins(5), Timestamp::from_second(NOW).unwrap())
    }

    fn one(usd: &str, at: &str) -> Result<String, String> {
        let body = format!(r#"{{"coin":{{"usd":{usd},"last_updated_at":{at}}}}}"#);
        let word = read_all(&body).map_err(|fault| fault.to_string())?.remove("coin").unwrap();
        word.map(|sighting| sighting.price.to_string())
    }

    #[test]
    fn numbers_are_read_without_rounding() {
        // No float holds these.
        assert_eq!(one("67187.335893656612345", "1799999999").as_deref(), Ok("67187.335893656612345"));
        assert_eq!(one("5.74291e-06", "1799999999").as_deref(), Ok("0.00000574291"));
        assert_eq!(one("0.1", "1800000000").as_deref(), Ok("0.1"));
    }

    #[test]
    fn what_is_no_price_says_why() {
        let why = |usd, at| one(usd, at).unwrap_err();
        assert!(why("null", "1").contains("tells no price"));
        assert!(why("-0.5", "1").contains("answers -0.5"));
        assert!(why("\"1.0\"", "1").contains("no price"));
        assert!(why("0", "1800000000").contains("worth nothing"));
        assert!(why("1e90", "1800000000").contains("no price"));
        assert!(why("1", "null").contains("of when"));
        assert!(why("1", "1.5").contains("no price"));
        assert!(why("1", "1800000031").contains("future"));
        assert!(why("1", "9223372036854775807").contains("dates its price"));
    }

    #[test]
    fn one_bad_entry_harms_no_other_and_what_is_no_object_is_nonsense() {
        let good = r#"{"usd":1,"last_updated_at":1800000000}"#;
        let words = read_all(&format!(r#"{{"a":[],"b":{good},"c":{{}}}}"#)).unwrap();
        assert!(words["a"].is_err() && words["b"].is_ok() && words["c"].is_err());
        for body in ["", "[]", "null", "{\"a\":", "error code: 1020"] {
            assert!(matches!(read_all(body), Err(ReadFault::Nonsense(_))), "{body}");
        }
    }

    proptest! {
        #[test]
        fn any_entry_is_judged_without_panic(usd in "-?[0-9]{1,30}(\\.[0-9]{1,30})?(e-?[0-9]{1,6})?", at in any::<i64>()) {
            let _ = one(&usd, &at.to_string());
        }
    }
}
