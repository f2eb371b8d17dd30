use std::time::{Duration, SystemTime, UNIX_EPOCH};

use alloy_primitives::keccak256;

/// A deterministic random number generator; a failure prints its seed.
#[derive(Clone, Debug)]
pub(super) struct SeededRng {
    state: u64,
}

/// The seed of this run: `CAUSEWAY_SEED`, else another one each time.
pub(super) fn seed() -> u64 {
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos();
    number("CAUSEWAY_SEED").unwrap_or_else(|| u64::try_from(clock() % 1_000_000_007).unwrap())
}

/// A number from the environment.
pub(super) fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

impl SeededRng {
    /// An independent generator per purpose, so that threads do not affect each other's numbers.
    pub(super) fn new(seed: u64, purpose: &str) -> Self {
        let hash = keccak256(format!("{purpose} {seed}"));
        Self { state: u64::from_be_bytes(hash[..8].try_into().unwrap()) }
    }

    /// A number below `sides`.
    pub(super) fn below(&mut self, sides: u64) -> u64 {
        let hash = keccak256(self.state.to_be_bytes());
        self.state = u64::from_be_bytes(hash[..8].try_into().unwrap());
        self.state % sides
    }

    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[usize::try_from(self.below(from.len() as u64)).unwrap()]
    }

    pub(super) fn milliseconds(&mut self, below: u64) -> Duration {
        Duration::from_millis(self.below(below))
    }

    /// The secret of an unused key.
    pub(super) fn secret(&mut self) -> [u8; 32] {
        keccak256([self.below(u64::MAX).to_be_bytes(), *b"a secret"].concat()).0
    }
}
