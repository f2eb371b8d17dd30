use std::time::Duration;

const MIN_RETRY: Duration = Duration::from_secs(2);
const MAX_RETRY: Duration = Duration::from_mins(30);
const MIN_PAUSE: Duration = Duration::from_secs(1);
const MAX_PAUSE: Duration = Duration::from_mins(1);

/// How long an event waits after this many failed attempts, at an endpoint that accepts others.
pub(super) fn retry_after(failed: u32, random: u64) -> Duration {
    jittered(doubled(MIN_RETRY, failed.saturating_sub(1), MAX_RETRY), random)
}

/// How long all deliveries pause when an endpoint counts as down for the nth consecutive time.
pub(super) fn pause_after(pauses: u32, random: u64) -> Duration {
    jittered(doubled(MIN_PAUSE, pauses.saturating_sub(1), MAX_PAUSE), random)
}

fn doubled(min: Duration, times: u32, max: Duration) -> Duration {
    1_u32.checked_shl(times).and_then(|factor| min.checked_mul(factor)).map_or(max, |it| it.min(max))
}

/// Between half of it and all of it, so that simultaneous failures are not retried together.
fn jittered(whole: Duration, random: u64) -> Duration {
    let half = whole / 2;
    let steps = u32::try_from(random % 1_024).unwrap_or_default();
    half.saturating_add(half.saturating_mul(steps) / 1_024)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn retries_double_up_to_half_an_hour() {
        let longest = |failed| retry_after(failed, 1_023).as_secs();
        assert_eq!([1, 2, 3, 4].map(longest), [1, 3, 7, 15]);
        assert!((1_700..1_800).contains(&longest(40)));
    }

    #[test]
    fn pauses_double_up_to_a_minute() {
        let longest = |pauses| pause_after(pauses, 1_023).as_millis();
        assert_eq!([1, 2, 3].map(longest), [999, 1_999, 3_998]);
        assert!((59_000..60_000).contains(&longest(u32::MAX)));
    }

    proptest! {
        #[test]
        fn jitter_is_at_most_half_of_a_retry(failed in 0u32..100, random: u64) {
            let (least, now) = (retry_after(failed, 0), retry_after(failed, random));
            prop_assert!(least <= now && now <= least * 2);
        }
    }
}
