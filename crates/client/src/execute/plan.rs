use alloy_primitives::Address;
use serde_json::Value;

use super::effects::Effects;
use crate::EvmTransaction;

/// The checked actions for the wallet.
#[derive(Debug)]
pub(super) struct Plan {
    /// In order.
    pub(super) actions: Vec<WalletAction>,
    /// Typed data to sign after the actions, in order. The signatures are submitted as one.
    pub(super) permits: Vec<Value>,
    /// A contract that gets the input, and that 0x's registry must name.
    pub(super) settler: Option<Address>,
    /// What the transaction of a provider may do.
    pub(super) effects: Option<Effects>,
}

#[derive(Debug)]
pub(super) enum WalletAction {
    Send(SendTransaction),
    /// The whole transaction with an empty signature slot.
    SignSolana(Vec<u8>),
}

#[derive(Debug)]
pub(super) struct SendTransaction {
    pub(super) transaction: EvmTransaction,
    pub(super) deposit: bool,
    /// Wait for its receipt before the next action.
    pub(super) wait: bool,
}
