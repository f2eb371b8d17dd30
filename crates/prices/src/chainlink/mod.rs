//! Chainlink prices, read from aggregator contracts on their chains.

mod reader;
mod round;

pub use reader::{ChainlinkConfig, ChainlinkReader, Feed, Sequencer};
