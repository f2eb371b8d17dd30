#![doc = include_str!("../README.md")]

mod all;
mod deny_list;
mod hook;

pub use all::ScreenChain;
pub use deny_list::{DenyFile, DenyList, DenyListError};
pub use hook::{Hook, HookConfig, HookError};
