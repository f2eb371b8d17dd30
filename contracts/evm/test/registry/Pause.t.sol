// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order} from "../../src/Order.sol";
import {IAttesterRegistry} from "../../src/interfaces/IAttesterRegistry.sol";
import {IEscrow} from "../../src/interfaces/IEscrow.sol";
import {Fixture} from "../Fixture.sol";
import {vm} from "../Vm.sol";

contract PauseTest is Fixture {
    function pause(uint256 who) internal {
        vm.prank(vm.addr(keys[who]));
        registry.pauseOpen();
    }

    /// Open for a day and more, so that only the pause decides.
    function longOrder(bytes32 nonce) internal view returns (Order memory order) {
        order = crossOrder();
        order.nonce = nonce;
        order.openDeadline = START + 3 days;
        order.fillDeadline = START + 4 days;
        order.refundAt = START + 5 days;
    }

    function test_Rule24_AnyAttesterPausesOpeningForADay() public {
        for (uint256 i = 0; i < 3; ++i) {
            uint256 before = vm.snapshotState();
            address attester = vm.addr(keys[i]);
            vm.expectEmit(address(registry));
            emit IAttesterRegistry.OpenPaused(attester, START + 24 hours);
            pause(i);
            vm.warp(START + 24 hours - 1);
            bytes memory problem = abi.encodeWithSelector(IEscrow.OpeningPaused.selector, START + 24 hours);
            openRefused(longOrder("user"), problem);
            vm.expectRevert(problem);
            escrow.openFor(gasless(longOrder("signed")), "", "");
            vm.warp(START + 24 hours);
            open(longOrder("user"));
            vm.revertToState(before);
            vm.warp(START);
        }
    }

    function test_Rule24_DepositAddressesWaitToo() public {
        pause(0);
        Order memory order = longOrder("swept");
        fund(address(usd), factory.addressOf(order.id()), address(1), order.amountIn);
        vm.expectRevert(abi.encodeWithSelector(IEscrow.OpeningPaused.selector, START + 24 hours));
        factory.sweep(order);
        vm.warp(START + 24 hours);
        factory.sweep(order);
        eq(status(order), IEscrow.Status.Open);
    }

    function test_Rule24_NothingElsePauses() public {
        Order[4] memory orders;
        for (uint256 i = 0; i < orders.length; ++i) {
            orders[i] = crossOrder();
            orders[i].nonce = bytes32(i);
            open(orders[i]);
        }
        Order memory local = localOrder();
        open(local);
        pause(1);

        claim(orders[0]);
        vm.prank(FILLER);
        escrow.refund(orders[1]);
        uint256 time = orders[2].fillDeadline + 1;
        escrow.refundUnfilled(orders[2], time, attestUnfilled(orders[2], time, 2));
        fill(local);
        escrow.claim(local, 0, 0, new bytes[](0));
        vm.warp(orders[3].refundAt + 1);
        eq(registry.pausedUntil(), START + 24 hours, "still paused");
        vm.prank(REFUND);
        escrow.refundTo(orders[3], REFUND);
        eq(usd.balanceOf(PAYEE), 2 * local.amountIn, "payee");
        eq(usd.balanceOf(REFUND), 3 * local.amountIn, "refund");
        eq(usd.balanceOf(address(escrow)), 0, "escrow");
    }

    function test_Rule24_AnAttesterWhoResignedPausesNothing() public {
        address leaver = vm.addr(keys[2]);
        vm.prank(leaver);
        registry.resign(1);
        vm.expectRevert(abi.encodeWithSelector(IAttesterRegistry.NotAnAttester.selector, 1, leaver));
        vm.prank(leaver);
        registry.pauseOpen();
    }

    function test_Rule24_APauseCanBeRenewed() public {
        pause(0);
        vm.warp(START + 20 hours);
        pause(1);
        (uint256 epoch, uint256 until) = registry.opening();
        eq(until, START + 44 hours, "until");
        eq(epoch, 1, "epoch");
    }
}
