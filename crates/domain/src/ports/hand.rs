use async_trait::async_trait;
use jiff::Timestamp;

use super::{DeedError, Progress};
use crate::{Decision, Order};

/// What a filler does for the orders that took its offers; one that does all by itself only needs to be told.
#[async_trait]
pub trait Hand: Send + Sync {
    /// The filler's name, as its routes bear it.
    fn name(&self) -> &str;
    /// Somebody was handed this order to deposit for, and may never do so. Sets aside what it takes, as far as the part of
    /// the book that such orders may hold goes.
    async fn hold(&self, order: &Order, now: Timestamp) -> Result<(), DeedError>;
    /// The deposit was seen in a block that may still go. Sets aside what it takes, if there is enough.
    async fn reserve(&self, order: &Order, now: Timestamp) -> Result<(), DeedError>;
    /// The deposit stands: to deliver or to give it back, with the reason why not. Asked again only after an error.
    async fn decide(&self, order: &Order, now: Timestamp) -> Result<(Decision, Option<String>), DeedError>;
    /// Brings the delivery on its way, or tells how far it has come.
    async fn fill(&self, order: &Order, now: Timestamp) -> Result<Progress, DeedError>;
    /// Gives the deposit back.
    async fn waive(&self, order: &Order, now: Timestamp) -> Result<Progress, DeedError>;
    /// Gets paid for the delivery that the order's evidence shows.
    async fn claim(&self, order: &Order, now: Timestamp) -> Result<Progress, DeedError>;
    /// Nothing more will be delivered: frees what was set aside.
    async fn release(&self, order: &Order) -> Result<(), DeedError>;
}
