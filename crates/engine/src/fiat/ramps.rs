use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::TokenId;
use causeway_domain::fiat::{FiatAsk, FiatOrder};
use causeway_domain::ports::{OnRamp, RampError, RampReport, RampSession};

use super::FiatError;
use crate::pauses::Pauses;

/// The providers that are asked, in the operator's order.
#[derive(Clone, Default)]
pub struct Ramps {
    ramps: Vec<Arc<dyn OnRamp>>,
    pauses: Arc<Pauses>,
}

impl Ramps {
    pub fn new(ramps: Vec<Arc<dyn OnRamp>>) -> Self {
        Self { ramps, pauses: Arc::default() }
    }

    /// The same, of which nothing new is asked that an operator has paused.
    #[must_use]
    pub fn heeding(self, pauses: Arc<Pauses>) -> Self {
        Self { pauses, ..self }
    }

    /// Why nothing new is bought from a provider.
    pub fn paused(&self, provider: &str) -> Option<String> {
        self.pauses.of_on_ramp(provider)
    }

    /// Whether a new purchase may begin.
    pub(super) fn check_open(&self, provider: &str, tokens: &[TokenId]) -> Result<(), FiatError> {
        self.find(provider)?;
        self.paused(provider).map_or(Ok(()), |words| Err(FiatError::ProviderPaused(words)))?;
        self.check_tokens(tokens)
    }

    /// Whether anything new may begin with these tokens.
    pub(super) fn check_tokens(&self, tokens: &[TokenId]) -> Result<(), FiatError> {
        self.pauses.of_tokens(tokens).map_or(Ok(()), |words| Err(FiatError::Paused(words)))
    }

    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn OnRamp>> {
        self.ramps.iter()
    }

    pub fn get(&self, provider: &str) -> Option<&Arc<dyn OnRamp>> {
        self.ramps.iter().find(|ramp| ramp.profile().id == provider)
    }

    pub fn is_empty(&self) -> bool {
        self.ramps.is_empty()
    }

    pub(super) fn find(&self, provider: &str) -> Result<&Arc<dyn OnRamp>, FiatError> {
        // The name goes back to whoever sent it.
        self.get(provider).ok_or_else(|| FiatError::UnknownProvider(provider.chars().take(64).collect()))
    }

    pub(super) async fn checkout(
        &self,
        order: &FiatOrder,
        ask: Option<&FiatAsk>,
        within: Duration,
    ) -> Result<RampSession, FiatError> {
        let ramp = self.find(&order.provider)?;
        let session = bounded(within, ramp.checkout(order, ask)).await;
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
        f.debug_list().entries(self.ramps.iter().map(|ramp| ramp.profile().id.clone())).finish()
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
