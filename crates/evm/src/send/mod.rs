mod decide;
mod fee_cache;
mod preflight;
mod sender;
mod sign;
mod snapshot;

pub use decide::{NextStep, SendPolicy, TxObservation, decide};
pub use sender::{SendError, Sender};
pub use sign::{SignedTx, Signer, SignerError, TxRequest};
