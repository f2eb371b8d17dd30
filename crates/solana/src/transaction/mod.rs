mod build;
mod decide;
mod error_text;
mod fees;
mod land;
mod signed;
mod simulate;
mod status;

pub use self::build::{BuildError, MAX_TRANSACTION_BYTES, RecentBlockhash, UnsignedTransaction};
pub use self::decide::{Decision, Observation, decide};
pub(crate) use self::error_text::explain;
pub(crate) use self::fees::COMPUTE_BUDGET;
pub use self::fees::{compute_unit_limit, compute_unit_price};
pub use self::land::{Landing, SendError};
pub use self::signed::{SignedError, SignedTransaction};
pub use self::simulate::Simulation;
pub use self::status::SignatureStatus;
