// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {MintableToken} from "./MintableToken.sol";

/// @notice Behaves as USDT does on Ethereum: nothing is returned, an allowance is changed through zero only,
/// refusals carry no reason, the owner can pause transfers and bar holders.
/// @dev Slot 7: isBlackListed. Slot 8: paused. USDT's fee on transfer has always been zero and is left out.
contract QuirkyToken is MintableToken {
    event Pause();
    event Unpause();
    event AddedBlackList(address _user);
    event RemovedBlackList(address _user);

    mapping(address holder => bool) public isBlackListed;
    bool public paused;

    function owner() external view returns (address) {
        return faucet;
    }

    function getBlackListStatus(address holder) external view returns (bool) {
        return isBlackListed[holder];
    }

    function transfer(address to, uint256 value) external {
        _transfer(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed != type(uint256).max) allowance[from][msg.sender] = _subtract(allowed, value);
        _transfer(from, to, value);
    }

    /// @dev Works while paused, as the original does.
    function approve(address spender, uint256 value) external {
        require(value == 0 || allowance[msg.sender][spender] == 0);
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
    }

    function pause() external onlyFaucet {
        require(!paused);
        paused = true;
        emit Pause();
    }

    function unpause() external onlyFaucet {
        require(paused);
        paused = false;
        emit Unpause();
    }

    function addBlackList(address holder) external onlyFaucet {
        isBlackListed[holder] = true;
        emit AddedBlackList(holder);
    }

    function removeBlackList(address holder) external onlyFaucet {
        isBlackListed[holder] = false;
        emit RemovedBlackList(holder);
    }

    /// @dev A barred holder can still receive, as with the original.
    function _transfer(address from, address to, uint256 value) private {
        require(!paused && !isBlackListed[from]);
        balanceOf[from] = _subtract(balanceOf[from], value);
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }

    /// @dev The original asserts here, and its compiler's assertion burns all gas that is left.
    function _subtract(uint256 a, uint256 b) private pure returns (uint256) {
        if (b > a) {
            assembly ("memory-safe") {
                invalid()
            }
        }
        return a - b;
    }
}
