//! Keys that sign, and keys that do not: a fake of the port, and servers that answer as remote signers do.

mod fake_forwarding;
mod fake_key;
mod standin;

pub use fake_forwarding::FakeForwardingSigner;
pub use fake_key::FakeKey;
pub use standin::{
    AWS_ACCESS_KEY, AWS_REGION, AWS_SECRET_KEY, Behaviour, GCP_TOKEN, KMS_KEY, SignerStandIn, evm_account,
    solana_account,
};
