use serde::{Deserialize, Serialize};

/// How sure the chain is of what it says; later ones are surer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Commitment {
    /// The node's own newest block, which may lie on a fork that dies.
    Processed,
    /// Voted for by a supermajority.
    Confirmed,
    /// Rooted; it does not go back.
    Finalized,
}

/// A value together with the slot at which the node looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen<T> {
    pub slot: u64,
    pub value: T,
}

#[derive(Deserialize)]
pub(crate) struct Contextual<T> {
    pub(crate) context: Context,
    pub(crate) value: T,
}

#[derive(Deserialize)]
pub(crate) struct Context {
    pub(crate) slot: u64,
}
