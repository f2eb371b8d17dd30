// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// @notice A vault that takes its allowance and mints an arbitrary number of shares.
contract DeviatingVault is ERC20 {
    address public immutable asset;
    uint256 public takes;
    uint256 public mints;

    constructor(address asset_) ERC20("Odd", "ODD") {
        asset = asset_;
    }

    function set(uint256 takes_, uint256 mints_) external {
        takes = takes_;
        mints = mints_;
    }

    function mint(uint256, address receiver) external returns (uint256) {
        IERC20(asset).transferFrom(msg.sender, address(this), takes);
        _mint(receiver, mints);
        return takes;
    }

    /// @notice Takes more after the fill, if there is an allowance left.
    function takeMore(address from, uint256 amount) external {
        IERC20(asset).transferFrom(from, address(this), amount);
    }
}
