use std::time::{Duration, Instant};

use alloy_primitives::B256;

use super::admit::{self, Refused};
use super::chain::Inner;

/// What tests do to the transactions that come.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Interference {
    pub(crate) drop_next: u64,
    pub(crate) delay_next: u64,
    pub(crate) delay: Duration,
}

enum Fate {
    Pool(Duration),
    Drop,
}

impl Interference {
    fn next(&mut self) -> Fate {
        if self.drop_next > 0 {
            self.drop_next -= 1;
            return Fate::Drop;
        }
        if self.delay_next > 0 {
            self.delay_next -= 1;
            return Fate::Pool(self.delay);
        }
        Fate::Pool(Duration::ZERO)
    }
}

impl Inner {
    /// Takes a raw transaction into the pool.
    pub(crate) fn send(&self, raw: &[u8]) -> Result<B256, Refused> {
        let tx = admit::read(raw, self.chain_id, self.options.allow_unprotected)?;
        let hash = *tx.inner().tx_hash();
        {
            // The pool is locked before the state is read: a block made in between sweeps what it overtook.
            let mut pool = self.pool();
            let world = self.head().world;
            admit::check(&tx, &world, &pool)?;
            match self.interference().next() {
                Fate::Drop => return Ok(hash),
                Fate::Pool(delay) => {
                    let now = Instant::now();
                    pool.insert(tx, now, now + delay)?;
                }
            }
        }
        self.stir();
        Ok(hash)
    }
}
