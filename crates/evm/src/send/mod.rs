mod account_key;
mod decide;
mod fee_cache;
mod preflight;
mod sender;
mod sign;
mod snapshot;
mod unsigned;

pub use account_key::EvmAccountKey;
pub use decide::{NextStep, SendPolicy, TxObservation, decide};
pub use sender::{SendError, Sender};
pub use sign::{SignedTx, Signer, SignerError, TxRequest};
#[cfg(any(test, fuzzing))]
pub(crate) use unsigned::{StoredTx, UnsignedTx};
