// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Order} from "../../src/Order.sol";
import {OnchainCrossChainOrder} from "../../src/interfaces/IERC7683.sol";
import {IEscrow} from "../../src/interfaces/IEscrow.sol";

/// @notice An escrow that opens but takes only half of the allowance.
contract HalfEscrow {
    mapping(bytes32 id => IEscrow.Status) public status;

    function open(OnchainCrossChainOrder calldata envelope) external payable {
        Order memory order = abi.decode(envelope.orderData, (Order));
        status[order.id()] = IEscrow.Status.Open;
        IERC20(address(uint160(uint256(order.inputToken))))
            .transferFrom(msg.sender, address(this), order.amountIn / 2);
    }
}

/// @notice A token that misbehaves in `transfer` as its heirs say.
abstract contract HostileToken {
    mapping(address holder => uint256) public balances;

    function mint(address to, uint256 amount) external {
        balances[to] += amount;
    }

    function balanceOf(address holder) external view virtual returns (uint256) {
        return balances[holder];
    }

    function transfer(address to, uint256 amount) external virtual returns (bool) {
        balances[msg.sender] -= amount;
        balances[to] += amount;
        return true;
    }
}

contract NoApprovals is HostileToken {
    function approve(address, uint256) external pure returns (bool) {
        return false;
    }
}

contract RevertingToken is HostileToken {
    function transfer(address, uint256) external pure override returns (bool) {
        revert("no");
    }
}

/// @notice Returns false and moves nothing.
contract FalseToken is HostileToken {
    function transfer(address, uint256) external pure override returns (bool) {
        return false;
    }
}

contract GasBurningToken is HostileToken {
    function transfer(address, uint256) external pure override returns (bool) {
        assembly ("memory-safe") {
            invalid()
        }
    }
}

contract GasBurningReader is HostileToken {
    function balanceOf(address) external pure override returns (uint256) {
        assembly ("memory-safe") {
            invalid()
        }
    }
}

/// @notice Returns a megabyte, which is expensive for a caller that copies it.
contract BombToken is HostileToken {
    function transfer(address, uint256) external pure override returns (bool) {
        assembly ("memory-safe") {
            revert(0, 1000000)
        }
    }
}

/// @notice The same money under a second address, as native currencies with a token's face have it.
contract SecondFace {
    HostileToken public immutable first;

    constructor(HostileToken first_) {
        first = first_;
    }

    function balanceOf(address holder) external view returns (uint256) {
        return first.balanceOf(holder);
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        TwoFaced(address(first)).moveFor(msg.sender, to, amount);
        return true;
    }
}

contract TwoFaced is HostileToken {
    address public second;

    function recognise(address second_) external {
        second = second_;
    }

    function moveFor(address from, address to, uint256 amount) external {
        require(msg.sender == second, "stranger");
        balances[from] -= amount;
        balances[to] += amount;
    }
}

/// @notice Makes a configured call during a transfer, and records whether it succeeded.
contract ReentrantToken is HostileToken {
    address public target;
    bytes public data;
    bool public worked;

    function plan(address target_, bytes calldata data_) external {
        (target, data) = (target_, data_);
    }

    function transfer(address to, uint256 amount) external virtual override returns (bool) {
        (worked,) = target.call(data);
        balances[msg.sender] -= amount;
        balances[to] += amount;
        return true;
    }
}

/// @notice A whole token that calls out while it is pulled.
contract PullingToken is ReentrantToken {
    mapping(address owner => mapping(address spender => uint256)) public allowance;

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        (worked,) = target.call(data);
        balances[from] -= amount;
        balances[to] += amount;
        return true;
    }

    function transfer(address to, uint256 amount) external override returns (bool) {
        balances[msg.sender] -= amount;
        balances[to] += amount;
        return true;
    }
}

contract RevertingRecipient {
    receive() external payable {
        revert("no");
    }
}

contract GasBurningRecipient {
    receive() external payable {
        assembly ("memory-safe") {
            invalid()
        }
    }
}

contract BombRecipient {
    receive() external payable {
        assembly ("memory-safe") {
            revert(0, 1000000)
        }
    }
}
