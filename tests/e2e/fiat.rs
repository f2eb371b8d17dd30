//! Buying with fiat over the real binary: the play providers behind it, and a payer who fills their forms in.

mod buyer;
mod operations;
mod refusals;
mod survive;
