#![allow(clippy::unwrap_used, reason = "a helper of a test fails like the test")]

mod amounts;
mod image;
mod scan;
mod style;
mod transfers;
