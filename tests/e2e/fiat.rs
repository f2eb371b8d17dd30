//! Fiat purchases over the real binary with the sandbox providers, paid through their forms.

mod buyer;
mod crashes;
mod operations;
mod refusals;
