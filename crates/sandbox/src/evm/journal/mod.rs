mod file;
mod load;
mod record;

pub(crate) use file::Journal;
pub use load::OpenError;
pub(crate) use load::open;
pub(crate) use record::Record;
