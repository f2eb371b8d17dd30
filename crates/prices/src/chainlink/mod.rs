//! Prices of Chainlink's aggregator contracts, read on the chains where they lie.

mod reader;
mod round;

pub use reader::{ChainlinkConfig, ChainlinkReader, Feed, Sequencer};
