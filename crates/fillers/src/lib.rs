#![doc = include_str!("../README.md")]

#[cfg(any(test, fuzzing))]
pub mod fuzzing;
pub mod inventory;
pub mod oif;
pub mod providers;
pub mod remote;
