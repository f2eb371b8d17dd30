// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {Create2} from "@openzeppelin/contracts/utils/Create2.sol";
import {Vault} from "./Vault.sol";

/// @notice Makes the vault of an asset, one for each, at an address that follows from the asset. Anyone may ask for it, nobody owns it.
contract VaultFactory {
    event VaultCreated(address indexed asset, address indexed vault, string name, string symbol);

    /// @notice The asset's vault, zero while there is none.
    mapping(address asset => address) public vaultOf;

    address[] private _vaults;

    /// @notice Makes the asset's vault; where there is one already, that one is the answer and nothing changes.
    function create(IERC20Metadata asset) external returns (address vault) {
        vault = vaultOf[address(asset)];
        if (vault != address(0)) return vault;

        Vault made = new Vault{salt: _salt(asset)}(asset);
        vault = address(made);
        vaultOf[address(asset)] = vault;
        _vaults.push(vault);
        emit VaultCreated(address(asset), vault, made.name(), made.symbol());
    }

    /// @notice Where the asset's vault is or will be.
    function addressOf(IERC20Metadata asset) external view returns (address) {
        bytes32 code = keccak256(abi.encodePacked(type(Vault).creationCode, abi.encode(asset)));
        return Create2.computeAddress(_salt(asset), code);
    }

    /// @notice Every vault, oldest first.
    function vaults() external view returns (address[] memory) {
        return _vaults;
    }

    function _salt(IERC20Metadata asset) private pure returns (bytes32) {
        return bytes32(uint256(uint160(address(asset))));
    }
}
