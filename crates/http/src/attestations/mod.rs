mod cache;
pub(crate) mod get_attestations;

pub use cache::AttestationCache;
