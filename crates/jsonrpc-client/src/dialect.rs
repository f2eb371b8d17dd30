use std::fmt;

use serde_json::Value;

use crate::wire::{Call, ErrorObject};

/// What a JSON-RPC error means for the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The chain refuses; every other endpoint would refuse too.
    Refusal,
    /// Another endpoint, or the same one later, may answer.
    Transient,
    RateLimited,
    /// The endpoint does not support the method, or not in batches.
    Unsupported,
}

/// What differs between families of chains.
pub trait Dialect: fmt::Debug + Send + Sync {
    /// The call that shows which chain an endpoint serves.
    fn identity_call(&self) -> Call;

    /// The chain that an answer to the identity call names, as shown to people; `None` if the answer has another form.
    fn served_chain(&self, answer: &Value) -> Option<String>;

    /// What [`Dialect::served_chain`] must be.
    fn expected_chain(&self) -> String;

    /// The call for the number of an endpoint's newest block.
    fn head_call(&self) -> Call;

    fn head(&self, answer: &Value) -> Option<u64>;

    fn classify(&self, error: &ErrorObject) -> ErrorKind;
}
