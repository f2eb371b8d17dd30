use jiff::Timestamp;

use super::Finding;

/// Blocks carry times that are up to a few seconds ahead on some chains.
const BEHIND: i64 = 30;
/// The slowest chain has a block within a minute; with several, the newest block is far younger.
const AHEAD: i64 = 300;

/// Whether this machine's clock agrees with the chains'. Deadlines of orders are read on the chains' clocks.
pub(super) fn examine(newest_block: Option<u64>, now: Timestamp) -> Finding {
    Finding::new("clock", "this machine", judge(newest_block, now))
}

fn judge(newest_block: Option<u64>, now: Timestamp) -> Result<String, String> {
    let Some(block) = newest_block.and_then(|time| i64::try_from(time).ok()) else {
        return Err("it cannot be compared: no chain has answered".to_owned());
    };
    let ahead = now.as_second().saturating_sub(block);
    let remedy = "set it by NTP, for instance with `timedatectl set-ntp true`";
    if ahead < -BEHIND {
        return Err(format!("it is {} behind the newest block of all chains: {remedy}", duration(-ahead)));
    }
    if ahead > AHEAD {
        return Err(format!(
            "it is {} ahead of the newest block of all chains: {remedy}; if it is right, no endpoint has new blocks",
            duration(ahead)
        ));
    }
    Ok("it agrees with the newest block of all chains".to_owned())
}

fn duration(seconds: i64) -> String {
    if seconds < 120 { format!("{seconds} s") } else { format!("{} min", seconds / 60) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_ten_minutes_off_is_a_failure_in_either_direction() {
        let block = 1_800_000_000;
        let at = |offset: i64| judge(Some(block), Timestamp::from_second(1_800_000_000 + offset).unwrap());
        for offset in [-600, 600] {
            let words = at(offset).unwrap_err();
            assert!(words.contains("10 min") && words.contains("NTP"), "{words}");
        }
        assert!(at(-600).unwrap_err().contains("behind") && at(600).unwrap_err().contains("ahead"));
        for offset in [-12, 0, 60] {
            at(offset).unwrap();
        }
        assert!(judge(None, Timestamp::now()).unwrap_err().contains("no chain has answered"));
    }
}
