//! LI.FI's contract. Each bridge has functions of its own there; those are read that are held to the recipient of their
//! description by the contract itself (`src/Facets` in github.com/lifinance/contracts as of 2026-08-21, read on 2026-11-19).

use alloy_primitives::{Address, U256};
use alloy_sol_types::{SolInterface as _, SolType as _, sol};

use diamond::Diamond::DiamondCalls as Calls;
pub use diamond::{BridgeData, SwapData};

mod diamond {
    use super::sol;

    sol! {
        /// What LI.FI's bridging calls begin with, as its contracts' public interface has it.
        #[derive(Debug, PartialEq, Eq)]
        struct BridgeData {
            bytes32 transactionId;
            string bridge;
            string integrator;
            address referrer;
            address sendingAssetId;
            address receiver;
            uint256 minAmount;
            uint256 destinationChainId;
            bool hasSourceSwaps;
            bool hasDestinationCall;
        }

        /// One exchange on the source chain, or the collection of a fee.
        #[derive(Debug, PartialEq, Eq)]
        struct SwapData {
            address callTo;
            address approveTo;
            address sendingAssetId;
            address receivingAssetId;
            uint256 fromAmount;
            bytes callData;
            bool requiresDeposit;
        }

        struct AcrossData { int64 relayerFeePct; uint32 quoteTimestamp; bytes message; uint256 maxCount; }

        struct AcrossV4Data {
            bytes32 receiverAddress;
            bytes32 refundAddress;
            bytes32 sendingAssetId;
            bytes32 receivingAssetId;
            uint256 outputAmount;
            uint128 outputAmountMultiplier;
            bytes32 exclusiveRelayer;
            uint32 quoteTimestamp;
            uint32 fillDeadline;
            uint32 exclusivityParameter;
            bytes message;
        }

        struct AllBridgeData {
            bytes32 recipient;
            uint256 fees;
            bytes32 receiveToken;
            uint256 nonce;
            uint8 messenger;
            bool payFeeWithSendingAsset;
        }

        struct CelerCircleData { uint256 maxFee; uint32 minFinalityThreshold; }

        struct ChainflipData {
            bytes nonEVMReceiver;
            uint32 dstToken;
            address dstCallReceiver;
            SwapData[] dstCallSwapData;
            uint256 gasAmount;
            bytes cfParameters;
        }

        struct GlacisData { bytes32 receiverAddress; address refundAddress; uint256 nativeFee; bytes32 outputToken; }

        struct MayanData {
            bytes32 nonEVMReceiver;
            address mayanProtocol;
            bytes protocolData;
            address swapProtocol;
            bytes swapData;
            address middleToken;
            uint256 minMiddleAmount;
            address refundRecipient;
            uint256 mayanAmountIn;
        }

        struct PolymerCCTPData {
            uint256 polymerTokenFee;
            uint256 maxCCTPFee;
            bytes32 nonEVMReceiver;
            bytes32 solanaReceiverATA;
            uint32 minFinalityThreshold;
            address refundRecipient;
            bytes hookData;
        }

        struct SendParam {
            uint32 dstEid;
            bytes32 to;
            uint256 amountLD;
            uint256 minAmountLD;
            bytes extraOptions;
            bytes composeMsg;
            bytes oftCmd;
        }

        struct MessagingFee { uint256 nativeFee; uint256 lzTokenFee; }

        struct StargateData { uint16 assetId; SendParam sendParams; MessagingFee fee; address refundAddress; }

        interface Diamond {
            function startBridgeTokensViaAcross(BridgeData bridge, AcrossData own) external payable;
            function startBridgeTokensViaAcrossV4(BridgeData bridge, AcrossV4Data own) external payable;
            function startBridgeTokensViaAllBridge(BridgeData bridge, AllBridgeData own) external payable;
            function startBridgeTokensViaCelerCircleBridge(BridgeData bridge, CelerCircleData own) external payable;
            function startBridgeTokensViaChainflip(BridgeData bridge, ChainflipData own) external payable;
            function startBridgeTokensViaGlacis(BridgeData bridge, GlacisData own) external payable;
            function startBridgeTokensViaMayan(BridgeData bridge, MayanData own) external payable;
            function startBridgeTokensViaPolymerCCTP(BridgeData bridge, PolymerCCTPData own) external payable;
            function startBridgeTokensViaStargate(BridgeData bridge, StargateData own) external payable;
            /// The function of the sandbox's stand-in, which LI.FI's contract does not have.
            function startBridgeTokensViaPlay(BridgeData bridge) external payable;

            function swapAndStartBridgeTokensViaAcross(
                BridgeData bridge,
                SwapData[] swaps,
                AcrossData own
            ) external payable;
            function swapAndStartBridgeTokensViaAcrossV4(
                BridgeData bridge,
                SwapData[] swaps,
                AcrossV4Data own
            ) external payable;
            function swapAndStartBridgeTokensViaAllBridge(
                BridgeData bridge,
                SwapData[] swaps,
                AllBridgeData own
            ) external payable;
            function swapAndStartBridgeTokensViaCelerCircleBridge(
                BridgeData bridge,
                SwapData[] swaps,
                CelerCircleData own
            ) external payable;
            function swapAndStartBridgeTokensViaChainflip(
                BridgeData bridge,
                SwapData[] swaps,
                ChainflipData own
            ) external payable;
            function swapAndStartBridgeTokensViaGlacis(
                BridgeData bridge,
                SwapData[] swaps,
                GlacisData own
            ) external payable;
            function swapAndStartBridgeTokensViaMayan(
                BridgeData bridge,
                SwapData[] swaps,
                MayanData own
            ) external payable;
            function swapAndStartBridgeTokensViaPolymerCCTP(
                BridgeData bridge,
                SwapData[] swaps,
                PolymerCCTPData own
            ) external payable;
            function swapAndStartBridgeTokensViaStargate(
                BridgeData bridge,
                SwapData[] swaps,
                StargateData own
            ) external payable;

            function swapTokensSingleV3ERC20ToERC20(
                bytes32 id,
                string integrator,
                string referrer,
                address receiver,
                uint256 least,
                SwapData swap
            ) external payable;
            function swapTokensSingleV3NativeToERC20(
                bytes32 id,
                string integrator,
                string referrer,
                address receiver,
                uint256 least,
                SwapData swap
            ) external payable;
            function swapTokensMultipleV3ERC20ToERC20(
                bytes32 id,
                string integrator,
                string referrer,
                address receiver,
                uint256 least,
                SwapData[] swaps
            ) external payable;
            function swapTokensMultipleV3NativeToERC20(
                bytes32 id,
                string integrator,
                string referrer,
                address receiver,
                uint256 least,
                SwapData[] swaps
            ) external payable;
        }
    }
}

/// A call of LI.FI's contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// The input goes to another chain. How much of what arrives is up to the bridge, and not part of the call's description.
    Bridge { bridge: BridgeData, swaps: Vec<SwapData> },
    /// The input is swapped on its chain.
    Swap(Swap),
}

/// A swap within a chain. The contract's own code holds it to the least output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Swap {
    pub recipient: Address,
    pub output: Address,
    pub least: U256,
    /// The token and the amount that are taken from the caller; `None` where other tokens are taken as well.
    pub input: Option<(Address, U256)>,
}

/// Whether a function is one that is read.
pub fn is_known(selector: [u8; 4]) -> bool {
    Calls::valid_selector(selector)
}

/// The description of a call of any function, if its first argument is one. Who knows LI.FI's contract but not the function cannot
/// be sure that it follows it.
pub fn bridge_data(data: &[u8]) -> Option<BridgeData> {
    let (_, arguments) = data.split_at_checked(4)?;
    let (bridge,) = <(BridgeData,)>::abi_decode_params(arguments).ok()?;
    Some(bridge)
}

impl Call {
    /// Reads a call of a known function; `None` for every other one, and for one with anything behind its arguments.
    pub fn read(data: &[u8]) -> Option<Self> {
        let (selector, arguments) = data.split_first_chunk::<4>()?;
        let call = Calls::abi_decode_raw_validate(*selector, arguments).ok()?;
        if call.abi_encode() != data {
            return None;
        }
        match call {
            Calls::startBridgeTokensViaAcross(call) => Self::bridge(call.bridge),
            Calls::startBridgeTokensViaAcrossV4(call) => Self::bridge(call.bridge),
            Calls::startBridgeTokensViaAllBridge(call) => Self::bridge(call.bridge),
            Calls::startBridgeTokensViaCelerCircleBridge(call) => Self::bridge(call.bridge),
            Calls::startBridgeTokensViaChainflip(call) => Self::bridge(call.bridge),
            Calls::startBridgeTokensViaGlacis(call) => Self::bridge(call.bridge),
            Calls::startBridgeTokensViaMayan(call) => Self::bridge(call.bridge),
            Calls::startBridgeTokensViaPolymerCCTP(call) => Self::bridge(call.bridge),
            Calls::startBridgeTokensViaStargate(call) => Self::bridge(call.bridge),
            Calls::startBridgeTokensViaPlay(call) => Self::bridge(call.bridge),
            Calls::swapAndStartBridgeTokensViaAcross(call) => Self::swaps_first(call.bridge, call.swaps),
            Calls::swapAndStartBridgeTokensViaAcrossV4(call) => Self::swaps_first(call.bridge, call.swaps),
            Calls::swapAndStartBridgeTokensViaAllBridge(call) => Self::swaps_first(call.bridge, call.swaps),
            Calls::swapAndStartBridgeTokensViaCelerCircleBridge(call) => {
                Self::swaps_first(call.bridge, call.swaps)
            }
            Calls::swapAndStartBridgeTokensViaChainflip(call) => Self::swaps_first(call.bridge, call.swaps),
            Calls::swapAndStartBridgeTokensViaGlacis(call) => Self::swaps_first(call.bridge, call.swaps),
            Calls::swapAndStartBridgeTokensViaMayan(call) => Self::swaps_first(call.bridge, call.swaps),
            Calls::swapAndStartBridgeTokensViaPolymerCCTP(call) => Self::swaps_first(call.bridge, call.swaps),
            Calls::swapAndStartBridgeTokensViaStargate(call) => Self::swaps_first(call.bridge, call.swaps),
            // It takes the input of its one swap in any case.
            Calls::swapTokensSingleV3ERC20ToERC20(call) => {
                let input = Some((call.swap.sendingAssetId, call.swap.fromAmount));
                Self::swap(call.receiver, call.least, &[call.swap], input)
            }
            Calls::swapTokensMultipleV3ERC20ToERC20(call) => {
                Self::swap(call.receiver, call.least, &call.swaps, taken(&call.swaps))
            }
            // They take nothing but the value of the call.
            Calls::swapTokensSingleV3NativeToERC20(call) => {
                let input = Some((Address::ZERO, call.swap.fromAmount));
                Self::swap(call.receiver, call.least, &[call.swap], input)
            }
            Calls::swapTokensMultipleV3NativeToERC20(call) => {
                let input = call.swaps.first().map(|first| (Address::ZERO, first.fromAmount));
                Self::swap(call.receiver, call.least, &call.swaps, input)
            }
        }
    }

    fn bridge(bridge: BridgeData) -> Option<Self> {
        (!bridge.hasSourceSwaps).then_some(Self::Bridge { bridge, swaps: Vec::new() })
    }

    fn swaps_first(bridge: BridgeData, swaps: Vec<SwapData>) -> Option<Self> {
        (bridge.hasSourceSwaps && !swaps.is_empty()).then_some(Self::Bridge { bridge, swaps })
    }

    fn swap(
        recipient: Address,
        least: U256,
        swaps: &[SwapData],
        input: Option<(Address, U256)>,
    ) -> Option<Self> {
        let output = swaps.last()?.receivingAssetId;
        Some(Self::Swap(Swap { recipient, output, least, input }))
    }

    /// The token and the amount that are taken from the caller; `None` where other tokens are taken as well.
    pub fn input(&self) -> Option<(Address, U256)> {
        match self {
            Self::Bridge { bridge, swaps } if swaps.is_empty() => {
                Some((bridge.sendingAssetId, bridge.minAmount))
            }
            Self::Bridge { swaps, .. } => taken(swaps),
            Self::Swap(swap) => swap.input,
        }
    }
}

/// What swaps take from the caller: the amounts of all that say so. An allowance that the caller gave for another token before
/// would do for it.
fn taken(swaps: &[SwapData]) -> Option<(Address, U256)> {
    let token = swaps.first()?.sendingAssetId;
    let mut sum = U256::ZERO;
    for swap in swaps.iter().filter(|swap| swap.requiresDeposit) {
        if swap.sendingAssetId != token {
            return None;
        }
        sum = sum.checked_add(swap.fromAmount)?;
    }
    Some((token, sum))
}

#[cfg(test)]
pub(crate) mod tests;
