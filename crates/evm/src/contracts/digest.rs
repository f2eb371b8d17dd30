use alloy_primitives::{Address, B256, U256};
use alloy_sol_types::{SolStruct, eip712_domain, sol};
use causeway_domain::{Attestation, ChainId};

sol! {
    struct Filled {
        bytes32 orderId;
        uint256 filledAt;
        bytes32 fillRef;
    }

    struct Unfilled {
        bytes32 orderId;
        uint256 destinationTime;
    }
}

/// The digest that attesters sign for the escrow of an order's origin chain.
pub fn attestation_digest(origin: ChainId, escrow: Address, attestation: &Attestation) -> B256 {
    let domain = eip712_domain! {
        name: "Causeway Escrow",
        version: "1",
        chain_id: origin.get(),
        verifying_contract: escrow,
    };
    match *attestation {
        Attestation::Filled { order, filled_at, fill_ref } => {
            let statement = Filled { orderId: order, filledAt: U256::from(filled_at), fillRef: fill_ref };
            statement.eip712_signing_hash(&domain)
        }
        Attestation::Unfilled { order, destination_time } => {
            let statement = Unfilled { orderId: order, destinationTime: U256::from(destination_time) };
            statement.eip712_signing_hash(&domain)
        }
    }
}
