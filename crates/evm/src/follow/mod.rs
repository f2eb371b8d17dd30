mod config;
mod follower;
mod rhythm;
mod source;
mod tracker;

pub use config::{Finality, FollowConfig, Start};
pub use follower::{BlockEvent, Follower};
pub use source::BlockSource;
pub use tracker::{AncestorSearch, BlockRelation, Tracker};
