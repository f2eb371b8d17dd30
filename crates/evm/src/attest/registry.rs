use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::SolCall;
use async_trait::async_trait;
use causeway_domain::ChainId;
use causeway_domain::ports::{AttesterRegistry, ChainError, EpochAttesters};
use causeway_jsonrpc_client::prevailing;
use futures::future::try_join_all;
use serde_json::json;

use crate::contracts::AttesterRegistry as Registry;
use crate::rpc::Call;
use crate::{CallError, EvmClient};

/// Reads the attester registry of an EVM chain.
#[derive(Clone, Debug)]
pub struct EvmAttesterRegistry {
    client: EvmClient,
    registry: Address,
}

impl EvmAttesterRegistry {
    pub const fn new(client: EvmClient, registry: Address) -> Self {
        Self { client, registry }
    }

    async fn read<C: SolCall>(&self, call: C) -> Result<C::Return, CallError> {
        let answer = self.prevailing_answer(&call.abi_encode().into()).await?;
        C::abi_decode_returns(&answer)
            .map_err(|_| self.client.invalid_response("the attester registry's answer is unreadable"))
    }
}

impl EvmAttesterRegistry {
    /// What most endpoints answer: one alone does not say who may sign (rule 27).
    async fn prevailing_answer(&self, data: &Bytes) -> Result<Bytes, CallError> {
        let call = Call::new("eth_call", json!([{ "to": self.registry, "data": data }, "latest"]));
        if self.client.endpoint_count() < 2 {
            return self.client.call(call).await;
        }
        let (mut shown, mut fault) = (Vec::new(), None);
        for asked in self.client.ask_all::<Bytes>(&[call]).await {
            match asked.answers.into_iter().next() {
                Some(Ok(answer)) => shown.push((asked.trusted, Some(answer))),
                Some(Err(error)) => fault = Some(error),
                None => {}
            }
        }
        let too_few = || self.client.invalid_response("too few endpoints show the attester registry alike");
        prevailing(self.client.quorum(), shown).ok_or_else(|| fault.unwrap_or_else(too_few))
    }
}

#[async_trait]
impl AttesterRegistry for EvmAttesterRegistry {
    fn chain(&self) -> ChainId {
        self.client.chain_id()
    }

    async fn epoch_attesters(&self, epoch: u64) -> Result<EpochAttesters, ChainError> {
        let epoch = U256::from(epoch);
        let (threshold, members) = tokio::try_join!(
            self.read(Registry::thresholdCall { epoch }),
            self.read(Registry::attestersCall { epoch }),
        )?;
        let standing =
            members.iter().map(|account| self.read(Registry::isAttesterCall { epoch, account: *account }));
        let standing = try_join_all(standing).await?;
        let members =
            members.into_iter().zip(standing).filter_map(|(member, counts)| counts.then_some(member));
        let threshold = usize::try_from(threshold)
            .map_err(|_| self.client.invalid_response("the attester registry's threshold is unreadable"))?;
        Ok(EpochAttesters { threshold, members: members.collect() })
    }
}
