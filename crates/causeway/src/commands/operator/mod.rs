//! The commands of those who run a service, over its operator's door.

mod door;
pub(crate) mod token;

pub(crate) use door::{Door, OperatorArgs, operate};
