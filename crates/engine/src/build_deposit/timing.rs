use std::collections::HashMap;

use causeway_domain::{ChainId, DepositWindow};
use jiff::Timestamp;

/// The longest time that an escrow lets pass between the fill deadline and the unsigned refund.
const MAX_GRACE: u64 = 7 * 24 * 3_600;

/// How an order's deadlines follow from its route, in seconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderTiming {
    /// How long after the price expires a deposit may still be opened: signing and inclusion take time.
    pub open_slack: u64,
    /// How long the filler has once the last deposit in time is final.
    pub fill_window: u64,
    /// How long a fill can be claimed before anybody can request the refund.
    pub grace: u64,
    /// How long a deposit takes to become final, by chain.
    pub finality: HashMap<ChainId, u64>,
    /// The default for other chains.
    pub usual_finality: u64,
}

impl Default for OrderTiming {
    fn default() -> Self {
        Self {
            open_slack: 10 * 60,
            fill_window: 15 * 60,
            grace: 6 * 3_600,
            finality: HashMap::new(),
            // Ethereum and the chains that settle there, the slowest ones, are usually final within this.
            usual_finality: 20 * 60,
        }
    }
}

/// The three times of an order, in Unix seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Deadlines {
    pub(super) open: u64,
    pub(super) fill: u64,
    pub(super) refund: u64,
}

impl OrderTiming {
    /// The deadlines of an order from `origin` whose price holds until `valid_before`, at an escrow with that minimum grace
    /// period. A payer may have asked for more time for the deposit. `None` for times that no escrow accepts.
    pub(super) fn deadlines(
        &self,
        origin: ChainId,
        valid_before: Timestamp,
        min_grace: u64,
        window: Option<DepositWindow>,
    ) -> Option<Deadlines> {
        let finality = self.finality.get(&origin).copied().unwrap_or(self.usual_finality);
        let slack = window.map_or(self.open_slack, |window| self.open_slack.max(window.seconds()));
        let open = u64::try_from(valid_before.as_second()).ok()?.checked_add(slack)?;
        // An escrow rejects windows that touch, whatever is configured.
        let fill = open.checked_add(finality.checked_add(self.fill_window)?.max(1))?;
        let refund = fill.checked_add(self.grace.min(MAX_GRACE).max(min_grace).max(1))?;
        // Escrows keep times in 32 bits.
        u32::try_from(refund).ok().map(|_| Deadlines { open, fill, refund })
    }
}

/// A Unix time of the terms as a timestamp.
pub(crate) fn moment(seconds: u64) -> Option<Timestamp> {
    Timestamp::from_second(i64::try_from(seconds).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn base() -> ChainId {
        ChainId::new(8453).unwrap()
    }

    #[test]
    fn rule_3_default_deadlines_follow_the_rule() {
        let at = moment(1_800_000_000).unwrap();
        let timing = OrderTiming { finality: HashMap::from([(base(), 40)]), ..OrderTiming::default() };
        let open = 1_800_000_000 + 600;
        let fill = open + 40 + 900;
        let expected = Deadlines { open, fill, refund: fill + 21_600 };
        assert_eq!(timing.deadlines(base(), at, 7_200, None), Some(expected));
        let elsewhere = timing.deadlines(ChainId::new(1).unwrap(), at, 7_200, None).unwrap();
        assert_eq!(elsewhere.fill, open + 1_200 + 900);
        let hours = timing.deadlines(base(), at, 7_200, DepositWindow::new(36_000)).unwrap();
        assert_eq!((hours.open, hours.fill), (1_800_036_000, 1_800_036_000 + 40 + 900), "as the payer asked");
        let short = OrderTiming { open_slack: 900, ..timing };
        let short = short.deadlines(base(), at, 7_200, DepositWindow::new(600)).unwrap();
        assert_eq!(short.open, 1_800_000_900, "never less than usual");
    }

    proptest! {
        #[test]
        fn rule_3_windows_never_touch_and_escrows_accept_the_grace_period(
            seconds in -10i64..6_000_000_000,
            [open_slack, fill_window, grace, usual_finality] in any::<[u32; 4]>(),
            few in any::<[bool; 4]>(),
            min_grace in 0..=MAX_GRACE,
            window in prop::option::of(DepositWindow::MIN..=DepositWindow::MAX),
        ) {
            let window = window.and_then(DepositWindow::new);
            let part = |value: u32, few: bool| u64::from(if few { value % 3 } else { value });
            let timing = OrderTiming {
                open_slack: part(open_slack, few[0]),
                fill_window: part(fill_window, few[1]),
                grace: part(grace, few[2]),
                finality: HashMap::new(),
                usual_finality: part(usual_finality, few[3]),
            };
            let valid_before = Timestamp::from_second(seconds).unwrap();
            if let Some(Deadlines { open, fill, refund }) = timing.deadlines(base(), valid_before, min_grace, window) {
                prop_assert!(i64::try_from(open).unwrap() >= seconds);
                prop_assert!(open < fill && fill < refund);
                prop_assert!((min_grace..=MAX_GRACE).contains(&(refund - fill)));
                prop_assert!(u32::try_from(refund).is_ok());
            } else {
                let slack = timing.open_slack.max(window.map_or(0, DepositWindow::seconds));
                let sum = slack + timing.fill_window + timing.usual_finality + MAX_GRACE + 2;
                let last = seconds + i64::try_from(sum).unwrap();
                prop_assert!(seconds < 0 || last > i64::from(u32::MAX), "refused without need");
            }
        }

        #[test]
        fn no_configuration_overflows_the_deadlines(parts in any::<[u64; 5]>(), seconds in 0i64..5_000_000_000) {
            let [open_slack, fill_window, grace, usual_finality, min_grace] = parts;
            let timing = OrderTiming { open_slack, fill_window, grace, usual_finality, finality: HashMap::new() };
            let _ = timing.deadlines(base(), Timestamp::from_second(seconds).unwrap(), min_grace, None);
        }
    }
}
