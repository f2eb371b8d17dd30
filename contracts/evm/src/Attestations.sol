// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

/// @notice What attesters sign, as EIP-712 hashes it. The domain is that of the escrow which holds the deposit.
library Attestations {
    bytes32 internal constant FILLED_TYPEHASH =
        keccak256("Filled(bytes32 orderId,uint256 filledAt,bytes32 fillRef)");
    bytes32 internal constant UNFILLED_TYPEHASH =
        keccak256("Unfilled(bytes32 orderId,uint256 destinationTime)");
    bytes32 internal constant FILL_TYPEHASH =
        keccak256("Fill(bytes32 orderId,uint256 filledAt,bytes32 fillRef)");
    bytes32 internal constant FILLED_BATCH_TYPEHASH =
        keccak256("FilledBatch(Fill[] fills)Fill(bytes32 orderId,uint256 filledAt,bytes32 fillRef)");

    /// @notice "The order was delivered at this block time"; `fillRef` names the transaction for whoever looks it up.
    function filled(bytes32 orderId, uint256 filledAt, bytes32 fillRef) internal pure returns (bytes32) {
        return keccak256(abi.encode(FILLED_TYPEHASH, orderId, filledAt, fillRef));
    }

    /// @notice "Each of these orders was delivered at its block time"; `fills` are the hashes of the deliveries, each of the type `Fill`.
    function filledBatch(bytes32[] memory fills) internal pure returns (bytes32) {
        bytes32 list;
        assembly ("memory-safe") {
            list := keccak256(add(fills, 32), shl(5, mload(fills)))
        }
        return keccak256(abi.encode(FILLED_BATCH_TYPEHASH, list));
    }

    /// @notice "At this final block time of the destination there was no delivery."
    function unfilled(bytes32 orderId, uint256 destinationTime) internal pure returns (bytes32) {
        return keccak256(abi.encode(UNFILLED_TYPEHASH, orderId, destinationTime));
    }
}
