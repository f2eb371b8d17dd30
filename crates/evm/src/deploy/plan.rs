use alloy_primitives::{Address, B256, Bytes, U256, address, keccak256};
use alloy_sol_types::{SolCall as _, SolConstructor as _};
use causeway_domain::{ChainId, Deployment, HubDeployment, VaultDeployment};
use thiserror::Error;

use crate::contracts::{Code, Escrow, Vault, VaultFactory};
use crate::send::TxRequest;

/// The proxy through which contracts get the same address on every chain; it takes a salt and creation code.
pub const CREATE2_DEPLOYER: Address = address!("4e59b44847b379578588920cA78FbF26c0B4956C");

/// The hub chain, which has the intent book and the vaults.
pub const HUB_CHAIN: u64 = 4_278_608;

/// The CREATE2 salt; it changes with the version of the contracts.
const SALT: B256 = B256::new(*b"causeway contracts, version 2\0\0\0");

/// The constructor parameters of our contracts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeployTerms {
    /// The first epoch's keys.
    pub attesters: Vec<Address>,
    pub threshold: usize,
    /// Seconds: two hours in production, less in the sandbox.
    pub min_grace: u64,
}

/// A token that gets a vault on the hub chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VaultAsset {
    pub asset: Address,
    pub symbol: String,
    pub decimals: u8,
}

#[derive(Debug, Error, PartialEq, Eq)]
pub enum PlanError {
    #[error(
        "the attesters' threshold is {threshold} of {attesters}: it must be more than half of them and at most all"
    )]
    Threshold { threshold: usize, attesters: usize },
    #[error("the same attester is named twice: {0}")]
    SameAttester(Address),
}

/// One transaction that deploys a contract.
#[derive(Clone, Debug)]
pub struct Step {
    pub name: &'static str,
    /// The contract's address; the step is done once it has code.
    pub address: Address,
    pub request: TxRequest,
}

/// The deployment transactions, in order, and the resulting addresses.
#[derive(Clone, Debug)]
pub struct Plan {
    pub steps: Vec<Step>,
    /// Deposit addresses are not probed yet, so `transfers` is false.
    pub deployment: Deployment,
    /// The constructor's parameters, attesters in ascending order.
    pub(super) terms: DeployTerms,
}

impl Plan {
    /// The same inputs give the same addresses on every chain.
    pub fn new(
        code: &Code,
        chain: ChainId,
        permit2: Address,
        terms: &DeployTerms,
        vaults: &[VaultAsset],
    ) -> Result<Self, PlanError> {
        let mut steps = Vec::new();
        let attesters = ascending(terms)?;
        let settler = create(&mut steps, "Settler", &code.settler, &[]);
        let deposit_factory = create(&mut steps, "DepositFactory", &code.deposit_factory, &[]);
        let deposit_code_hash = keccak256(&code.deposit_address);
        let escrow = Escrow::constructorCall {
            attesters: attesters.clone(),
            threshold: U256::from(terms.threshold),
            settler,
            depositFactory: deposit_factory,
            depositInitCodeHash: deposit_code_hash,
            permit2,
            minGrace: U256::from(terms.min_grace),
        };
        let escrow = create(&mut steps, "Escrow", &code.escrow, &escrow.abi_encode());
        let hub = (chain.get() == HUB_CHAIN).then(|| hub(&mut steps, code, vaults));
        let deployment = Deployment {
            chain,
            escrow,
            settler,
            // The escrow keeps the attesters itself.
            registry: escrow,
            deposit_factory,
            deposit_code_hash,
            permit2: Some(permit2),
            min_grace: terms.min_grace,
            transfers: false,
            from_block: 0,
            hub,
        };
        Ok(Self { steps, deployment, terms: DeployTerms { attesters, ..terms.clone() } })
    }
}

fn ascending(terms: &DeployTerms) -> Result<Vec<Address>, PlanError> {
    let mut attesters = terms.attesters.clone();
    attesters.sort_unstable();
    if let Some([same, _]) = attesters.array_windows().find(|[one, two]| one == two) {
        return Err(PlanError::SameAttester(*same));
    }
    let (threshold, count) = (terms.threshold, attesters.len());
    if threshold > count || threshold.saturating_mul(2) <= count {
        return Err(PlanError::Threshold { threshold, attesters: count });
    }
    Ok(attesters)
}

/// Adds a deployment through the proxy and returns the contract's address.
fn create(steps: &mut Vec<Step>, name: &'static str, code: &Bytes, arguments: &[u8]) -> Address {
    let creation = [code, arguments].concat();
    let address = CREATE2_DEPLOYER.create2_from_code(SALT, &creation);
    let data = [SALT.as_slice(), &creation].concat().into();
    steps.push(Step { name, address, request: TxRequest { to: CREATE2_DEPLOYER, value: U256::ZERO, data } });
    address
}

fn hub(steps: &mut Vec<Step>, code: &Code, assets: &[VaultAsset]) -> HubDeployment {
    let intent_book = create(steps, "IntentBook", &code.intent_book, &[]);
    let vault_factory = create(steps, "VaultFactory", &code.vault_factory, &[]);
    let vaults = assets.iter().map(|asset| vault(steps, code, vault_factory, asset)).collect();
    HubDeployment { intent_book, vault_factory, vaults }
}

/// The factory deploys a vault with the asset as salt.
fn vault(steps: &mut Vec<Step>, code: &Code, factory: Address, asset: &VaultAsset) -> VaultDeployment {
    let vault = vault_address(code, factory, asset.asset);
    let data = VaultFactory::createCall { asset: asset.asset }.abi_encode().into();
    steps.push(Step {
        name: "Vault",
        address: vault,
        request: TxRequest { to: factory, value: U256::ZERO, data },
    });
    VaultDeployment {
        vault,
        asset: asset.asset,
        name: format!("Causeway {} Vault", asset.symbol),
        symbol: format!("cw{}", asset.symbol),
        decimals: asset.decimals.saturating_add(VAULT_DECIMALS_OFFSET),
    }
}

/// Where the factory puts the vault of an asset.
pub(super) fn vault_address(code: &Code, factory: Address, asset: Address) -> Address {
    let arguments = Vault::constructorCall { asset }.abi_encode();
    factory.create2_from_code(asset.into_word(), [&code.vault, arguments.as_slice()].concat())
}

/// What the vault adds to its asset's decimals; see `Vault.sol`.
const VAULT_DECIMALS_OFFSET: u8 = 6;

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(attesters: &[u8], threshold: usize) -> DeployTerms {
        let attesters = attesters.iter().map(|byte| Address::repeat_byte(*byte)).collect();
        DeployTerms { attesters, threshold, min_grace: 60 }
    }

    fn plan(chain: u64, terms: &DeployTerms) -> Result<Plan, PlanError> {
        let asset = VaultAsset { asset: Address::repeat_byte(9), symbol: "USDC".to_owned(), decimals: 6 };
        let chain = ChainId::new(chain).unwrap();
        Plan::new(&Code::load().unwrap(), chain, Address::repeat_byte(7), terms, &[asset])
    }

    #[test]
    fn every_chain_gets_the_same_addresses_and_the_hub_gets_more() {
        let (one, other) =
            (plan(1, &terms(&[1, 2, 3], 2)).unwrap(), plan(HUB_CHAIN, &terms(&[3, 2, 1], 2)).unwrap());
        assert_eq!(one.deployment.escrow, other.deployment.escrow);
        assert_eq!(one.deployment.deposit_factory, other.deployment.deposit_factory);
        assert_eq!((one.steps.len(), other.steps.len()), (3, 6));
        assert!(one.deployment.hub.is_none());
        let vaults = other.deployment.hub.unwrap().vaults;
        assert_eq!((vaults[0].symbol.as_str(), vaults[0].decimals), ("cwUSDC", 12));
    }

    #[test]
    fn other_attesters_or_another_grace_change_the_address() {
        let escrow = |terms: &DeployTerms| plan(1, terms).unwrap().deployment.escrow;
        let usual = terms(&[1, 2, 3], 2);
        assert_ne!(escrow(&usual), escrow(&terms(&[1, 2, 4], 2)));
        assert_ne!(escrow(&usual), escrow(&DeployTerms { min_grace: 7_200, ..usual.clone() }));
    }

    #[test]
    fn a_threshold_is_more_than_half_and_at_most_all() {
        for (attesters, threshold, good) in [
            (&[1, 2, 3][..], 2, true),
            (&[1, 2, 3], 1, false),
            (&[1, 2, 3], 4, false),
            (&[1, 2], 1, false),
            (&[1], 1, true),
            (&[], 0, false),
        ] {
            assert_eq!(plan(1, &terms(attesters, threshold)).is_ok(), good, "{threshold} of {attesters:?}");
        }
        assert!(matches!(plan(1, &terms(&[1, 1, 2], 2)), Err(PlanError::SameAttester(_))));
    }
}
