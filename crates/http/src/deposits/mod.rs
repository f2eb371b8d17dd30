pub(crate) mod build_deposit;
mod map_approvals;
mod map_built;
mod map_transfer;
mod read_build_request;
mod read_submit_request;
pub(crate) mod submit_deposit;

pub(crate) use map_built::map_terms;
#[cfg(any(test, fuzzing))]
pub(crate) use {read_build_request::read_build_request, read_submit_request::read_submit_request};
