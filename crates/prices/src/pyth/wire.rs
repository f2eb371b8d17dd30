use std::collections::HashMap;
use std::time::Duration;

use alloy_primitives::U256;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::number::scaled;
use crate::source::{ReadFault, Sighting, Word};

/// Millionths in a whole.
const WHOLE: u64 = 1_000_000;

/// The answer of `/v2/updates/price/latest`, as far as it is read. Each entry is judged alone, so that one which is no price
/// harms no other.
#[derive(Deserialize)]
struct Latest {
    parsed: Vec<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Entry {
    id: String,
    price: Price,
}

/// `price * 10^expo` dollars, give or take `conf * 10^expo`.
#[derive(Deserialize)]
struct Price {
    #[serde(rename = "price")]
    mantissa: String,
    conf: String,
    expo: i32,
    publish_time: i64,
}

/// How an entry is judged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judge {
    pub(super) max_age: Duration,
    /// How unsure a price may be, in millionths of it.
    pub(super) max_confidence: u32,
    pub(super) now: Timestamp,
}

/// What each id says; ids are lower-case hex without `0x`.
pub(super) fn read(body: &[u8], judge: Judge) -> Result<HashMap<String, Word>, ReadFault> {
    let nonsense = |error: serde_json::Error| ReadFault::Nonsense(format!("no list of prices: {error}"));
    let latest: Latest = serde_json::from_slice(body).map_err(nonsense)?;
    let entries = latest.parsed.iter().filter_map(|entry| serde_json::from_str::<Entry>(entry.get()).ok());
    Ok(entries.map(|entry| (plain(&entry.id), judge.word(&entry.price))).collect())
}

/// An id as we compare it.
pub(super) fn plain(id: &str) -> String {
    let id = id.to_ascii_lowercase();
    id.strip_prefix("0x").map_or(id.clone(), str::to_owned)
}

impl Judge {
    fn word(self, price: &Price) -> Word {
        let number = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            if digits { U256::from_str_radix(text, 10).ok() } else { None }
        };
        let shown = || price.mantissa.chars().take(40).collect::<String>();
        let mantissa =
            number(&price.mantissa).ok_or_else(|| format!("answers {:?}, which is no price", shown()))?;
        let unsure = number(&price.conf).ok_or("does not say how sure it is")?;
        // Both have the same exponent, which drops out. An overflow is far beyond any limit.
        let most = mantissa.checked_mul(U256::from(self.max_confidence));
        let is = unsure.checked_mul(U256::from(WHOLE));
        if most.is_none_or(|most| is.is_none_or(|is| is > most)) {
            return Err(format!(
                "is too unsure: {} give or take {}, times 10^{}",
                shown(),
                unsure,
                price.expo
            ));
        }
        let exponent = price.expo;
        let value =
            scaled(mantissa, exponent.into()).ok_or_else(|| format!("has the exponent {exponent}"))?;
        let at = Timestamp::from_second(price.publish_time);
        let at = at.map_err(|_| format!("dates its price {}", price.publish_time))?;
        Sighting::new(value, at, self.max_age, self.now)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const NOW: i64 = 1_800_000_000;

    fn judge() -> Judge {
        let now = Timestamp::from_second(NOW).unwrap();
        Judge { max_age: Duration::from_secs(30), max_confidence: 10_000, now }
    }

    fn word(price: &str, conf: &str, expo: i64, publish_time: i64) -> Result<String, String> {
        let price = json!({ "price": price, "conf": conf, "expo": expo, "publish_time": publish_time });
        let body = json!({ "parsed": [{ "id": "0xAB", "price": price }] }).to_string();
        let mut words = read(body.as_bytes(), judge()).unwrap();
        words.remove("ab").ok_or("left out")?.map(|sighting| sighting.price.to_string())
    }

    #[test]
    fn a_price_has_its_exponent() {
        assert_eq!(word("6140993501000", "3287868567", -8, NOW - 2).as_deref(), Ok("61409.93501"));
        assert_eq!(word("7", "0", 3, NOW).as_deref(), Ok("7000"));
        assert_eq!(word("100", "1", -2, NOW).as_deref(), Ok("1"), "one percent, as much as is allowed");
    }

    #[test]
    fn what_is_no_price_says_why() {
        let why = |price, conf, expo, at| word(price, conf, expo, at).unwrap_err();
        assert!(why("-5", "0", -8, NOW).contains("\"-5\""));
        assert!(why("0", "0", -8, NOW).contains("worth nothing"));
        assert!(why("", "0", -8, NOW).contains("no price"));
        assert!(why("1e3", "0", -8, NOW).contains("no price"));
        assert!(why("100", "-1", -8, NOW).contains("how sure"));
        assert!(why("1000", "11", -8, NOW).contains("too unsure"));
        assert!(why("5", "0", 100, NOW).contains("exponent 100"));
        assert!(why("5", "0", -300, NOW).contains("worth nothing"));
        assert!(why("5", "0", i64::from(i32::MAX), NOW).contains("exponent"));
        assert!(why("5", "0", -8, NOW + 31).contains("future"));
        assert!(why("5", "0", -8, i64::MAX).contains("dates its price"));
        assert_eq!(why("5", "0", 1 << 40, NOW), "left out", "no exponent at all");
        assert!(why(&"9".repeat(100), "0", -8, NOW).contains("no price"));
    }

    #[test]
    fn one_bad_entry_harms_no_other_and_what_is_no_list_is_nonsense() {
        let good = json!({ "price": "5", "conf": "0", "expo": 0, "publish_time": NOW });
        let body = json!({ "parsed": [{ "id": "aa" }, 7, { "id": "bb", "price": good }] }).to_string();
        let words = read(body.as_bytes(), judge()).unwrap();
        assert!(words.len() == 1 && words["bb"].is_ok());
        for body in ["", "{}", "[]", "{\"parsed\": 1}", "Price ids not found: 0xabc"] {
            assert!(matches!(read(body.as_bytes(), judge()), Err(ReadFault::Nonsense(_))), "{body}");
        }
    }

    proptest! {
        #[test]
        fn any_entry_is_judged_without_panic(price in "-?[0-9]{0,90}", conf in "[0-9]{0,90}", expo in any::<i32>(), at in any::<i64>()) {
            let _ = word(&price, &conf, expo.into(), at);
        }
    }
}
