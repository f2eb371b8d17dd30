// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

/// @notice Every term of a swap. Addresses are 32 bytes wide, because either side may be a chain whose addresses are;
/// an EVM address stands in the low 20 bytes and the rest must be zero. The zero token is the chain's native currency.
struct Order {
    uint256 version;
    uint256 originChainId;
    bytes32 escrow;
    bytes32 user;
    bytes32 nonce;
    bytes32 inputToken;
    uint256 amountIn;
    bytes32 refundTo;
    bytes32 filler;
    bytes32 payee;
    bytes32 referrer;
    uint256 referrerFee;
    uint256 destinationChainId;
    bytes32 settler;
    bytes32 outputToken;
    uint256 amountOut;
    bytes32 recipient;
    uint256 openDeadline;
    uint256 fillDeadline;
    uint256 refundAt;
    uint256 epoch;
}

using OrderLib for Order global;

/// @notice The order's name, and the reading of its addresses.
library OrderLib {
    /// @notice A 32-byte address that is no EVM address.
    error DirtyAddress(bytes32 value);
    /// @notice An encoded order has one length only.
    error BadOrderLength(uint256 length);

    /// @notice The version that these contracts speak; another version has other contracts.
    uint256 internal constant VERSION = 2;

    /// @dev The fields of `CausewayOrder`, as EIP-712 writes them.
    string internal constant TYPE = "CausewayOrder(uint256 version,uint256 originChainId,bytes32 escrow,bytes32 user,"
        "bytes32 nonce,bytes32 inputToken,uint256 amountIn,bytes32 refundTo,bytes32 filler,bytes32 payee,"
        "bytes32 referrer,uint256 referrerFee,uint256 destinationChainId,bytes32 settler,bytes32 outputToken,"
        "uint256 amountOut,bytes32 recipient,uint256 openDeadline,uint256 fillDeadline,uint256 refundAt,uint256 epoch)";

    /// @dev `keccak256(bytes(TYPE))`, written out because the compiler would hash the text anew at every call.
    bytes32 internal constant TYPEHASH = 0x827a100cb58f59ba82e36c6f3def761758a4b90a6a537b2a992a5a5dcc858ed5;

    /// @notice How many terms an order has, of one word each.
    uint256 internal constant TERMS = 21;
    uint256 internal constant ENCODED_LENGTH = 21 * 32;

    /// @notice The order's id: the EIP-712 hash of all its terms, so that a Permit2 witness over the order is its id.
    function id(Order memory order) internal pure returns (bytes32) {
        return keccak256(abi.encode(TYPEHASH, order));
    }

    /// @notice The same id, of an order that is still in the calldata: every term is a full word, so they are hashed as they are there.
    function calldataId(Order calldata order) internal pure returns (bytes32 result) {
        bytes32 kind = TYPEHASH;
        uint256 length = ENCODED_LENGTH;
        assembly ("memory-safe") {
            let free := mload(0x40)
            mstore(free, kind)
            calldatacopy(add(free, 32), order, length)
            result := keccak256(free, add(length, 32))
        }
    }

    /// @notice The same id, and the memory in which the terms are left as the calldata has them.
    function copy(Order calldata order) internal pure returns (bytes32 result, uint256 place) {
        bytes32 kind = TYPEHASH;
        uint256 length = ENCODED_LENGTH;
        assembly ("memory-safe") {
            let free := mload(0x40)
            mstore(free, kind)
            place := add(free, 32)
            calldatacopy(place, order, length)
            mstore(0x40, add(place, length))
            result := keccak256(free, add(length, 32))
        }
    }

    /// @notice Reads `abi.encode(order)` where it is, with nothing missing and nothing behind it.
    function decode(bytes calldata data) internal pure returns (Order calldata order) {
        if (data.length != ENCODED_LENGTH) revert BadOrderLength(data.length);
        assembly ("memory-safe") {
            order := data.offset
        }
    }

    /// @notice Whether both ends are on one chain, where the settler's record stands in for attestations.
    function sameChain(Order calldata order) internal pure returns (bool) {
        return order.originChainId == order.destinationChainId;
    }

    /// @notice Reads an EVM address; dirty high bytes revert instead of being cut off.
    function toAddress(bytes32 value) internal pure returns (address) {
        if (uint256(value) >> 160 != 0) revert DirtyAddress(value);
        return address(uint160(uint256(value)));
    }

    /// @notice Reads an EVM address that was checked before.
    function known(bytes32 value) internal pure returns (address) {
        return address(uint160(uint256(value)));
    }

    function toBytes32(address value) internal pure returns (bytes32) {
        return bytes32(uint256(uint160(value)));
    }
}
