use std::fmt;
use std::sync::Arc;

use causeway_domain::ports::{Filler, FillerRecord, OrderExecutor};

/// A filler that can be asked for quotes, and the executor of its orders.
#[derive(Clone)]
pub struct MadeFiller {
    pub filler: Arc<dyn Filler>,
    pub executor: Arc<dyn OrderExecutor>,
}

impl fmt::Debug for MadeFiller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MadeFiller").field(&self.filler.name()).finish()
    }
}

/// Creates fillers from their records.
pub trait MakeFiller: Send + Sync {
    /// The filler and its executor, both with the record's name; or what is wrong with the record, for the operator. Opens no
    /// connection.
    fn make(&self, record: &FillerRecord) -> Result<MadeFiller, String>;
}
