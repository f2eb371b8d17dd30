use std::collections::HashMap;

use causeway_domain::{RawAmount, TokenId};

use super::book::Holding;

/// A token of which less than this part of the most ever held is free counts as low.
const LOW: u32 = 200_000;

/// How a holding stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Level {
    #[default]
    Fine,
    Low,
    /// More is promised than held.
    Short,
}

/// Remembers how each holding stood, so that only changes are told.
#[derive(Debug, Default)]
pub(super) struct Watch(HashMap<TokenId, (RawAmount, Level)>);

impl Watch {
    /// The level of a holding if it has changed.
    pub(super) fn change(&mut self, token: TokenId, holding: Holding) -> Option<Level> {
        let (most, before) = self.0.entry(token).or_default();
        *most = holding.held.max(*most);
        let usual = Holding { held: *most, reserved: RawAmount::ZERO };
        let level = if holding.reserved > holding.held {
            Level::Short
        } else if holding.free() < usual.available(LOW) {
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
    fn only_changes_are_told() {
        let token = TokenId::native(ChainId::new(1).unwrap());
        let amount = |units: u64| RawAmount::new(U256::from(units));
        let mut watch = Watch::default();
        for (held, reserved, told) in [
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
            assert_eq!(watch.change(token, holding), told, "{held} {reserved}");
        }
    }
}
