// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @notice Makes a prepared call once, when it is called, and records the result.
abstract contract Armed {
    address private target;
    bytes private payload;

    bool public fired;
    bool public succeeded;
    bytes public answer;

    function arm(address target_, bytes calldata payload_) external {
        target = target_;
        payload = payload_;
        fired = false;
    }

    function _fire() internal {
        if (target == address(0) || fired) return;
        fired = true;
        (succeeded, answer) = target.call(payload);
    }
}

/// @notice A wallet that calls back when it receives money, and otherwise executes the given calls.
contract ArmedWallet is Armed {
    receive() external payable {
        _fire();
    }

    function act(address target, uint256 value, bytes calldata data) external payable {
        (bool done, bytes memory problem) = target.call{value: value}(data);
        if (!done) {
            assembly ("memory-safe") {
                revert(add(problem, 32), mload(problem))
            }
        }
    }
}

/// @notice A token that calls back during a transfer, like tokens with hooks.
contract ArmedToken is ERC20, Armed {
    constructor() ERC20("Armed", "ARM") {}

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        if (from != address(0)) _fire();
    }
}
