//! Orders over the real binary, with the chains in a process of their own.

mod audit;
mod chains;
mod desk;
mod dice;
mod payer;
mod survive;
mod tally;
mod transfers;
mod weather;
