#![doc = include_str!("../README.md")]

pub mod inventory;
pub mod oif;
pub mod providers;
pub mod remote;
