// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @notice A token that treats each recipient as it likes: bars it, says no, says no and pays, burns gas, or answers with a flood.
contract SwitchableToken is ERC20 {
    enum Behavior {
        Honest,
        Bars,
        SaysNo,
        PaysAndSaysNo,
        BurnsGas,
        Floods,
        KeepsHalf
    }

    error Barred(address to);

    mapping(address to => Behavior) public behaviors;

    constructor() ERC20("Switchable", "SWITCH") {}

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function setBehavior(address to, Behavior behavior) external {
        behaviors[to] = behavior;
    }

    function transfer(address to, uint256 amount) public override returns (bool) {
        return _move(to, amount, msg.sender);
    }

    function transferFrom(address from, address to, uint256 amount) public override returns (bool) {
        _spendAllowance(from, msg.sender, amount);
        return _move(to, amount, from);
    }

    function _move(address to, uint256 amount, address from) private returns (bool) {
        Behavior behavior = behaviors[to];
        if (behavior == Behavior.Bars) revert Barred(to);
        if (behavior == Behavior.SaysNo) return false;
        if (behavior == Behavior.BurnsGas) {
            assembly ("memory-safe") {
                invalid()
            }
        }
        _transfer(from, to, behavior == Behavior.KeepsHalf ? amount / 2 : amount);
        if (behavior == Behavior.Floods) {
            assembly ("memory-safe") {
                mstore(0, 1)
                return(0, 1000000)
            }
        }
        return behavior != Behavior.PaysAndSaysNo;
    }
}
