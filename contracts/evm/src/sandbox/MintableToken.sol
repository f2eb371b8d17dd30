// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {TokenStorage} from "./TokenStorage.sol";

/// @notice A play token that the sandbox's faucet, and nobody else, can make more of.
/// @dev Slot 5: totalSupply. Slot 6: faucet.
abstract contract MintableToken is TokenStorage {
    error NotFaucet(address caller);

    uint256 public totalSupply;
    address public faucet;

    modifier onlyFaucet() {
        if (msg.sender != faucet) revert NotFaucet(msg.sender);
        _;
    }

    /// @notice Gives `to` new tokens.
    function mint(address to, uint256 amount) external onlyFaucet {
        totalSupply += amount;
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
    }
}
