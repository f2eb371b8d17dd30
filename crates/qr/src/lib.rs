#![doc = include_str!("../README.md")]

mod error;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod modules;
pub mod payload;
mod strokes;
mod style;
mod svg;
mod symbol;

pub use error::Error;
pub use modules::modules;
pub use style::{Style, Theme};
pub use svg::svg;
