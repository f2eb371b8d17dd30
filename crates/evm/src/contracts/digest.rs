//! Checks the attestation digests of the domain against the EIP-712 types of the contracts.

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

#[test]
fn rule_10_attesters_sign_the_typed_data_of_the_escrow() {
    let (base, escrow) = (ChainId::new(8_453).unwrap(), Address::repeat_byte(7));
    let domain = eip712_domain! {
        name: "Causeway Escrow",
        version: "2",
        chain_id: base.get(),
        verifying_contract: escrow,
    };
    let (order, fill_ref) = (B256::repeat_byte(1), B256::repeat_byte(2));
    let filled = Filled { orderId: order, filledAt: U256::from(1_700_000_000), fillRef: fill_ref };
    let attestation = Attestation::Filled { order, filled_at: 1_700_000_000, fill_ref };
    assert_eq!(attestation.digest(base, escrow.into_word()), Some(filled.eip712_signing_hash(&domain)));
    let unfilled = Unfilled { orderId: order, destinationTime: U256::from(7) };
    let attestation = Attestation::Unfilled { order, destination_time: 7 };
    assert_eq!(attestation.digest(base, escrow.into_word()), Some(unfilled.eip712_signing_hash(&domain)));
}
