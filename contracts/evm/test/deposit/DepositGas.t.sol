// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order} from "../../src/Order.sol";
import {Jump} from "../../src/interfaces/IDepositFactory.sol";
import {vm} from "../Vm.sol";
import {NATIVE} from "./DepositFixture.sol";
import {JumpFixture} from "./JumpFixture.sol";

/// @notice What moving a deposit costs, for the committed snapshot. Each call makes the address, as the first one to it does.
contract DepositGasTest is JumpFixture {
    function sweep(address token, string memory name) internal {
        Order memory order = someOrder(token, 1_000);
        pay(token, depositOf(order), 1_500);
        factory.sweep(order);
        vm.snapshotGasLastCall("deposit", name);
        factory.giveBack(order, list(token));
        vm.snapshotGasLastCall("deposit", string.concat(name, ", then the rest back"));
    }

    function test_Rule16_gas_of_a_native_sweep() public {
        sweep(NATIVE, "sweep native");
    }

    function test_Rule16_gas_of_a_token_sweep() public {
        sweep(address(usdc), "sweep ERC-20");
    }

    function test_Rule16_gas_of_a_return_without_an_order() public {
        Order memory order = someOrder(address(usdc), 1_000);
        pay(address(dai), depositOf(order), 1_500);
        factory.giveBack(order, list(address(dai)));
        vm.snapshotGasLastCall("deposit", "giveBack ERC-20");
    }

    function test_Rule21_gas_of_a_jump() public {
        Jump memory jump = someJump(address(usdc));
        Order memory order = orderOf(jump, 300, 200);
        pay(address(usdc), depositOf(jump), 300);
        bytes memory signature = makerOpens(jump, order);
        factory.jump(jump, order, signature);
        vm.snapshotGasLastCall("deposit", "jump ERC-20");
    }
}
