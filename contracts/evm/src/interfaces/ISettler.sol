// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IDestinationSettler} from "./IERC7683.sol";

/// @notice Delivers, once per order, and keeps the record of it. It holds no money between two calls.
interface ISettler is IDestinationSettler {
    /// @notice An order was delivered. With the origin's `Open` event this tells the whole fill.
    event Filled(
        bytes32 indexed orderId,
        address indexed caller,
        bytes32 indexed recipient,
        bytes32 outputToken,
        uint256 amountOut,
        uint256 originChainId,
        uint256 filledAt
    );

    error WrongOrderId(bytes32 given, bytes32 computed);
    error WrongVersion(uint256 version);
    error WrongChain(uint256 chainId);
    error WrongSettler(bytes32 settler);
    error FillDeadlinePassed(uint256 fillDeadline);
    error AlreadyFilled(bytes32 orderId, uint256 filledAt);
    /// @notice Never the zero address, the token, the escrow or the settler itself.
    error BadRecipient(address recipient);
    error WrongNativeValue(uint256 given, uint256 wanted);
    /// @notice The recipient gained less than the order says.
    error DeliveredTooLittle(uint256 gained, uint256 wanted);
    error TransferFailed(address token, address to);
    error BadFillerData();

    /// @notice The block time of the fill, zero while there is none.
    function filledAt(bytes32 orderId) external view returns (uint256);
}
