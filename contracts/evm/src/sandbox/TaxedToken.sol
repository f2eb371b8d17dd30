// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {StandardToken} from "./StandardToken.sol";

/// @notice A token that burns a share of every transfer, so that the recipient gets less than was sent.
/// @dev Slot 7: taxBasisPoints.
contract TaxedToken is StandardToken {
    /// @notice The burnt share, in hundredths of a percent.
    uint256 public taxBasisPoints;

    function _transfer(address from, address to, uint256 amount) internal override {
        // Divided before it is multiplied, so that no amount is too large; rounded down like the real ones.
        uint256 tax = amount / 10_000 * taxBasisPoints + amount % 10_000 * taxBasisPoints / 10_000;
        super._transfer(from, to, amount - tax);
        uint256 balance = balanceOf[from];
        require(balance >= tax, "ERC20: transfer amount exceeds balance");
        balanceOf[from] = balance - tax;
        totalSupply -= tax;
        emit Transfer(from, address(0), tax);
    }
}
