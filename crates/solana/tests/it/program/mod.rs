//! The committed programs in a virtual machine: every instruction, and every way to be refused.

mod attesters;
mod batch_claiming;
mod claiming;
mod closing;
mod exchange;
mod filling;
mod fixture;
mod forwarding;
mod instruction_data;
mod opening;
mod random;
mod refunding;
mod sweeping;
mod tokens;
