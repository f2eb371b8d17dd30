use std::time::Duration;

use alloy_primitives::{Address, B256, U256, b256, keccak256};
use alloy_sol_types::SolCall as _;
use causeway_domain::{Deployment, IntentTerms};
use serde_json::json;
use thiserror::Error;
use tokio::time::{Instant, sleep};

use super::permit2::is_permit2;
use super::plan::{CREATE2_DEPLOYER, Plan, Step};
use crate::blocks::{BlockTag, Receipt};
use crate::client::EvmClient;
use crate::contracts::{DepositFactory, Order};
use crate::error::CallError;
use crate::rpc::Call;
use crate::send::{Signer, SignerError, TxRequest};

/// The hash of the proxy's code, the same on every chain.
const CREATE2_DEPLOYER_HASH: B256 = b256!("2fa86add0aed31f33a762c9d88e807c475bd51d0f52bd0955754b2608f7e4989");

/// The gas of the probe's refund; the factory requires some for every token.
const PROBE_GAS: u64 = 900_000;

const POLL: Duration = Duration::from_millis(50);

#[derive(Debug, Error)]
pub enum DeployError {
    #[error(transparent)]
    Call(#[from] CallError),
    #[error(transparent)]
    Signer(#[from] SignerError),
    #[error(
        "the deployment proxy {CREATE2_DEPLOYER} is not on this chain; it comes with a transaction that anybody may \
         send once, described at github.com/Arachnid/deterministic-deployment-proxy"
    )]
    NoProxy,
    #[error("{name} reverted in {hash}")]
    Reverted { name: &'static str, hash: B256 },
    #[error("{0} was not mined in time; run the same command again to continue")]
    Slow(&'static str),
    #[error(
        "{name} is not at {address}; deploy the contracts on this chain first: causeway deploy --chain {chain}"
    )]
    Missing { name: &'static str, address: Address, chain: u64 },
}

/// The result of a deployment.
#[derive(Clone, Debug)]
pub struct Deployed {
    pub deployment: Deployment,
    /// The contracts that this run deployed; existing ones are not listed.
    pub new: Vec<&'static str>,
    pub gas_used: u64,
}

/// Deploys the missing contracts of the plan, then probes that a deposit address refunds.
/// A second run does nothing; a run after a crash continues.
pub async fn deploy(
    client: &EvmClient,
    signer: &Signer,
    plan: &Plan,
    timeout: Duration,
) -> Result<Deployed, DeployError> {
    let deadline = Instant::now() + timeout;
    if keccak256(client.code(CREATE2_DEPLOYER).await?) != CREATE2_DEPLOYER_HASH {
        return Err(DeployError::NoProxy);
    }
    let run = Run { client, signer, deadline };
    let (mut new, mut gas_used, mut from_block) = (Vec::new(), 0_u64, None::<u64>);
    loop {
        let missing = run.missing(&plan.steps).await?;
        let mut ready = Vec::new();
        for step in &missing {
            // A vault waits for its factory.
            if !missing.iter().any(|other| other.address == step.request.to) {
                ready.push(*step);
            }
        }
        if ready.is_empty() {
            break;
        }
        for (step, receipt) in run.send(&ready).await? {
            new.push(step.name);
            gas_used = gas_used.saturating_add(receipt.gas_used);
            from_block =
                Some(from_block.map_or(receipt.block_number, |first| first.min(receipt.block_number)));
        }
    }
    let mut deployment = plan.deployment.clone();
    deployment.from_block = from_block.unwrap_or(0);
    deployment.permit2 = find_permit2(client, plan).await?;
    deployment.transfers = run.probe(&deployment).await?;
    Ok(Deployed { deployment, new, gas_used })
}

/// Reads the deployment without sending anything; fails if a contract of the plan is missing.
pub async fn inspect(client: &EvmClient, plan: &Plan, deployer: Address) -> Result<Deployment, DeployError> {
    let has_code = codes(client, plan.steps.iter().map(|step| step.address)).await?;
    if let Some((step, _)) = plan.steps.iter().zip(has_code).find(|(_, has_code)| !has_code) {
        let chain = plan.deployment.chain.get();
        return Err(DeployError::Missing { name: step.name, address: step.address, chain });
    }
    let mut deployment = plan.deployment.clone();
    deployment.permit2 = find_permit2(client, plan).await?;
    deployment.transfers = !client.code(probe_address(&deployment, deployer)).await?.is_empty();
    Ok(deployment)
}

/// The plan's Permit2, if its code is the expected one.
async fn find_permit2(client: &EvmClient, plan: &Plan) -> Result<Option<Address>, CallError> {
    let Some(address) = plan.deployment.permit2 else { return Ok(None) };
    Ok(is_permit2(client.chain_id(), address, &client.code(address).await?).then_some(address))
}

async fn codes(client: &EvmClient, addresses: impl Iterator<Item = Address>) -> Result<Vec<bool>, CallError> {
    let calls: Vec<_> = addresses.map(|at| Call::new("eth_getCode", json!([at, "latest"]))).collect();
    let codes = client.batch::<alloy_primitives::Bytes>(&calls).await;
    codes.into_iter().map(|code| code.map(|code| !code.is_empty())).collect()
}

/// A deployment in progress.
struct Run<'a> {
    client: &'a EvmClient,
    signer: &'a Signer,
    deadline: Instant,
}

impl Run<'_> {
    async fn missing<'s>(&self, steps: &'s [Step]) -> Result<Vec<&'s Step>, DeployError> {
        let has_code = codes(self.client, steps.iter().map(|step| step.address)).await?;
        Ok(steps.iter().zip(has_code).filter(|(_, has_code)| !has_code).map(|(step, _)| step).collect())
    }

    /// Sends independent steps with consecutive nonces and waits for all of them.
    async fn send<'s>(&self, steps: &[&'s Step]) -> Result<Vec<(&'s Step, Receipt)>, DeployError> {
        let mut requests = Vec::with_capacity(steps.len());
        for step in steps {
            let gas = self.client.estimate_gas(self.signer.address(), &step.request).await?;
            requests.push((step.name, step.request.clone(), gas));
        }
        let receipts = self.send_and_wait(&requests).await?;
        Ok(steps.iter().copied().zip(receipts).collect())
    }

    async fn send_and_wait(
        &self,
        requests: &[(&'static str, TxRequest, u64)],
    ) -> Result<Vec<Receipt>, DeployError> {
        let fees = self.client.fees().await?;
        let first = self.client.nonce(self.signer.address(), BlockTag::Latest).await?;
        let mut hashes = Vec::with_capacity(requests.len());
        for (nonce, (_, request, gas)) in (first..).zip(requests) {
            let signed = self.signer.sign(self.client.chain_id(), nonce, request, *gas, fees)?;
            let sent: Result<B256, _> =
                self.client.call(Call::new("eth_sendRawTransaction", json!([signed.raw]))).await;
            match sent {
                // An earlier run may have sent the same transaction.
                Err(error) if error.refused_with(&["already known", "known transaction"]) => {}
                sent => drop(sent?),
            }
            hashes.push(signed.hash);
        }
        let mut receipts = Vec::with_capacity(requests.len());
        for ((name, ..), hash) in requests.iter().zip(hashes) {
            let receipt = self.wait(name, hash).await?;
            if receipt.status != 1 {
                return Err(DeployError::Reverted { name, hash });
            }
            receipts.push(receipt);
        }
        Ok(receipts)
    }

    async fn wait(&self, name: &'static str, hash: B256) -> Result<Receipt, DeployError> {
        loop {
            if let Some(receipt) = self.client.receipts(&[hash]).await?.into_iter().flatten().next() {
                return Ok(receipt);
            }
            if Instant::now() >= self.deadline {
                return Err(DeployError::Slow(name));
            }
            sleep(POLL).await;
        }
    }

    /// Sends one wei to a predicted deposit address and refunds it, once per chain and deployer.
    /// The predicted address has code exactly if that worked.
    async fn probe(&self, deployment: &Deployment) -> Result<bool, DeployError> {
        let terms = probe_terms(deployment, self.signer.address());
        let address = probe_address(deployment, self.signer.address());
        if !self.client.code(address).await?.is_empty() {
            return Ok(true);
        }
        let funding = TxRequest { to: address, value: U256::ONE, data: alloy_primitives::Bytes::new() };
        let order = Order::from(&terms);
        let call = DepositFactory::giveBackCall { order, tokens: vec![Address::ZERO] };
        let refund =
            TxRequest { to: deployment.deposit_factory, value: U256::ZERO, data: call.abi_encode().into() };
        let funding_gas = self.client.estimate_gas(self.signer.address(), &funding).await?;
        let sent = self
            .send_and_wait(&[("the probe", funding, funding_gas), ("the probe's refund", refund, PROBE_GAS)])
            .await;
        match sent {
            Ok(_) => Ok(!self.client.code(address).await?.is_empty()),
            // This chain derives deposit addresses differently; everything else works without them.
            Err(DeployError::Reverted { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

fn probe_address(deployment: &Deployment, deployer: Address) -> Address {
    let terms = probe_terms(deployment, deployer);
    deployment.deposit_factory.create2(terms.id(), deployment.deposit_code_hash)
}

/// An order that can never be opened, so its deposit address refunds everything.
fn probe_terms(deployment: &Deployment, deployer: Address) -> IntentTerms {
    let own = deployer.into_word();
    IntentTerms {
        origin_chain_id: deployment.chain.get(),
        escrow: deployment.escrow.into_word(),
        user: own,
        nonce: keccak256("causeway probe"),
        input_token: B256::ZERO,
        amount_in: U256::ONE,
        refund_to: own,
        filler: own,
        payee: own,
        referrer: B256::ZERO,
        referrer_fee: U256::ZERO,
        destination_chain_id: deployment.chain.get(),
        settler: deployment.settler.into_word(),
        output_token: B256::ZERO,
        amount_out: U256::ONE,
        recipient: own,
        open_deadline: 1,
        fill_deadline: 2,
        refund_at: 3,
        epoch: 1,
    }
}
