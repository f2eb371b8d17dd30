// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

/// @notice Where the money of one order or jump is sent to. It does nothing but what its factory says, and the factory only ever
/// opens the very order or returns to its refund address.
/// @dev Every order that is paid by a plain transfer pays for this code byte by byte, so it is a bare hand, without even a function
/// name, and the knowledge stands in the factory. It takes no argument: its address follows from the factory and the id alone.
contract DepositAddress {
    error NotTheFactory(address caller);

    address private immutable FACTORY = msg.sender;

    /// @notice Costs far less than the 2,300 gas that a plain `transfer` carries.
    receive() external payable {}

    /// @notice Calls in this address's name: the callee in the first word, the value in the second, then what to call it with.
    /// A failure comes back as it is; of an answer the first word does, so that a callee cannot make its caller pay for more.
    fallback() external {
        address factory = FACTORY;
        // In one word with the selector at its end, whose leading zeros the compiler would otherwise store as code.
        uint256 refusal = uint32(NotTheFactory.selector);
        assembly ("memory-safe") {
            if xor(caller(), factory) {
                mstore(0, refusal)
                mstore(32, caller())
                revert(28, 36)
            }
            let free := mload(0x40)
            let length := sub(calldatasize(), 64)
            calldatacopy(free, 64, length)
            let done := call(gas(), calldataload(0), calldataload(32), free, length, 0, 0)
            let size := returndatasize()
            if and(done, gt(size, 32)) { size := 32 }
            returndatacopy(free, 0, size)
            if iszero(done) { revert(free, size) }
            return(free, size)
        }
    }
}
