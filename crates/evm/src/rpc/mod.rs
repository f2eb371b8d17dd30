mod dialect;

pub use causeway_jsonrpc_client::Call;
pub(crate) use dialect::{EvmDialect, revert_data};
