// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

/// @notice The entry contract of a play-money exchange, for stand-ins of 0x: it takes calls in the form of 0x's allowance
/// holder, which carry the call of its settler, and does what that call lists. Who runs the stand-in leaves output here. It is the
/// registry of its settlers, too, and names itself.
contract PlayExchange {
    /// @notice What the call of the settler begins with.
    struct AllowedSlippage {
        address payable recipient;
        address buyToken;
        uint256 minAmountOut;
    }

    /// @notice One transfer: from this contract, or from the caller.
    struct Transfer {
        address token;
        bool fromCaller;
        address to;
        uint256 amount;
    }

    error UnknownCall();
    error UnknownFeature();
    error TransferFailed();

    /// @notice `execute((address,address,uint256),bytes[],bytes32)` of the settler.
    bytes4 private constant _EXECUTE = 0x1fff991f;

    /// @notice The registry's number for swaps that the taker sends.
    uint256 private constant _TAKER_SUBMITTED = 2;

    /// @notice The settler of a feature.
    function ownerOf(uint256 feature) external view returns (address) {
        require(feature == _TAKER_SUBMITTED, UnknownFeature());
        return address(this);
    }

    /// @notice The settler before that one: there was none.
    function prev(uint128) external pure returns (address) {
        revert UnknownFeature();
    }

    /// @notice Makes the transfers of the settler's call in order. A hostile provider's call lists others than an honest one's,
    /// so the least output is not looked at here.
    function exec(address, address, uint256, address payable, bytes calldata data)
        external
        payable
        returns (bytes memory)
    {
        require(data.length >= 4 && bytes4(data[:4]) == _EXECUTE, UnknownCall());
        (, bytes[] memory actions,) = abi.decode(data[4:], (AllowedSlippage, bytes[], bytes32));
        for (uint256 i = 0; i < actions.length; ++i) {
            Transfer memory action = abi.decode(actions[i], (Transfer));
            bytes memory call = action.fromCaller
                ? abi.encodeWithSignature(
                    "transferFrom(address,address,uint256)", msg.sender, action.to, action.amount
                )
                : abi.encodeWithSignature("transfer(address,uint256)", action.to, action.amount);
            // slither-disable-next-line low-level-calls,calls-loop
            (bool done, bytes memory answer) = action.token.call(call);
            require(done && (answer.length == 0 || abi.decode(answer, (bool))), TransferFailed());
        }
        return "";
    }
}
