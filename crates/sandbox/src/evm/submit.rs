use std::time::{Duration, Instant};

use alloy_primitives::B256;

use super::admission::{self, AdmissionError};
use super::block::next_base_fee;
use super::chain::Inner;

/// Faults that tests inject into submitted transactions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TxFaults {
    pub(crate) drop_next: u64,
    pub(crate) delay_next: u64,
    pub(crate) delay: Duration,
}

enum TxHandling {
    Pool(Duration),
    Drop,
}

impl TxFaults {
    fn next(&mut self) -> TxHandling {
        if self.drop_next > 0 {
            self.drop_next -= 1;
            return TxHandling::Drop;
        }
        if self.delay_next > 0 {
            self.delay_next -= 1;
            return TxHandling::Pool(self.delay);
        }
        TxHandling::Pool(Duration::ZERO)
    }
}

impl Inner {
    /// Adds a raw transaction to the pool.
    pub(crate) fn send(&self, raw: &[u8]) -> Result<B256, AdmissionError> {
        let tx = admission::read(raw, self.chain_id, self.options.allow_unprotected)?;
        let hash = *tx.inner().tx_hash();
        {
            // The pool is locked before the state is read, so that a block made in between removes what it included.
            let mut pool = self.pool.lock();
            let head = self.head();
            let base_fee = next_base_fee(&head.block.header, self.options.min_base_fee);
            admission::check(&tx, &head.world, base_fee, &pool)?;
            match self.tx_faults.lock().next() {
                TxHandling::Drop => return Ok(hash),
                TxHandling::Pool(delay) => {
                    let now = Instant::now();
                    pool.insert(tx, now, now + delay)?;
                }
            }
        }
        self.mark_active();
        Ok(hash)
    }
}
