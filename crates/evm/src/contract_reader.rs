use alloy_primitives::Bytes;
use async_trait::async_trait;
use causeway_domain::ports::{ChainError, ContractCall, ContractReader};
use causeway_domain::{Address, ChainId};
use serde_json::json;

use crate::client::EvmClient;
use crate::error::CallError;
use crate::rpc::Call;

#[async_trait]
impl ContractReader for EvmClient {
    fn chain(&self) -> ChainId {
        self.chain_id()
    }

    async fn read(&self, calls: &[ContractCall]) -> Result<Vec<Option<Vec<u8>>>, ChainError> {
        let ask = |call: &ContractCall| {
            let Address::Evm(to) = call.to else {
                let message = format!("{} is not an address of this chain", call.to);
                return Err(ChainError::Refused(self.chain_id(), message));
            };
            let data = Bytes::copy_from_slice(&call.data);
            Ok(Call::new("eth_call", json!([{ "to": to, "data": data }, "latest"])))
        };
        let calls = calls.iter().map(ask).collect::<Result<Vec<_>, _>>()?;
        let answers: Vec<Result<Bytes, CallError>> = self.batch(&calls).await;
        let answer = |answer: Result<Bytes, CallError>| match answer {
            Ok(bytes) => Ok(Some(bytes.to_vec())),
            // A revert is an answer of the contract, not a failure of the chain.
            Err(CallError::Refused { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        };
        answers.into_iter().map(answer).collect()
    }
}
