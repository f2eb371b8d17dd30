use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::TokenId;
use causeway_domain::fiat::{FiatAsk, FiatOrder, QuoteFirmness};
use causeway_domain::ports::{OnRamp, RampError, RampReport, RampSession};

use super::FiatError;
use super::ramp_health::{RampHealth, RampHealths};
use crate::pauses::Pauses;

/// The providers that are asked, in the operator's order.
#[derive(Clone, Default)]
pub struct Ramps {
    providers: Vec<Arc<dyn OnRamp>>,
    pauses: Arc<Pauses>,
    healths: Arc<RampHealths>,
}

impl Ramps {
    pub fn new(providers: Vec<Arc<dyn OnRamp>>) -> Self {
        Self { providers, pauses: Arc::default(), healths: Arc::default() }
    }

    /// Providers and tokens that an operator has paused are not offered.
    #[must_use]
    pub fn with_pauses(self, pauses: Arc<Pauses>) -> Self {
        Self { pauses, ..self }
    }

    /// Why nothing new is bought from a provider.
    pub fn paused(&self, provider: &str) -> Option<String> {
        self.pauses.reason_for_on_ramp(provider)
    }

    /// Whether a new purchase may start.
    pub(super) fn check_open(&self, provider: &str, tokens: &[TokenId]) -> Result<(), FiatError> {
        self.find(provider)?;
        self.paused(provider).map_or(Ok(()), |reason| Err(FiatError::ProviderPaused(reason)))?;
        self.check_tokens(tokens)
    }

    /// Whether anything new may start with these tokens.
    pub(super) fn check_tokens(&self, tokens: &[TokenId]) -> Result<(), FiatError> {
        self.pauses.reason_for_tokens(tokens).map_or(Ok(()), |reason| Err(FiatError::Paused(reason)))
    }

    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn OnRamp>> {
        self.providers.iter()
    }

    pub fn get(&self, provider: &str) -> Option<&Arc<dyn OnRamp>> {
        self.providers.iter().find(|ramp| ramp.profile().id == provider)
    }

    /// How much less than it sold may arrive from a provider for a purchase to be complete, in hundredths of a percent. One that
    /// is not configured any more gets the tolerance of a firm quote.
    pub(super) fn tolerance_bps(&self, provider: &str) -> u16 {
        self.get(provider).map_or(QuoteFirmness::Firm, |ramp| ramp.profile().firmness).tolerance_bps()
    }

    /// How each provider has answered since the start, in the operator's order.
    pub fn health(&self) -> Vec<(String, RampHealth)> {
        let health = |ramp: &Arc<dyn OnRamp>| {
            let id = ramp.profile().id.clone();
            let health = self.healths.of(&id);
            (id, health)
        };
        self.providers.iter().map(health).collect()
    }

    pub(super) fn healths(&self) -> &RampHealths {
        &self.healths
    }

    pub fn is_empty(&self) -> bool {
        self.providers.is_empty()
    }

    pub(super) fn find(&self, provider: &str) -> Result<&Arc<dyn OnRamp>, FiatError> {
        // Truncated, because it is returned to the client.
        self.get(provider).ok_or_else(|| FiatError::UnknownProvider(provider.chars().take(64).collect()))
    }

    pub(super) async fn checkout(
        &self,
        order: &FiatOrder,
        ask: Option<&FiatAsk>,
        within: Duration,
    ) -> Result<RampSession, FiatError> {
        let ramp = self.find(&order.provider)?;
        let session = with_timeout(within, ramp.checkout(order, ask)).await;
        self.healths.count(&order.provider, &session);
        session.map_err(|error| FiatError::Provider { provider: order.provider.clone(), error })
    }

    /// The provider's current report of an order.
    pub(super) async fn look_up(
        &self,
        order: &FiatOrder,
        within: Duration,
    ) -> Result<Option<RampReport>, RampError> {
        let Some(ramp) = self.get(&order.provider) else {
            return Err(RampError::Unavailable("it is no longer configured".to_owned()));
        };
        let report = with_timeout(within, ramp.look_up(order)).await;
        self.healths.count(&order.provider, &report);
        report
    }
}

impl fmt::Debug for Ramps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.providers.iter().map(|ramp| ramp.profile().id.clone())).finish()
    }
}

/// Fails if a provider does not answer in time.
pub(super) async fn with_timeout<T>(
    within: Duration,
    answer: impl Future<Output = Result<T, RampError>>,
) -> Result<T, RampError> {
    match tokio::time::timeout(within, answer).await {
        Ok(answer) => answer,
        Err(_) => Err(RampError::Unavailable(format!("no answer within {} s", within.as_secs()))),
    }
}
