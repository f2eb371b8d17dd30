// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @notice A token that treats each recipient as it likes: bars it, says no, says no and pays, burns gas, or answers with a flood.
contract MoodyToken is ERC20 {
    enum Mood {
        Honest,
        Bars,
        SaysNo,
        PaysAndSaysNo,
        BurnsGas,
        Floods,
        KeepsHalf
    }

    error Barred(address to);

    mapping(address to => Mood) public moods;

    constructor() ERC20("Moody", "MOOD") {}

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function setMood(address to, Mood mood) external {
        moods[to] = mood;
    }

    function transfer(address to, uint256 amount) public override returns (bool) {
        return _moody(to, amount, msg.sender);
    }

    function transferFrom(address from, address to, uint256 amount) public override returns (bool) {
        _spendAllowance(from, msg.sender, amount);
        return _moody(to, amount, from);
    }

    function _moody(address to, uint256 amount, address from) private returns (bool) {
        Mood mood = moods[to];
        if (mood == Mood.Bars) revert Barred(to);
        if (mood == Mood.SaysNo) return false;
        if (mood == Mood.BurnsGas) {
            assembly ("memory-safe") {
                invalid()
            }
        }
        _transfer(from, to, mood == Mood.KeepsHalf ? amount / 2 : amount);
        if (mood == Mood.Floods) {
            assembly ("memory-safe") {
                mstore(0, 1)
                return(0, 1000000)
            }
        }
        return mood != Mood.PaysAndSaysNo;
    }
}
