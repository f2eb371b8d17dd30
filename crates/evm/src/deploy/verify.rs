use alloy_primitives::{Address, Bytes, U256, keccak256};
use alloy_sol_types::SolCall;
use causeway_domain::{Deployment, VaultDeployment};
use serde_json::{Value, json};
use thiserror::Error;

use super::plan::{Plan, vault_address};
use super::runtime_code::step_code;
use crate::blocks::BlockTag;
use crate::client::EvmClient;
use crate::contracts::{AttesterRegistry as Registry, Code};
use crate::error::CallError;
use crate::rpc::Call;

/// Why contracts are not those of the plan.
#[derive(Debug, Error)]
pub enum VerifyError {
    /// The chain does not answer, or its endpoints differ: nothing is known.
    #[error(transparent)]
    Chain(#[from] CallError),
    /// The chain or the record shows something else.
    #[error("{0}")]
    Mismatch(String),
}

impl Plan {
    /// Compares a record with the plan. The plan's addresses commit to code, attesters, threshold and grace.
    pub fn compare(&self, record: &Deployment) -> Result<(), VerifyError> {
        let planned = &self.deployment;
        let differs = |what: &str, recorded: String, planned: String| {
            Err(VerifyError::Mismatch(format!(
                "the record has {what} {recorded}, and the configured attesters, threshold and compiled contracts give {planned}"
            )))
        };
        let addresses = [
            ("Escrow", record.escrow, planned.escrow),
            ("Settler", record.settler, planned.settler),
            ("the attester registry", record.registry, planned.registry),
            ("DepositFactory", record.deposit_factory, planned.deposit_factory),
        ];
        for (what, recorded, planned) in addresses {
            if recorded != planned {
                return differs(what, recorded.to_string(), planned.to_string());
            }
        }
        if record.deposit_code_hash != planned.deposit_code_hash {
            let hashes = (record.deposit_code_hash.to_string(), planned.deposit_code_hash.to_string());
            return differs("the deposit address's code hash", hashes.0, hashes.1);
        }
        if record.min_grace != planned.min_grace {
            return differs("a grace of", record.min_grace.to_string(), planned.min_grace.to_string());
        }
        if record.permit2.is_some() && record.permit2 != planned.permit2 {
            return differs("Permit2", format!("{:?}", record.permit2), format!("{:?}", planned.permit2));
        }
        self.compare_hub(record)
    }

    /// Vaults that the configuration does not name any more stay where they are.
    fn compare_hub(&self, record: &Deployment) -> Result<(), VerifyError> {
        let Some(recorded) = &record.hub else { return Ok(()) };
        let code = Code::load().map_err(|error| VerifyError::Mismatch(error.to_string()))?;
        let is_ours = self.deployment.hub.as_ref().is_some_and(|planned| {
            recorded.intent_book == planned.intent_book && recorded.vault_factory == planned.vault_factory
        });
        let of_factory = |vault: &VaultDeployment| {
            vault.vault == vault_address(&code, recorded.vault_factory, vault.asset)
        };
        if is_ours && recorded.vaults.iter().all(of_factory) {
            return Ok(());
        }
        let words = "the hub's contracts in the record are not those of the compiled contracts";
        Err(VerifyError::Mismatch(words.to_owned()))
    }

    /// Reads code, grace and first epoch from the chain, where the endpoints must agree, and compares them with the plan.
    pub async fn verify(&self, client: &EvmClient) -> Result<(), VerifyError> {
        for step in &self.steps {
            let Some(expected) = step_code(self, step) else { continue };
            let (name, address, chain) = (step.name, step.address, self.deployment.chain);
            let code = client.agreed_code(&format!("the code of {name}"), address).await?;
            if code.is_empty() {
                return Err(VerifyError::Mismatch(format!(
                    "no contract lies at {address} on chain {chain}, where {name} should be: deploy the contracts with `causeway \
                     deploy --chain {chain}`, or put the right record there"
                )));
            }
            if code != expected {
                let (found, wanted) = (keccak256(&code), keccak256(&expected));
                return Err(VerifyError::Mismatch(format!(
                    "the code at {address} on chain {chain} is not that of {name}: its hash is {found}, and that of the \
                     compiled contract is {wanted}"
                )));
            }
        }
        self.verify_first_epoch(client).await
    }

    /// An epoch's members and threshold never change.
    async fn verify_first_epoch(&self, client: &EvmClient) -> Result<(), VerifyError> {
        let (registry, epoch) = (self.deployment.registry, U256::from(1));
        let threshold =
            agreed_view(client, "the attesters' threshold", registry, Registry::thresholdCall { epoch })
                .await?;
        let members =
            agreed_view(client, "the attesters", registry, Registry::attestersCall { epoch }).await?;
        let (chain, terms) = (self.deployment.chain, &self.terms);
        if threshold != U256::from(terms.threshold) || members != terms.attesters {
            return Err(VerifyError::Mismatch(format!(
                "the registry at {registry} on chain {chain} has {threshold} of {members:?} in its first epoch, and the \
                 configuration has {} of {:?}",
                terms.threshold, terms.attesters
            )));
        }
        Ok(())
    }
}

impl EvmClient {
    async fn agreed_code(&self, what: &str, address: Address) -> Result<Bytes, CallError> {
        let call = |tag: BlockTag| Call::new("eth_getCode", json!([address, tag.json()]));
        self.agreed_at_head(what, call, bytes).await
    }
}

async fn agreed_view<C: SolCall + Clone>(
    client: &EvmClient,
    what: &str,
    contract: Address,
    call: C,
) -> Result<C::Return, VerifyError> {
    let data = Bytes::from(call.abi_encode());
    let ask = |tag: BlockTag| Call::new("eth_call", json!([{ "to": contract, "data": data }, tag.json()]));
    let answer = client.agreed_at_head(what, ask, bytes).await?;
    let chain = client.chain_id();
    C::abi_decode_returns(&answer).map_err(|_| {
        VerifyError::Mismatch(format!("the contract at {contract} on chain {chain} does not tell {what}"))
    })
}

fn bytes(answer: &Value) -> Option<Bytes> {
    serde_json::from_value(answer.clone()).ok()
}
