mod desk;
pub(crate) mod get_attestations;

pub use desk::AttestationDesk;
