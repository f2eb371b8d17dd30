mod decide;
mod look;
mod market;
mod sender;
mod sign;
mod try_out;

pub use decide::{Next, Seen, SendPolicy, decide};
pub use sender::{SendError, Sender};
pub use sign::{SignedTx, Signer, SignerError, TxRequest};
