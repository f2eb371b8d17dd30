//! Two sandbox providers: services with their own journal, hosted checkout pages, transfers on the sandbox
//! chains and signed webhooks. The messages of the checkout pages to the embedding window:
#![doc = include_str!("EVENTS.md")]

mod api;
mod checkout;
mod deliver;
mod journal;
mod notify;
mod plan;
mod price;
mod provider;
mod purchases;
mod ramp;
mod secrets;
mod session;
mod switches;
mod wire;

pub use journal::JournalError;
pub use plan::SandboxPlan;
pub use provider::{PaymentDelays, RampsError, SandboxRamps, SandboxSettings};
pub use ramp::SandboxRamp;
#[cfg(any(test, fuzzing))]
pub(crate) use ramp::read_event;
pub use switches::{Switches, WebhookSwitches};
