#![doc = include_str!("../README.md")]

mod fixed;
mod sandbox;

pub use fixed::FixedPrices;
pub use sandbox::sandbox_price;
