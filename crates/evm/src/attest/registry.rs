use alloy_primitives::{Address, U256};
use alloy_sol_types::SolCall;
use async_trait::async_trait;
use causeway_domain::ChainId;
use causeway_domain::ports::{AttesterRegistry, ChainError, EpochAttesters};
use futures::future::try_join_all;

use crate::contracts::AttesterRegistry as Registry;
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

    /// What most endpoints answer: one alone does not say who may sign (rule 27).
    async fn read<C: SolCall>(&self, call: C) -> Result<C::Return, CallError> {
        let answer = self.client.prevailing_call(self.registry, &call.abi_encode().into()).await?;
        C::abi_decode_returns(&answer)
            .map_err(|_| self.client.invalid_response("the attester registry's answer is unreadable"))
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
