// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {vm} from "../Vm.sol";

address constant FAUCET = address(0xFA0CE7);
address constant ALICE = address(0xA11CE);
address constant BOB = address(0xB0B);

/// @notice Makes a token as the sandbox does: code at an address, storage by slot, no constructor.
library Genesis {
    function place(address token, bytes memory code, string memory name, string memory symbol, uint8 decimals)
        internal
    {
        vm.etch(token, code);
        vm.store(token, bytes32(uint256(0)), short(name));
        vm.store(token, bytes32(uint256(1)), short(symbol));
        vm.store(token, bytes32(uint256(2)), bytes32(uint256(decimals)));
        vm.store(token, bytes32(uint256(6)), bytes32(uint256(uint160(FAUCET))));
    }

    /// @notice A string of at most 31 bytes as Solidity stores it: the text first, twice its length in the last byte.
    function short(string memory text) internal pure returns (bytes32) {
        require(bytes(text).length < 32, "too long for one slot");
        return bytes32(bytes(text)) | bytes32(bytes(text).length * 2);
    }
}
