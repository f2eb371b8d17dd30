// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";

/// @notice An ERC-4626 vault over one token. It lends nothing and nobody owns it: its shares are worth what it holds.
/// @dev Named after its asset, so that whoever creates it first cannot give it a misleading name.
contract Vault is ERC4626, ERC20Permit {
    constructor(IERC20Metadata asset)
        ERC20(_nameOf(asset), string.concat("cw", asset.symbol()))
        ERC20Permit(_nameOf(asset))
        ERC4626(asset)
    {}

    function decimals() public view override(ERC20, ERC4626) returns (uint8) {
        return ERC4626.decimals();
    }

    /// @dev A million virtual shares stand against one unit of the asset: moving the first depositor's price by a gift costs the giver
    /// a million times what it takes.
    function _decimalsOffset() internal pure override returns (uint8) {
        return 6;
    }

    function _nameOf(IERC20Metadata asset) private view returns (string memory) {
        return string.concat("Causeway ", asset.symbol(), " Vault");
    }
}
