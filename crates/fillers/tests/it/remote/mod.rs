//! Fillers elsewhere, over real connections on this machine.

mod bad;
mod checking;
mod document;
mod quoting;
mod server;
mod telling;
