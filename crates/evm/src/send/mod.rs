mod decide;
mod sender;
mod sign;

pub use decide::{Next, Seen, SendPolicy, decide};
pub use sender::{SendError, Sender};
pub use sign::{SignedTx, Signer, SignerError, TxRequest};
