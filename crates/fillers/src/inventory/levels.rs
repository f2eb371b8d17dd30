use std::collections::HashMap;

use causeway_domain::{RawAmount, TokenId};

use super::book::Holding;

/// A token counts as low when less than this share of its highest balance is free, in millionths.
const LOW_SHARE: u32 = 200_000;

/// The level of a holding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Level {
    #[default]
    Fine,
    Low,
    /// More is reserved than held.
    Short,
}

/// Remembers the level of each holding, so that only changes are logged.
#[derive(Debug, Default)]
pub(super) struct LevelTracker(HashMap<TokenId, (RawAmount, Level)>);

impl LevelTracker {
    /// The new level of a holding, if it has changed.
    pub(super) fn update(&mut self, token: TokenId, holding: Holding) -> Option<Level> {
        let (peak, before) = self.0.entry(token).or_default();
        *peak = holding.held.max(*peak);
        let highest = Holding { held: *peak, reserved: RawAmount::ZERO };
        let level = if holding.reserved > holding.held {
            Level::Short
        } else if holding.free() < highest.available(LOW_SHARE) {
            Level::Low
        } else {
            Level::Fine
        };
        let changed = level != *before;
        *before = level;
        changed.then_some(level)
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::U256;
    use causeway_domain::ChainId;

    use super::*;

    #[test]
    fn only_changes_are_reported() {
        let token = TokenId::native(ChainId::new(1).unwrap());
        let amount = |units: u64| RawAmount::new(U256::from(units));
        let mut levels = LevelTracker::default();
        for (held, reserved, expected) in [
            (0, 0, None),
            (100, 0, None),
            (100, 80, None),
            (100, 81, Some(Level::Low)),
            (90, 75, None),
            (90, 91, Some(Level::Short)),
            (1_000, 100, Some(Level::Fine)),
            (150, 0, Some(Level::Low)),
        ] {
            let holding = Holding { held: amount(held), reserved: amount(reserved) };
            assert_eq!(levels.update(token, holding), expected, "{held} {reserved}");
        }
    }
}
