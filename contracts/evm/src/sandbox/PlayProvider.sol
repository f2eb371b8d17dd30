// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

/// @notice The entry contract of a play-money liquidity provider, for stand-ins of LI.FI: it takes the input of a transfer
/// under the description that LI.FI's contracts take, and keeps it. Who runs the stand-in pays the output from an account.
contract PlayProvider {
    /// @notice What LI.FI's bridging calls begin with.
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

    error InputNotPaid();

    event LiFiTransferStarted(BridgeData bridgeData);

    /// @notice Takes `minAmount` of the sending asset from the caller; the zero address is the native coin.
    function startBridgeTokensViaPlay(BridgeData calldata bridgeData) external payable {
        if (bridgeData.sendingAssetId == address(0)) {
            require(msg.value == bridgeData.minAmount, InputNotPaid());
        } else {
            _take(bridgeData.sendingAssetId, msg.sender, bridgeData.minAmount);
        }
        emit LiFiTransferStarted(bridgeData);
    }

    /// @notice What a hostile provider would do with an allowance: takes another amount of another token.
    function takeMore(BridgeData calldata bridgeData, address token, uint256 amount) external payable {
        _take(bridgeData.sendingAssetId, msg.sender, bridgeData.minAmount);
        _take(token, msg.sender, amount);
        emit LiFiTransferStarted(bridgeData);
    }

    function _take(address token, address from, uint256 amount) private {
        bytes memory call =
            abi.encodeWithSignature("transferFrom(address,address,uint256)", from, address(this), amount);
        // slither-disable-next-line low-level-calls
        (bool taken, bytes memory answer) = token.call(call);
        require(taken && (answer.length == 0 || abi.decode(answer, (bool))), InputNotPaid());
    }
}
