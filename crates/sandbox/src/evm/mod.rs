//! EVM chains: real execution, blocks, a mempool and the JSON-RPC of a node, all in the process.

mod admission;
mod block;
mod chain;
mod change;
mod clock;
mod commitment;
mod control;
mod data_fee;
mod draft;
mod errors;
mod execute;
mod faults;
mod filters;
mod genesis;
mod journal;
mod ledger;
mod options;
mod pending;
mod pool;
mod produce;
mod rpc;
mod submit;
#[cfg(test)]
mod tests;
mod touched;
mod trie;
mod world_state;
mod write;

pub use chain::EvmChain;
pub(crate) use chain::{EvmNode, OWN_NODE};
pub use control::{ControlError, Reorged};
pub(crate) use data_fee::{ARB_GAS_INFO, OP_ORACLE};
pub use faults::{Failing, Faults};
pub use genesis::{Genesis, GenesisAccount};
pub use journal::OpenError;
pub use options::{Options, Timing};
pub use write::Write;
