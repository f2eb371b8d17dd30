use serde_json::Value;

use crate::EvmTransaction;

/// What the wallet is asked for, once it was held against what was agreed.
#[derive(Debug)]
pub(super) struct Plan {
    /// In order.
    pub(super) deeds: Vec<Deed>,
    /// Typed data to be signed in the end.
    pub(super) permit: Option<Value>,
}

#[derive(Debug)]
pub(super) enum Deed {
    Send(Sending),
    /// The whole transaction with room for the wallet's signature.
    SignSolana(Vec<u8>),
}

#[derive(Debug)]
pub(super) struct Sending {
    pub(super) transaction: EvmTransaction,
    pub(super) deposit: bool,
    /// The chain must confirm it before the next one.
    pub(super) wait: bool,
}
