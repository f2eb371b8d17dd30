use alloy_primitives::{B256, Bytes, keccak256};
use alloy_sol_types::SolCall;

use super::diamond::{AcrossV4Data, Diamond, MessagingFee, SendParam, StargateData};
use super::*;

fn bridge() -> BridgeData {
    BridgeData {
        transactionId: B256::repeat_byte(1),
        bridge: "across".to_owned(),
        integrator: "causeway".to_owned(),
        referrer: Address::ZERO,
        sendingAssetId: Address::repeat_byte(2),
        receiver: Address::repeat_byte(9),
        minAmount: U256::from(25),
        destinationChainId: U256::from(42_161),
        hasSourceSwaps: false,
        hasDestinationCall: false,
    }
}

fn step(token: u8, amount: u64, requires_deposit: bool) -> SwapData {
    SwapData {
        callTo: Address::repeat_byte(5),
        approveTo: Address::repeat_byte(5),
        sendingAssetId: Address::repeat_byte(token),
        receivingAssetId: Address::repeat_byte(7),
        fromAmount: U256::from(amount),
        callData: Bytes::from(vec![1, 2, 3, 4]),
        requiresDeposit: requires_deposit,
    }
}

fn across() -> AcrossV4Data {
    AcrossV4Data {
        receiverAddress: Address::repeat_byte(9).into_word(),
        refundAddress: Address::repeat_byte(9).into_word(),
        sendingAssetId: Address::repeat_byte(2).into_word(),
        receivingAssetId: Address::repeat_byte(3).into_word(),
        outputAmount: U256::from(24),
        outputAmountMultiplier: 1,
        exclusiveRelayer: B256::ZERO,
        quoteTimestamp: 1,
        fillDeadline: 2,
        exclusivityParameter: 0,
        message: Bytes::new(),
    }
}

fn through_across() -> Vec<u8> {
    Diamond::startBridgeTokensViaAcrossV4Call { bridge: bridge(), own: across() }.abi_encode()
}

fn after_swaps(swaps: Vec<SwapData>) -> Vec<u8> {
    let bridge = BridgeData { hasSourceSwaps: true, ..bridge() };
    Diamond::swapAndStartBridgeTokensViaAcrossV4Call { bridge, swaps, own: across() }.abi_encode()
}

fn within_chain(swaps: Vec<SwapData>) -> Vec<u8> {
    let (receiver, least) = (Address::repeat_byte(9), U256::from(24));
    let (integrator, referrer) = ("causeway".to_owned(), String::new());
    Diamond::swapTokensMultipleV3ERC20ToERC20Call {
        id: B256::ZERO,
        integrator,
        referrer,
        receiver,
        least,
        swaps,
    }
    .abi_encode()
}

/// Calls that are read.
pub(crate) fn samples() -> Vec<Vec<u8>> {
    let stargate = StargateData {
        assetId: 1,
        sendParams: SendParam {
            dstEid: 30_110,
            to: Address::repeat_byte(9).into_word(),
            amountLD: U256::from(25),
            minAmountLD: U256::from(24),
            extraOptions: Bytes::new(),
            composeMsg: Bytes::new(),
            oftCmd: Bytes::from(vec![1]),
        },
        fee: MessagingFee { nativeFee: U256::from(1), lzTokenFee: U256::ZERO },
        refundAddress: Address::repeat_byte(9),
    };
    vec![
        through_across(),
        after_swaps(vec![step(2, 1, true), step(2, 24, true)]),
        within_chain(vec![step(2, 25, true), step(7, 24, false)]),
        Diamond::startBridgeTokensViaStargateCall { bridge: bridge(), own: stargate }.abi_encode(),
        Diamond::startBridgeTokensViaPlayCall { bridge: bridge() }.abi_encode(),
    ]
}

/// The selectors that github.com/lifinance/contracts gives, in its tests and deployments as of 2026-08-21.
#[test]
fn functions_have_the_selectors_of_the_contract() {
    for (name, selector) in [
        ("swapTokensMultipleV3ERC20ToERC20", [0x5f, 0xd9, 0xae, 0x2e]),
        ("swapTokensSingleV3ERC20ToERC20", [0x46, 0x66, 0xfc, 0x80]),
    ] {
        assert!(is_known(selector), "{name}");
    }
    let signature =
        "startBridgeTokensViaPlay((bytes32,string,string,address,address,address,uint256,uint256,bool,bool))";
    assert!(is_known(keccak256(signature).0[..4].try_into().unwrap()));
    assert!(!is_known([1, 2, 3, 4]));
}

#[test]
fn a_bridging_call_names_chain_recipient_and_input() {
    let call = Call::read(&through_across()).unwrap();
    assert_eq!(call.input(), Some((Address::repeat_byte(2), U256::from(25))));
    assert_eq!(call, Call::Bridge { bridge: bridge(), swaps: Vec::new() });
    assert_eq!(bridge_data(&through_across()), Some(bridge()));
}

#[test]
fn swaps_before_a_bridge_take_what_they_say_and_no_other_token() {
    let taken = |swaps| Call::read(&after_swaps(swaps)).unwrap().input();
    let input = |amount: u64| Some((Address::repeat_byte(2), U256::from(amount)));
    assert_eq!(taken(vec![step(2, 1, true), step(2, 24, true), step(7, 99, false)]), input(25));
    assert_eq!(taken(vec![step(2, 25, true), step(6, 1, true)]), None, "an old allowance for another token");
    assert_eq!(taken(vec![step(2, 25, false)]), input(0));
    assert_eq!(Call::read(&after_swaps(Vec::new())), None);
}

#[test]
fn a_swap_within_the_chain_names_recipient_output_and_least_output() {
    let Some(Call::Swap(swap)) = Call::read(&within_chain(vec![step(2, 25, true), step(7, 24, false)]))
    else {
        panic!()
    };
    assert_eq!((swap.recipient, swap.least), (Address::repeat_byte(9), U256::from(24)));
    assert_eq!(
        (swap.output, swap.input),
        (Address::repeat_byte(7), Some((Address::repeat_byte(2), U256::from(25))))
    );
    assert_eq!(Call::read(&within_chain(Vec::new())), None);
}

#[test]
fn a_description_that_is_not_where_the_function_has_it_is_not_read() {
    // The first word of this swap, its id, reads as the place of a description that the contract never looks at.
    let hidden = <(BridgeData,)>::abi_encode_params(&(bridge(),));
    let mut data =
        within_chain(vec![SwapData { callData: hidden[32..].to_vec().into(), ..step(2, 25, true) }]);
    let at = data.windows(32).position(|word| word == B256::repeat_byte(1).as_slice()).unwrap();
    data[4..36].copy_from_slice(&U256::from(at - 4).to_be_bytes::<32>());
    assert_eq!(bridge_data(&data), Some(bridge()));
    assert!(matches!(Call::read(&data), Some(Call::Swap(_))), "it is read as what it is");
}
