use std::fmt;
use std::sync::Arc;

use causeway_domain::ports::{Filler, FillerRecord, Hand};

/// A filler ready to be asked, and its hand for the orders that take its offers.
#[derive(Clone)]
pub struct MadeFiller {
    pub filler: Arc<dyn Filler>,
    pub hand: Arc<dyn Hand>,
}

impl fmt::Debug for MadeFiller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MadeFiller").field(&self.filler.name()).finish()
    }
}

/// Makes fillers of what was told about them.
pub trait MakeFiller: Send + Sync {
    /// The filler and its hand, both under the record's name; or what is wrong with the record, for the operator. Connects to
    /// nobody.
    fn make(&self, record: &FillerRecord) -> Result<MadeFiller, String>;
}
