//! Orders over the real binary, with the chains in a process of their own.

mod audit;
mod book;
mod chains;
mod conservation;
mod desk;
mod dice;
mod key;
mod paused;
mod payer;
mod payer_solana;
mod recover;
mod rent;
mod report;
mod restore;
mod solana;
mod solana_books;
mod solana_message;
mod store_away;
mod storm;
mod survive;
mod tally;
mod transfers;
mod weather;
mod wishes;
