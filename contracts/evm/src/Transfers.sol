// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";

/// @notice Moves of native currency (the zero token) and ERC-20 that say whether they worked and never revert. Tokens that return
/// nothing count as having worked, tokens that return false do not, and no return data is copied, so none can be made expensive.
library Transfers {
    function send(address token, address to, uint256 amount) internal returns (bool) {
        if (token == address(0)) return LowLevelCall.callNoReturn(to, amount, "");
        return SafeERC20.trySafeTransfer(IERC20(token), to, amount);
    }

    function pull(address token, address from, address to, uint256 amount) internal returns (bool) {
        return SafeERC20.trySafeTransferFrom(IERC20(token), from, to, amount);
    }

    /// @notice Sends native currency with no more gas than `cap`.
    function sendCapped(address to, uint256 amount, uint256 cap) internal returns (bool sent) {
        assembly ("memory-safe") {
            sent := call(cap, to, amount, 0, 0, 0, 0)
        }
    }

    function balanceOf(address token, address holder) internal view returns (uint256) {
        return IERC20(token).balanceOf(holder);
    }
}
