//! Remote fillers, over real connections on this machine.

mod bad_responses;
mod checking;
mod openapi;
mod order_notices;
mod quoting;
mod server;
