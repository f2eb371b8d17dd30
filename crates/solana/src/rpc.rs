use std::num::NonZeroUsize;
use std::sync::Arc;

use causeway_jsonrpc_client::{Dialect, EndpointAnswer, EndpointStatus, ErrorKind, ErrorObject, Http, Pool};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

pub(crate) use causeway_jsonrpc_client::{Call, shorten};

use crate::{RpcConfig, RpcError, SetupError};

const QUORUM: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);

/// A Solana client that uses the healthiest of several endpoints and fails over to the next.
#[derive(Clone, Debug)]
pub struct SolanaRpc(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    config: RpcConfig,
    pool: Pool,
}

impl SolanaRpc {
    /// Does not connect; the genesis hash of an endpoint is verified on its first use.
    pub fn new(config: RpcConfig) -> Result<Self, SetupError> {
        let dialect = SolanaDialect { genesis: config.genesis.clone() };
        let pool = Pool::new(Box::new(dialect), &config.pool, Http::new()?)?;
        Ok(Self(Arc::new(Inner { config, pool })))
    }

    /// The last known state of each endpoint, in the configured order.
    pub fn endpoints(&self) -> Vec<EndpointStatus> {
        self.0.pool.statuses()
    }

    /// Reads genesis hash and newest slot of every endpoint, so that wrong and lagging ones rank last.
    pub async fn probe(&self) -> Vec<EndpointStatus> {
        self.0.pool.probe().await
    }

    /// Calls a method and reads its result as `T`.
    pub async fn call<T: DeserializeOwned>(
        &self,
        method: &'static str,
        params: Value,
    ) -> Result<T, RpcError> {
        Ok(self.0.pool.call(&Call { method, params }).await?)
    }

    pub(crate) fn config(&self) -> &RpcConfig {
        &self.0.config
    }

    /// Makes one call; a response that `check` rejects counts as the endpoint's fault.
    pub(crate) async fn request<W: DeserializeOwned, T>(
        &self,
        call: Call,
        check: impl Fn(W) -> Result<T, String>,
    ) -> Result<T, RpcError> {
        Ok(self.0.pool.call_checked(&call, check).await?)
    }

    /// Makes several calls in as few requests as allowed. `check` also gets the index of the call.
    pub(crate) async fn request_batch<W: DeserializeOwned, T>(
        &self,
        calls: &[Call],
        check: impl Fn(usize, W) -> Result<T, String>,
    ) -> Result<Vec<T>, RpcError> {
        let answers = self.0.pool.batch_checked(calls, check).await;
        Ok(answers.into_iter().collect::<Result<_, _>>()?)
    }

    /// Calls every endpoint of the chain once, for what must reach or be confirmed by several nodes.
    pub(crate) async fn request_all_endpoints<T: DeserializeOwned>(
        &self,
        call: Call,
    ) -> Vec<Result<T, RpcError>> {
        self.ask_all(&[call]).await.into_iter().flat_map(|asked| asked.answers).collect()
    }

    /// The same with several calls, and with each endpoint's name and whether it is trusted.
    pub(crate) async fn ask_all<T: DeserializeOwned>(
        &self,
        calls: &[Call],
    ) -> Vec<EndpointAnswer<T, RpcError>> {
        self.0.pool.each(calls).await.into_iter().map(|asked| asked.map_err(RpcError::from)).collect()
    }

    /// How many endpoints must agree before money leaves (rule 27): two, or the only one there is.
    pub(crate) fn quorum(&self) -> NonZeroUsize {
        NonZeroUsize::new(self.0.config.pool.endpoints.len()).map_or(QUORUM, |count| count.min(QUORUM))
    }

    /// Whether the chain is known through one endpoint alone, and the operator has not said that it is trusted.
    pub fn rests_on_one_endpoint(&self) -> bool {
        matches!(self.endpoints().as_slice(), [only] if !only.trusted)
    }
}

/// The JSON-RPC of Solana nodes.
#[derive(Debug)]
struct SolanaDialect {
    genesis: String,
}

impl Dialect for SolanaDialect {
    fn identity_call(&self) -> Call {
        Call::new("getGenesisHash", json!([]))
    }

    fn served_chain(&self, answer: &Value) -> Option<String> {
        answer.as_str().map(str::to_owned)
    }

    fn expected_chain(&self) -> String {
        self.genesis.clone()
    }

    fn head_call(&self) -> Call {
        Call::new("getSlot", json!([{ "commitment": "processed" }]))
    }

    fn head(&self, answer: &Value) -> Option<u64> {
        answer.as_u64()
    }

    fn classify(&self, error: &ErrorObject) -> ErrorKind {
        match error.code {
            429 | -32_429 => ErrorKind::RateLimited,
            -32_601 => ErrorKind::Unsupported,
            // Preflight failed; bad signature; skipped slot; bad signature count; version; malformed request or
            // parameters.
            -32_002 | -32_003 | -32_007 | -32_009 | -32_013 | -32_015 | -32_600 | -32_602 | -32_700 => {
                ErrorKind::Refusal
            }
            // The node lags, is unhealthy or lacks that history; an unknown code may mean the same.
            _ => ErrorKind::Transient,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lagging_node_is_skipped_and_a_refusal_is_final() {
        let dialect = SolanaDialect { genesis: String::new() };
        let of = |code: i64| dialect.classify(&ErrorObject { code, message: String::new(), data: None });
        for code in [-32_004, -32_005, -32_014, -32_016, -32_603, 1, i64::MIN] {
            assert_eq!(of(code), ErrorKind::Transient, "{code}");
        }
        for code in [-32_002, -32_003, -32_602] {
            assert_eq!(of(code), ErrorKind::Refusal, "{code}");
        }
        assert_eq!(of(429), ErrorKind::RateLimited);
        assert_eq!(of(-32_601), ErrorKind::Unsupported);
    }
}
