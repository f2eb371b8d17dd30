//! Contracts on a chain against the plan that names them.

use alloy_primitives::Address;
use causeway_domain::{ChainId, Deployment};
use causeway_evm::contracts::Code;
use causeway_evm::deploy::{DeployTerms, HUB_CHAIN, Plan, VaultAsset};
use causeway_sandbox::genesis::permit2_address;

use crate::orders_chain::{SandboxChain, roles};

fn terms() -> DeployTerms {
    let attesters = roles().attesters.iter().map(|wallet| wallet.address).collect();
    DeployTerms { attesters, threshold: 2, min_grace: 60 }
}

fn plan(chain: ChainId, terms: &DeployTerms) -> Plan {
    let asset = VaultAsset { asset: Address::repeat_byte(9), symbol: "USDC".to_owned(), decimals: 6 };
    Plan::new(&Code::load().unwrap(), chain, permit2_address(chain), terms, &[asset]).unwrap()
}

#[tokio::test]
async fn deployed_contracts_are_those_of_the_plan_and_others_are_not() {
    let chain = SandboxChain::start(8_453).await;
    let id = chain.client.chain_id();
    let good = plan(id, &terms());
    good.compare(&chain.deployment).unwrap();
    good.verify(&chain.client).await.unwrap();

    let other = plan(id, &DeployTerms { min_grace: 7_200, ..terms() });
    assert!(other.compare(&chain.deployment).unwrap_err().to_string().contains("Escrow"));
    let missing = other.verify(&chain.client).await.unwrap_err().to_string();
    assert!(missing.contains("no contract lies at") && missing.contains("Escrow"), "{missing}");

    let mut swapped = good.clone();
    let (settler, factory) = (swapped.steps[0].address, swapped.steps[1].address);
    (swapped.steps[0].address, swapped.steps[1].address) = (factory, settler);
    let wrong = swapped.verify(&chain.client).await.unwrap_err().to_string();
    assert!(wrong.contains("is not that of Settler"), "{wrong}");
}

#[test]
fn a_record_is_compared_in_every_part() {
    let hub = ChainId::new(HUB_CHAIN).unwrap();
    let plan = plan(hub, &terms());
    let record = plan.deployment.clone();
    plan.compare(&record).unwrap();
    let strange = Address::repeat_byte(0x77);
    let mut vaults = record.clone();
    vaults.hub.as_mut().unwrap().vaults[0].vault = strange;
    let mut book = record.clone();
    book.hub.as_mut().unwrap().intent_book = strange;
    let changed = [
        (Deployment { escrow: strange, ..record.clone() }, "Escrow"),
        (Deployment { settler: strange, ..record.clone() }, "Settler"),
        (Deployment { registry: strange, ..record.clone() }, "registry"),
        (Deployment { deposit_factory: strange, ..record.clone() }, "DepositFactory"),
        (Deployment { deposit_code_hash: strange.into_word(), ..record.clone() }, "code hash"),
        (Deployment { min_grace: 59, ..record.clone() }, "grace"),
        (Deployment { permit2: Some(strange), ..record.clone() }, "Permit2"),
        (vaults, "hub"),
        (book, "hub"),
    ];
    for (record, words) in changed {
        let error = plan.compare(&record).unwrap_err().to_string();
        assert!(error.contains(words), "{words}: {error}");
    }
    plan.compare(&Deployment { permit2: None, ..record }).unwrap();
}
