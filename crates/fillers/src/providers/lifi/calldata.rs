use alloy_primitives::Address as EvmAddress;
use causeway_domain::{Address, ChainId};

pub(crate) use causeway_provider_calls::lifi::{BridgeData, bridge_data};

/// What is wrong with a call that goes to another chain: it must name the chain and the recipient itself.
pub(super) fn wrong_destination(data: &[u8], to: ChainId, recipient: Address) -> Option<String> {
    let Some(bridge) = bridge_data(data) else {
        return Some("its transaction does not say who receives the output".to_owned());
    };
    if bridge.destinationChainId != alloy_primitives::U256::from(to.get()) {
        return Some(format!("its transaction goes to chain {} instead of {to}", bridge.destinationChainId));
    }
    if bridge.hasDestinationCall {
        return Some(
            "its transaction calls a contract on the destination chain, which was not asked for".to_owned(),
        );
    }
    let receiver: EvmAddress = bridge.receiver;
    (Address::Evm(receiver) != recipient)
        .then(|| format!("its transaction pays {receiver} instead of {recipient}"))
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{B256, U256};
    use alloy_sol_types::{SolType as _, sol};
    use proptest::prelude::*;

    use super::*;

    fn call(receiver: u8, chain: u64, calls: bool) -> Vec<u8> {
        let bridge = BridgeData {
            transactionId: B256::repeat_byte(1),
            bridge: "across".to_owned(),
            integrator: "causeway".to_owned(),
            referrer: EvmAddress::ZERO,
            sendingAssetId: EvmAddress::repeat_byte(2),
            receiver: EvmAddress::repeat_byte(receiver),
            minAmount: U256::from(25),
            destinationChainId: U256::from(chain),
            hasSourceSwaps: false,
            hasDestinationCall: calls,
        };
        // A bridge's own arguments follow.
        let arguments = <(BridgeData, sol!(uint256))>::abi_encode_params(&(bridge, U256::from(7)));
        [&[1, 2, 3, 4][..], &arguments].concat()
    }

    #[test]
    fn a_call_names_its_chain_and_its_recipient() {
        let (to, recipient) = (ChainId::new(42_161).unwrap(), Address::Evm(EvmAddress::repeat_byte(9)));
        assert_eq!(wrong_destination(&call(9, 42_161, false), to, recipient), None);
        for (data, word) in [
            (call(8, 42_161, false), "instead of"),
            (call(9, 10, false), "chain 10"),
            (call(9, 42_161, true), "destination chain"),
            (vec![1, 2, 3], "does not say"),
            (vec![7; 200], "does not say"),
        ] {
            let wrong = wrong_destination(&data, to, recipient).unwrap();
            assert!(wrong.contains(word), "{word}: {wrong}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(data in prop::collection::vec(any::<u8>(), 0..600)) {
            let _ = bridge_data(&data);
        }
    }
}
