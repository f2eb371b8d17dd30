//! Two providers for play money: services of their own, with a journal, hosted checkout pages, real transfers on the play
//! chains and signed webhooks. What the pages tell the window around them:
#![doc = include_str!("EVENTS.md")]

mod api;
mod book;
mod checkout;
mod deliver;
mod journal;
mod notify;
mod plan;
mod price;
mod provider;
mod ramp;
mod secrets;
mod session;
mod switches;
mod wire;

pub use journal::JournalError;
pub use plan::SandboxPlan;
pub use provider::{Pace, RampsError, SandboxRamps, SandboxSettings};
pub use ramp::SandboxRamp;
pub use switches::{Switches, WebhookSwitches};
