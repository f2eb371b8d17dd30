//! Orders over the real binary, with the chains in a process of their own.

mod audit;
mod chains;
mod desk;
mod dice;
mod key;
mod payer;
mod payer_solana;
mod solana;
mod solana_books;
mod solana_message;
mod survive;
mod tally;
mod transfers;
mod weather;
mod wishes;
