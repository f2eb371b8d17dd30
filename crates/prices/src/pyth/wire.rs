use std::collections::HashMap;
use std::time::Duration;

use alloy_primitives::U256;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::number::scaled;
use crate::source::{PriceObservation, PriceResult, ReadError};

/// Millionths in a whole.
const PPM: u64 = 1_000_000;

/// The response of `/v2/updates/price/latest`. Each entry is parsed alone, so that an invalid one does not affect others.
#[derive(Deserialize)]
struct Latest {
    parsed: Vec<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Entry {
    id: String,
    price: Price,
}

/// `price * 10^expo` dollars, plus or minus `conf * 10^expo`.
#[derive(Deserialize)]
struct Price {
    #[serde(rename = "price")]
    mantissa: String,
    conf: String,
    expo: i32,
    publish_time: i64,
}

/// Limits for an entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct EntryLimits {
    pub(super) max_age: Duration,
    /// Maximum confidence interval, in millionths of the price.
    pub(super) max_confidence: u32,
    pub(super) now: Timestamp,
}

/// The result of each id; ids are lower-case hex without `0x`.
pub(super) fn read(body: &[u8], limits: EntryLimits) -> Result<HashMap<String, PriceResult>, ReadError> {
    let invalid =
        |error: serde_json::Error| ReadError::InvalidResponse(format!("no list of prices: {error}"));
    let latest: Latest = serde_json::from_slice(body).map_err(invalid)?;
    let entries = latest.parsed.iter().filter_map(|entry| serde_json::from_str::<Entry>(entry.get()).ok());
    Ok(entries.map(|entry| (normalize_id(&entry.id), limits.check(&entry.price))).collect())
}

/// The id in lower case without `0x`.
pub(super) fn normalize_id(id: &str) -> String {
    let id = id.to_ascii_lowercase();
    id.strip_prefix("0x").map_or(id.clone(), str::to_owned)
}

impl EntryLimits {
    fn check(self, price: &Price) -> PriceResult {
        let number = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            if digits { U256::from_str_radix(text, 10).ok() } else { None }
        };
        let shown = || price.mantissa.chars().take(40).collect::<String>();
        let mantissa =
            number(&price.mantissa).ok_or_else(|| format!("answers {:?}, which is no price", shown()))?;
        let confidence = number(&price.conf).ok_or("reports no confidence interval")?;
        // Both have the same exponent, which cancels out. An overflow exceeds any limit.
        let limit = mantissa.checked_mul(U256::from(self.max_confidence));
        let actual = confidence.checked_mul(U256::from(PPM));
        if limit.is_none_or(|limit| actual.is_none_or(|actual| actual > limit)) {
            return Err(format!(
                "confidence interval too wide: {} ± {}, times 10^{}",
                shown(),
                confidence,
                price.expo
            ));
        }
        let exponent = price.expo;
        let value =
            scaled(mantissa, exponent.into()).ok_or_else(|| format!("has the exponent {exponent}"))?;
        let at = Timestamp::from_second(price.publish_time);
        let at = at.map_err(|_| format!("dates its price {}", price.publish_time))?;
        PriceObservation::new(value, at, self.max_age, self.now)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const NOW: i64 = 1_800_000_000;

    fn limits() -> EntryLimits {
        let now = Timestamp::from_second(NOW).unwrap();
        EntryLimits { max_age: Duration::from_secs(30), max_confidence: 10_000, now }
    }

    fn result(price: &str, conf: &str, expo: i64, publish_time: i64) -> Result<String, String> {
        let price = json!({ "price": price, "conf": conf, "expo": expo, "publish_time": publish_time });
        let body = json!({ "parsed": [{ "id": "0xAB", "price": price }] }).to_string();
        let mut results = read(body.as_bytes(), limits()).unwrap();
        results.remove("ab").ok_or("left out")?.map(|observation| observation.price.to_string())
    }

    #[test]
    fn the_exponent_is_applied() {
        assert_eq!(result("6140993501000", "3287868567", -8, NOW - 2).as_deref(), Ok("61409.93501"));
        assert_eq!(result("7", "0", 3, NOW).as_deref(), Ok("7000"));
        assert_eq!(result("100", "1", -2, NOW).as_deref(), Ok("1"), "one percent is the limit");
    }

    #[test]
    fn invalid_price_is_rejected_with_reason() {
        let why = |price, conf, expo, at| result(price, conf, expo, at).unwrap_err();
        assert!(why("-5", "0", -8, NOW).contains("\"-5\""));
        assert!(why("0", "0", -8, NOW).contains("zero price"));
        assert!(why("", "0", -8, NOW).contains("no price"));
        assert!(why("1e3", "0", -8, NOW).contains("no price"));
        assert!(why("100", "-1", -8, NOW).contains("confidence"));
        assert!(why("1000", "11", -8, NOW).contains("too wide"));
        assert!(why("5", "0", 100, NOW).contains("exponent 100"));
        assert!(why("5", "0", -300, NOW).contains("zero price"));
        assert!(why("5", "0", i64::from(i32::MAX), NOW).contains("exponent"));
        assert!(why("5", "0", -8, NOW + 31).contains("future"));
        assert!(why("5", "0", -8, i64::MAX).contains("dates its price"));
        assert_eq!(why("5", "0", 1 << 40, NOW), "left out", "no exponent at all");
        assert!(why(&"9".repeat(100), "0", -8, NOW).contains("no price"));
    }

    #[test]
    fn an_invalid_entry_does_not_affect_others_and_a_non_list_is_an_error() {
        let good = json!({ "price": "5", "conf": "0", "expo": 0, "publish_time": NOW });
        let body = json!({ "parsed": [{ "id": "aa" }, 7, { "id": "bb", "price": good }] }).to_string();
        let results = read(body.as_bytes(), limits()).unwrap();
        assert!(results.len() == 1 && results["bb"].is_ok());
        for body in ["", "{}", "[]", "{\"parsed\": 1}", "Price ids not found: 0xabc"] {
            assert!(matches!(read(body.as_bytes(), limits()), Err(ReadError::InvalidResponse(_))), "{body}");
        }
    }

    proptest! {
        #[test]
        fn any_entry_is_checked_without_panic(price in "-?[0-9]{0,90}", conf in "[0-9]{0,90}", expo in any::<i32>(), at in any::<i64>()) {
            let _ = result(&price, &conf, expo.into(), at);
        }
    }
}
