use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::fiat::FiatOrder;
use causeway_domain::ports::{OnRamp, RampError, RampReport, RampSession};

use super::FiatError;

/// The providers that are asked, in the operator's order.
#[derive(Clone, Default)]
pub struct Ramps(Vec<Arc<dyn OnRamp>>);

impl Ramps {
    pub const fn new(ramps: Vec<Arc<dyn OnRamp>>) -> Self {
        Self(ramps)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn OnRamp>> {
        self.0.iter()
    }

    pub fn get(&self, provider: &str) -> Option<&Arc<dyn OnRamp>> {
        self.0.iter().find(|ramp| ramp.profile().id == provider)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn find(&self, provider: &str) -> Result<&Arc<dyn OnRamp>, FiatError> {
        // The name goes back to whoever sent it.
        self.get(provider).ok_or_else(|| FiatError::UnknownProvider(provider.chars().take(64).collect()))
    }

    pub(super) async fn checkout(
        &self,
        order: &FiatOrder,
        within: Duration,
    ) -> Result<RampSession, FiatError> {
        let ramp = self.find(&order.provider)?;
        let session = bounded(within, ramp.checkout(order)).await;
        session.map_err(|error| FiatError::Provider { provider: order.provider.clone(), error })
    }

    /// What the order's provider says of it now.
    pub(super) async fn look_up(
        &self,
        order: &FiatOrder,
        within: Duration,
    ) -> Result<Option<RampReport>, RampError> {
        let Some(ramp) = self.get(&order.provider) else {
            return Err(RampError::Unavailable("it is not set up any more".to_owned()));
        };
        bounded(within, ramp.look_up(order)).await
    }
}

impl fmt::Debug for Ramps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|ramp| &ramp.profile().id)).finish()
    }
}

/// A provider's answer, or that it took too long.
pub(super) async fn bounded<T>(
    within: Duration,
    answer: impl Future<Output = Result<T, RampError>>,
) -> Result<T, RampError> {
    match tokio::time::timeout(within, answer).await {
        Ok(answer) => answer,
        Err(_) => Err(RampError::Unavailable(format!("no answer within {} s", within.as_secs()))),
    }
}
