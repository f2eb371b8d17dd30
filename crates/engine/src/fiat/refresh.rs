use std::sync::Arc;

use causeway_domain::FiatOrderId;
use causeway_domain::fiat::FiatOrder;

use super::{FiatError, WorkFiat};

/// Refreshes one purchase before it is shown.
#[derive(Clone, Debug)]
pub struct RefreshFiat {
    work: Arc<WorkFiat>,
}

impl RefreshFiat {
    pub const fn new(work: Arc<WorkFiat>) -> Self {
        Self { work }
    }

    /// The purchase after asking the provider and the chains; as stored if they do not answer.
    pub async fn refresh(&self, id: &FiatOrderId) -> Result<FiatOrder, FiatError> {
        self.work.refresh(id).await
    }
}
