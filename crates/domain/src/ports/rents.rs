use async_trait::async_trait;

use super::ChainError;
use crate::{Address, ChainId, IntentTerms, RentedAccount};

/// The state of a rented account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RentState {
    /// It was closed or never created.
    Closed,
    /// The order is open.
    InUse,
    /// It can be closed once time allows; `payer` receives the rent.
    Closable { payer: Address },
}

/// Reads the state of rented accounts.
#[async_trait]
pub trait RentReader: Send + Sync {
    fn chain(&self) -> ChainId;
    /// The state of each account, in the order of the request, in a final block not before the given one.
    async fn rents(
        &self,
        asked: &[(IntentTerms, RentedAccount)],
        not_before: u64,
    ) -> Result<Vec<RentState>, ChainError>;
}
