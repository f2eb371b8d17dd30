#![doc = include_str!("../README.md")]

mod http;
pub mod sandbox;
pub mod signature;
