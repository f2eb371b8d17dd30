use std::time::Duration;

use alloy_primitives::U256;
use causeway_domain::ports::{ContractCall, ContractReader as _};
use causeway_evm::EvmClient;
use causeway_prices::chainlink::Feed;
use jiff::Timestamp;

use super::report::ChainReport;

/// `decimals()`, `latestRoundData()`.
const DECIMALS: [u8; 4] = [0x31, 0x3c, 0xe5, 0x67];
const LATEST_ROUND_DATA: [u8; 4] = [0xfe, 0xaf, 0x96, 0x8c];
/// Prices in US dollars have eight decimals.
const USD_DECIMALS: u64 = 8;
/// Added to a heartbeat, because transactions take time.
const SLACK: Duration = Duration::from_mins(5);

/// Compares the feeds' decimals, and the age of their newest round with the heartbeat.
pub(super) async fn check(client: &EvmClient, feeds: &[&Feed], report: &mut ChainReport) {
    if feeds.is_empty() {
        return;
    }
    let calls: Vec<ContractCall> = feeds
        .iter()
        .flat_map(|feed| {
            [DECIMALS, LATEST_ROUND_DATA].map(|what| ContractCall { to: feed.address, data: what.to_vec() })
        })
        .collect();
    let answers = match client.read(&calls).await {
        Ok(answers) => answers,
        Err(error) => return report.unread(format!("{} price feeds: {error}", feeds.len())),
    };
    let now = Timestamp::now();
    let mut right = 0;
    for (feed, answer) in feeds.iter().zip(answers.as_chunks::<2>().0) {
        match compare(feed, answer[0].as_deref(), answer[1].as_deref(), now) {
            Ok(()) => right += 1,
            Err(difference) => report.differs(difference),
        }
    }
    report.agrees(format!("{right} of {} price feeds", feeds.len()));
}

fn compare(feed: &Feed, decimals: Option<&[u8]>, round: Option<&[u8]>, now: Timestamp) -> Result<(), String> {
    let place = format!("the feed of {} at {}", feed.coin, feed.address);
    let decimals = number(decimals, 0).ok_or_else(|| format!("{place}: no feed answers there"))?;
    if decimals != USD_DECIMALS {
        return Err(format!("{place}: {decimals} decimals, not {USD_DECIMALS}"));
    }
    let updated = number(round, 3).and_then(|seconds| i64::try_from(seconds).ok());
    let updated = updated.ok_or_else(|| format!("{place}: it has no round"))?;
    let age = u64::try_from(now.as_second().saturating_sub(updated)).unwrap_or_default();
    let heartbeat = feed.heartbeat.as_secs();
    if age > heartbeat.saturating_add(SLACK.as_secs()) {
        return Err(format!("{place}: its newest round is {age} s old, its heartbeat {heartbeat} s"));
    }
    Ok(())
}

/// The word at this place of an answer.
fn number(answer: Option<&[u8]>, at: usize) -> Option<u64> {
    let start = at.checked_mul(32)?;
    let word = answer?.get(start..start.checked_add(32)?)?;
    u64::try_from(U256::from_be_slice(word)).ok()
}

#[cfg(test)]
mod tests {
    use causeway_domain::{Address, ChainId};

    use super::*;

    #[test]
    fn a_feed_with_other_decimals_or_an_old_round_differs() {
        let feed = Feed {
            coin: "ethereum".to_owned(),
            chain: ChainId::new(1).unwrap(),
            address: Address::NATIVE_ALIAS,
            heartbeat: Duration::from_hours(1),
        };
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let word = |number: u64| U256::from(number).to_be_bytes_vec();
        let round = |age: u64| [word(1), word(2), word(3), word(1_800_000_000 - age), word(1)].concat();
        let compare = |decimals: Vec<u8>, round: Vec<u8>| compare(&feed, Some(&decimals), Some(&round), now);
        assert_eq!(compare(word(8), round(3_900)), Ok(()), "within the slack");
        for (decimals, round, words) in [
            (word(18), round(1), "18 decimals, not 8"),
            (word(8), round(3_901), "3901 s old, its heartbeat 3600 s"),
            (word(8), Vec::new(), "no round"),
            (Vec::new(), Vec::new(), "no feed answers"),
        ] {
            let difference = compare(decimals, round).unwrap_err();
            assert!(difference.contains(words), "{difference}");
        }
    }
}
