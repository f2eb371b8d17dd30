use serde::{Deserialize, Serialize};

/// The commitment level of a read; later variants are stronger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Commitment {
    /// The newest block of the node, which may be on an abandoned fork.
    Processed,
    /// Voted for by a supermajority.
    Confirmed,
    /// Rooted; it cannot be reverted.
    Finalized,
}

/// A value with the slot at which the node read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtSlot<T> {
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
