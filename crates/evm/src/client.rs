use std::sync::Arc;
use std::time::Instant;

use causeway_domain::{ChainId, Family};
use causeway_jsonrpc_client::{EndpointAnswer, EndpointStatus, Http, Pool, PoolError};
use parking_lot::Mutex;
use serde::de::DeserializeOwned;

use crate::config::{ConfigError, EvmConfig};
use crate::error::CallError;
use crate::rpc::{Call, EvmDialect};

/// A JSON-RPC client for one EVM chain. Clones share connections, limits and endpoint health.
#[derive(Clone, Debug)]
pub struct EvmClient(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    chain: ChainId,
    config: EvmConfig,
    pool: Pool,
    /// Until then Multicall3 counts as missing.
    no_multicall_until: Mutex<Option<Instant>>,
}

impl EvmClient {
    /// Creates a client with its own connections. It sends nothing before the first call.
    pub fn new(chain: ChainId, config: EvmConfig) -> Result<Self, ConfigError> {
        Self::with_http(chain, config, &Http::new()?)
    }

    /// Creates a client that shares its connections with others.
    pub fn with_http(chain: ChainId, config: EvmConfig, http: &Http) -> Result<Self, ConfigError> {
        if chain.family() != Family::Evm {
            return Err(ConfigError::NotEvm(chain));
        }
        let pool = Pool::new(Box::new(EvmDialect(chain)), &config.pool, http.clone())?;
        Ok(Self(Arc::new(Inner { chain, config, pool, no_multicall_until: Mutex::new(None) })))
    }

    pub fn chain_id(&self) -> ChainId {
        self.0.chain
    }

    pub(crate) fn config(&self) -> &EvmConfig {
        &self.0.config
    }

    pub(crate) fn no_multicall_until(&self) -> &Mutex<Option<Instant>> {
        &self.0.no_multicall_until
    }

    /// Makes one call, to the best endpoint that answers it.
    pub async fn call<T: DeserializeOwned + Send>(&self, call: Call) -> Result<T, CallError> {
        self.0.pool.call(&call).await.map_err(|error| self.error(error))
    }

    /// Makes many calls in as few requests as the limits allow. Answers are in the order of the calls.
    pub async fn batch<T: DeserializeOwned + Send>(&self, calls: &[Call]) -> Vec<Result<T, CallError>> {
        let answers = self.0.pool.batch(calls).await;
        answers.into_iter().map(|answer| answer.map_err(|error| self.error(error))).collect()
    }

    /// Makes the same call to every endpoint and returns each answer with the endpoint's name.
    pub async fn each<T: DeserializeOwned + Send>(&self, call: &Call) -> Vec<(String, Result<T, CallError>)> {
        let answers = self.each_of(std::slice::from_ref(call)).await;
        let only = |mut answers: Vec<_>| {
            answers
                .pop()
                .unwrap_or_else(|| Err(self.invalid_response(format!("no answer to {}", call.method))))
        };
        answers.into_iter().map(|(host, answers)| (host, only(answers))).collect()
    }

    pub(crate) fn endpoint_count(&self) -> usize {
        self.0.config.pool.endpoints.len()
    }

    /// Like [`EvmClient::each`] with several calls, which each endpoint gets in one batch.
    pub(crate) async fn each_of<T: DeserializeOwned + Send>(
        &self,
        calls: &[Call],
    ) -> Vec<(String, Vec<Result<T, CallError>>)> {
        self.ask_all(calls).await.into_iter().map(|asked| (asked.endpoint, asked.answers)).collect()
    }

    /// Like [`EvmClient::each_of`], with whether each endpoint is trusted.
    pub(crate) async fn ask_all<T: DeserializeOwned + Send>(
        &self,
        calls: &[Call],
    ) -> Vec<EndpointAnswer<T, CallError>> {
        let asked = self.0.pool.each(calls).await.into_iter();
        asked.map(|asked| asked.map_err(|error| self.error(error))).collect()
    }

    /// Reads chain id and newest block from every endpoint, so that wrong and lagging ones rank last.
    pub async fn probe(&self) -> Vec<EndpointStatus> {
        self.0.pool.probe().await
    }

    /// The last known state of the endpoints, without calling them.
    pub fn endpoints(&self) -> Vec<EndpointStatus> {
        self.0.pool.statuses()
    }

    fn error(&self, error: PoolError) -> CallError {
        CallError::of(self.0.chain, error)
    }

    pub(crate) fn invalid_response(&self, message: impl Into<String>) -> CallError {
        CallError::InvalidResponse { chain: self.0.chain, message: message.into() }
    }
}
