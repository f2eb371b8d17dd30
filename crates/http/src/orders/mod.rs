pub(crate) mod get_deposit_address;
pub(crate) mod get_events;
pub(crate) mod get_order;
pub(crate) mod get_orders;
mod map_order;
mod steps;
mod tell_event;

pub use tell_event::tell_event;
