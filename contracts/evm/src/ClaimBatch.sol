// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Attestations} from "./Attestations.sol";
import {Order, OrderLib} from "./Order.sol";
import {IEscrow} from "./interfaces/IEscrow.sol";

/// @notice Reads the orders of a batch, as `IEscrow.claimBatch` writes them, one after the other into one place, where each changes what
/// differs from the one before.
library ClaimBatch {
    /// @notice The size of a note of what is due for one order, in six words: id, token, payee, referrer, amount, fee.
    uint256 internal constant DUE = 6 * 32;

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
                switch lt(size, 4096)
                case 1 {
                    if gt(add(first, size), length) {
                        fits := 0
                        break
                    }
                    calldatacopy(add(order, first), rest, size)
                    rest := add(rest, size)
                }
                default {
                    // 128 and a place, of 32 bytes each: the term is that of the place.
                    let same := sub(size, 4096)
                    if iszero(and(lt(first, length), lt(same, length))) {
                        fits := 0
                        break
                    }
                    mstore(add(order, first), mload(add(order, same)))
                }
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

    /// @notice Memory for the notes of `count` orders; it need not be clean.
    function notes(uint256 count) internal pure returns (uint256 place) {
        uint256 length = DUE * count;
        assembly ("memory-safe") {
            place := mload(0x40)
            mstore(0x40, add(place, length))
        }
    }

    /// @notice Notes what is due for an order.
    function note(Order memory order, uint256 place, bytes32 id) internal pure {
        // The places of `inputToken`, `payee` with `referrer` after it, `amountIn` and `referrerFee` in an order.
        assembly ("memory-safe") {
            mstore(place, id)
            mstore(add(place, 32), mload(add(order, 160)))
            mcopy(add(place, 64), add(order, 288), 64)
            mstore(add(place, 128), mload(add(order, 192)))
            mstore(add(place, 160), mload(add(order, 352)))
        }
    }

    function read(uint256 place)
        internal
        pure
        returns (bytes32 token, bytes32 payee, bytes32 referrer, uint256 fee)
    {
        assembly ("memory-safe") {
            token := mload(add(place, 32))
            payee := mload(add(place, 64))
            referrer := mload(add(place, 96))
            fee := mload(add(place, 160))
        }
    }

    /// @notice `emit IEscrow.Claimed` of a note, and what the payee gets: all, or all but the fee that the referrer got. The fee is not
    /// above the amount, or the order would not have been opened.
    function logClaimed(uint256 place, bool referrerPaid) internal returns (uint256 paid) {
        bytes32 topic = IEscrow.Claimed.selector;
        assembly ("memory-safe") {
            paid := sub(mload(add(place, 128)), mul(mload(add(place, 160)), referrerPaid))
            mstore(0, paid)
            log2(0, 32, topic, mload(place))
        }
    }
}
