//! The committed program in a virtual machine: every instruction, and every way to be refused.

mod attesters;
mod bench;
mod claiming;
mod closing;
mod filling;
mod handed_data;
mod jumping;
mod opening;
mod random;
mod refunding;
mod tokens;
mod transfers;
