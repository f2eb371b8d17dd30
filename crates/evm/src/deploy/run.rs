use std::time::Duration;

use alloy_primitives::{Address, B256, U256, b256, keccak256};
use alloy_sol_types::SolCall as _;
use causeway_domain::{Deployment, Terms};
use serde_json::json;
use thiserror::Error;
use tokio::time::{Instant, sleep};

use super::permit2::{is_permit2, permit2_address};
use super::plan::{CREATE2_DEPLOYER, Plan, Step};
use crate::blocks::{BlockTag, Receipt};
use crate::client::EvmClient;
use crate::contracts::{DepositFactory, Order};
use crate::error::CallError;
use crate::rpc::Call;
use crate::send::{Signer, SignerError, TxRequest};

/// The proxy's code, which is the same wherever it lies.
const CREATE2_DEPLOYER_HASH: B256 = b256!("2fa86add0aed31f33a762c9d88e807c475bd51d0f52bd0955754b2608f7e4989");

/// What the probe's return may use; the factory demands some for every token.
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
    #[error("{name} was sent in {hash} and the chain reverted it")]
    Reverted { name: &'static str, hash: B256 },
    #[error("{0} was not mined in time; run the same command again to go on from here")]
    Slow(&'static str),
    #[error(
        "{name} is not at {address}; deploy the contracts on this chain first: causeway deploy --chain {chain}"
    )]
    Missing { name: &'static str, address: Address, chain: u64 },
}

/// What a deployment did.
#[derive(Clone, Debug)]
pub struct Deployed {
    pub deployment: Deployment,
    /// The names of what was put there now; what was there before is not among them.
    pub new: Vec<&'static str>,
    pub gas_used: u64,
}

/// Puts on the chain whatever of the plan is not there yet, then shows that a deposit address gives money back.
/// Doing it again does nothing; doing it after a crash goes on where that left off.
pub async fn deploy(
    client: &EvmClient,
    signer: &Signer,
    plan: &Plan,
    patience: Duration,
) -> Result<Deployed, DeployError> {
    let until = Instant::now() + patience;
    if keccak256(client.code(CREATE2_DEPLOYER).await?) != CREATE2_DEPLOYER_HASH {
        return Err(DeployError::NoProxy);
    }
    let run = Run { client, signer, until };
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
    deployment.permit2 = find_permit2(client).await?;
    deployment.transfers = run.probe(&deployment).await?;
    Ok(Deployed { deployment, new, gas_used })
}

/// Looks where everything lies without sending anything; fails if a contract of the plan is not there.
pub async fn inspect(client: &EvmClient, plan: &Plan, deployer: Address) -> Result<Deployment, DeployError> {
    let there = codes(client, plan.steps.iter().map(|step| step.address)).await?;
    if let Some((step, _)) = plan.steps.iter().zip(there).find(|(_, there)| !there) {
        let chain = plan.deployment.chain.get();
        return Err(DeployError::Missing { name: step.name, address: step.address, chain });
    }
    let mut deployment = plan.deployment.clone();
    deployment.permit2 = find_permit2(client).await?;
    deployment.transfers = !client.code(probe_address(&deployment, deployer)).await?.is_empty();
    Ok(deployment)
}

async fn find_permit2(client: &EvmClient) -> Result<Option<Address>, CallError> {
    let chain = client.chain_id();
    let place = permit2_address(chain);
    Ok(is_permit2(chain, &client.code(place).await?).then_some(place))
}

async fn codes(client: &EvmClient, addresses: impl Iterator<Item = Address>) -> Result<Vec<bool>, CallError> {
    let calls: Vec<_> = addresses.map(|at| Call::new("eth_getCode", json!([at, "latest"]))).collect();
    let codes = client.batch::<alloy_primitives::Bytes>(&calls).await;
    codes.into_iter().map(|code| code.map(|code| !code.is_empty())).collect()
}

/// One visit to a chain.
struct Run<'a> {
    client: &'a EvmClient,
    signer: &'a Signer,
    until: Instant,
}

impl Run<'_> {
    async fn missing<'s>(&self, steps: &'s [Step]) -> Result<Vec<&'s Step>, DeployError> {
        let there = codes(self.client, steps.iter().map(|step| step.address)).await?;
        Ok(steps.iter().zip(there).filter(|(_, there)| !there).map(|(step, _)| step).collect())
    }

    /// Sends steps that do not need each other, one nonce after the other, and waits for all of them.
    async fn send<'s>(&self, steps: &[&'s Step]) -> Result<Vec<(&'s Step, Receipt)>, DeployError> {
        let mut requests = Vec::with_capacity(steps.len());
        for step in steps {
            let gas = self.client.estimate_gas(self.signer.address(), &step.request).await?;
            requests.push((step.name, step.request.clone(), gas));
        }
        let receipts = self.land(&requests).await?;
        Ok(steps.iter().copied().zip(receipts).collect())
    }

    async fn land(&self, requests: &[(&'static str, TxRequest, u64)]) -> Result<Vec<Receipt>, DeployError> {
        let fees = self.client.fees().await?;
        let first = self.client.nonce(self.signer.address(), BlockTag::Latest).await?;
        let mut hashes = Vec::with_capacity(requests.len());
        for (nonce, (_, request, gas)) in (first..).zip(requests) {
            let signed = self.signer.sign(self.client.chain_id(), nonce, request, *gas, fees)?;
            let sent: Result<B256, _> =
                self.client.call(Call::new("eth_sendRawTransaction", json!([signed.raw]))).await;
            match sent {
                // A run that died may have left the very same transaction behind.
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
            if Instant::now() >= self.until {
                return Err(DeployError::Slow(name));
            }
            sleep(POLL).await;
        }
    }

    /// Sends a coin's smallest unit to a predicted deposit address and has it given back, once per chain and
    /// deployer. Its code stands where it was predicted exactly when that has worked.
    async fn probe(&self, deployment: &Deployment) -> Result<bool, DeployError> {
        let terms = probe_terms(deployment, self.signer.address());
        let place = probe_address(deployment, self.signer.address());
        if !self.client.code(place).await?.is_empty() {
            return Ok(true);
        }
        let gift = TxRequest { to: place, value: U256::ONE, data: alloy_primitives::Bytes::new() };
        let order = Order::from(&terms);
        let call = DepositFactory::giveBackCall { order, tokens: vec![Address::ZERO] };
        let back =
            TxRequest { to: deployment.deposit_factory, value: U256::ZERO, data: call.abi_encode().into() };
        let gift_gas = self.client.estimate_gas(self.signer.address(), &gift).await?;
        let landed =
            self.land(&[("the probe", gift, gift_gas), ("the probe's return", back, PROBE_GAS)]).await;
        match landed {
            Ok(_) => Ok(!self.client.code(place).await?.is_empty()),
            // Deposit addresses lie elsewhere on this chain: the rest works without them.
            Err(DeployError::Reverted { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

fn probe_address(deployment: &Deployment, deployer: Address) -> Address {
    let terms = probe_terms(deployment, deployer);
    deployment.deposit_factory.create2(terms.id(), deployment.deposit_code_hash)
}

/// An order that can never be opened, whose deposit address gives everything back.
fn probe_terms(deployment: &Deployment, deployer: Address) -> Terms {
    let own = deployer.into_word();
    Terms {
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
