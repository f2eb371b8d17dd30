// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Attestations} from "./Attestations.sol";
import {Order, OrderLib} from "./Order.sol";
import {IEscrow} from "./interfaces/IEscrow.sol";

/// @notice Reads the orders of a batch, as `IEscrow.claimBatch` writes them, one after the other into one place, where each changes what
/// differs from the one before.
library ClaimBatch {
    /// @notice What is owed for an order that is being claimed.
    struct Due {
        bytes32 id;
        bytes32 token;
        bytes32 payee;
        uint256 amount;
        bytes32 referrer;
        uint256 fee;
        uint256 filledAt;
        bytes32 fillRef;
    }

    /// @notice Room for one order, with the type's hash in front of it, as the order's id wants them.
    function room() internal pure returns (Order memory order) {
        bytes32 kind = OrderLib.TYPEHASH;
        uint256 length = OrderLib.ENCODED_LENGTH;
        assembly ("memory-safe") {
            let free := mload(0x40)
            mstore(free, kind)
            order := add(free, 32)
            mstore(0x40, add(order, length))
            // Memory may have been used before; the first order of a batch starts from nothing.
            calldatacopy(order, calldatasize(), length)
        }
    }

    /// @notice Turns the order before into the next one and gives its id and its fill. `order` comes from `room`, `from` is where in the
    /// calldata the entry is, and `rest` what comes after it.
    function next(Order memory order, uint256 from)
        internal
        pure
        returns (bytes32 id, uint256 filledAt, bytes32 fillRef, uint256 rest)
    {
        uint256 length = OrderLib.ENCODED_LENGTH;
        bool fits = true;
        assembly ("memory-safe") {
            let head := calldataload(from)
            filledAt := and(head, 0xffffffffffffffff)
            fillRef := calldataload(add(from, 32))
            rest := add(from, 64)
            for { let runs := shr(64, head) } runs { runs := shr(16, runs) } {
                let first := shl(5, byte(30, runs))
                let size := shl(5, byte(31, runs))
                if gt(add(first, size), length) {
                    fits := 0
                    break
                }
                calldatacopy(add(order, first), rest, size)
                rest := add(rest, size)
            }
            id := keccak256(sub(order, 32), add(length, 32))
        }
        if (!fits) revert IEscrow.BadBatch();
    }

    /// @notice EIP-712's hash of one fill of the list, without leaving memory behind.
    function hashFill(bytes32 id, uint256 filledAt, bytes32 fillRef) internal pure returns (bytes32 result) {
        bytes32 kind = Attestations.FILL_TYPEHASH;
        assembly ("memory-safe") {
            let free := mload(0x40)
            mstore(free, kind)
            mstore(add(free, 32), id)
            mstore(add(free, 64), filledAt)
            mstore(add(free, 96), fillRef)
            result := keccak256(free, 128)
        }
    }

    /// @notice Whether the order's deposit and delivery are on one chain.
    function isLocal(Order memory order) internal pure returns (bool) {
        return order.originChainId == order.destinationChainId;
    }

    function due(Order memory order, bytes32 id, uint256 filledAt, bytes32 fillRef)
        internal
        pure
        returns (Due memory)
    {
        return Due(
            id,
            order.inputToken,
            order.payee,
            order.amountIn,
            order.referrer,
            order.referrerFee,
            filledAt,
            fillRef
        );
    }
}
