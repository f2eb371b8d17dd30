use std::time::Duration;

const FIRST_RETRY: Duration = Duration::from_secs(2);
const LONGEST_RETRY: Duration = Duration::from_mins(30);
const FIRST_REST: Duration = Duration::from_secs(1);
const LONGEST_REST: Duration = Duration::from_mins(1);

/// How long one line waits after it has failed so often, at an endpoint that takes others.
pub(super) fn retry_after(failed: u32, chance: u64) -> Duration {
    jittered(doubled(FIRST_RETRY, failed.saturating_sub(1), LONGEST_RETRY), chance)
}

/// How long everything rests when an endpoint counts as down for the so many-th time in a row.
pub(super) fn rest_after(rests: u32, chance: u64) -> Duration {
    jittered(doubled(FIRST_REST, rests.saturating_sub(1), LONGEST_REST), chance)
}

fn doubled(first: Duration, times: u32, longest: Duration) -> Duration {
    1_u32
        .checked_shl(times)
        .and_then(|factor| first.checked_mul(factor))
        .map_or(longest, |it| it.min(longest))
}

/// Between half of it and all of it, so that those who failed together do not come back together.
fn jittered(whole: Duration, chance: u64) -> Duration {
    let half = whole / 2;
    let steps = u32::try_from(chance % 1_024).unwrap_or_default();
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
    fn rests_double_up_to_a_minute() {
        let longest = |rests| rest_after(rests, 1_023).as_millis();
        assert_eq!([1, 2, 3].map(longest), [999, 1_999, 3_998]);
        assert!((59_000..60_000).contains(&longest(u32::MAX)));
    }

    proptest! {
        #[test]
        fn chance_moves_a_retry_by_half_at_most(failed in 0u32..100, chance: u64) {
            let (least, now) = (retry_after(failed, 0), retry_after(failed, chance));
            prop_assert!(least <= now && now <= least * 2);
        }
    }
}
