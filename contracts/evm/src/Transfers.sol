// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// @notice Moves of native currency (the zero token) and ERC-20 that say whether they worked and never revert. Tokens that return
/// nothing count as having worked, tokens that return false do not, and no return data is copied, so none can be made expensive.
library Transfers {
    /// @notice The most gas that goes along with native currency: enough for any wallet contract, too little to make whoever pays for the
    /// transaction pay for more than a transfer.
    uint256 internal constant NATIVE_GAS = 100_000;

    /// @dev What the EVM itself adds to a call that carries value.
    uint256 private constant STIPEND = 2_300;

    function send(address token, address to, uint256 amount) internal returns (bool) {
        if (token == address(0)) return sendCapped(to, amount, NATIVE_GAS);
        return SafeERC20.trySafeTransfer(IERC20(token), to, amount);
    }

    function pull(address token, address from, address to, uint256 amount) internal returns (bool) {
        return SafeERC20.trySafeTransferFrom(IERC20(token), from, to, amount);
    }

    /// @notice Sends native currency with no more gas than `cap`, the EVM's own stipend included.
    /// @dev A call that gets less than it was to have, because its caller ran short, leaves a 64th of that behind. That is less than 1,600
    /// gas here, too little for the event that each caller emits next, so running short always fails as a whole.
    function sendCapped(address to, uint256 amount, uint256 cap) internal returns (bool sent) {
        uint256 given = cap - STIPEND;
        assembly ("memory-safe") {
            sent := call(given, to, amount, 0, 0, 0, 0)
        }
    }

    /// @notice What the holder has; not known where the token does not say, as where there is no token at all.
    function balanceOf(address token, address holder) internal view returns (bool known, uint256 held) {
        bytes4 selector = IERC20.balanceOf.selector;
        assembly ("memory-safe") {
            mstore(0, selector)
            mstore(4, holder)
            known := staticcall(gas(), token, 0, 36, 0, 32)
            known := and(known, gt(returndatasize(), 31))
            if known { held := mload(0) }
        }
    }
}
