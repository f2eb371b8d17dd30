// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order, OrderLib} from "../../src/Order.sol";
import {DepositFactory} from "../../src/deposit/DepositFactory.sol";
import {IDepositFactory} from "../../src/interfaces/IDepositFactory.sol";
import {IEscrow} from "../../src/interfaces/IEscrow.sol";
import {Vm, vm} from "../Vm.sol";
import {DepositFixture, EXCHANGE, FILLER, NATIVE, REFUND, START, USER} from "./DepositFixture.sol";
import {GasBurningReader} from "./Hostile.sol";

contract GiveBackTest is DepositFixture {
    function refuse(Order memory order, address[] memory tokens) internal {
        vm.expectRevert(abi.encodeWithSelector(IDepositFactory.StillAwaited.selector, order.id()));
        factory.giveBack(order, tokens);
    }

    function test_Rule15_an_address_with_several_tokens_is_opened_and_all_the_rest_returned() public {
        Order memory order = someOrder(address(usdc), 100);
        address spot = depositOf(order);
        pay(address(usdc), spot, 130);
        pay(address(usdt), spot, 7);
        pay(address(dai), spot, 8);
        pay(NATIVE, spot, 9);
        factory.sweep(order);

        address[] memory tokens = new address[](4);
        (tokens[0], tokens[1], tokens[2], tokens[3]) = (address(usdc), address(usdt), NATIVE, address(dai));
        vm.expectEmit(address(factory));
        emit IDepositFactory.Returned(order.id(), spot, REFUND, address(usdc), 30);
        vm.expectEmit(address(factory));
        emit IDepositFactory.Returned(order.id(), spot, REFUND, address(usdt), 7);
        vm.expectEmit(address(factory));
        emit IDepositFactory.Returned(order.id(), spot, REFUND, NATIVE, 9);
        vm.expectEmit(address(factory));
        emit IDepositFactory.Returned(order.id(), spot, REFUND, address(dai), 8);
        factory.giveBack(order, tokens);

        require(escrow.status(order.id()) == IEscrow.Status.Open, "status");
        equal(usdc.balanceOf(address(escrow)), 100, "escrow");
        equal(usdc.balanceOf(REFUND), 30, "usdc");
        equal(usdt.balanceOf(REFUND), 7, "usdt");
        equal(dai.balanceOf(REFUND), 8, "dai");
        equal(REFUND.balance, 9, "native");
        for (uint256 i = 0; i < tokens.length; ++i) {
            equal(held(tokens[i], spot), 0, "left");
            equal(held(tokens[i], EXCHANGE), 0, "the sender got something");
        }
    }

    function test_Rule15_other_tokens_go_back_at_once_while_the_input_waits() public {
        Order memory order = someOrder(address(usdc), 100);
        address spot = depositOf(order);
        pay(address(usdc), spot, 100);
        pay(address(dai), spot, 8);
        refuse(order, list(address(usdc)));
        refuse(order, list(address(dai), address(usdc)));
        factory.giveBack(order, list(address(dai)));
        equal(dai.balanceOf(REFUND), 8, "dai");
        factory.sweep(order);
    }

    function test_Rule15_the_awaited_input_is_refused_even_before_any_of_it_has_come() public {
        refuse(someOrder(address(usdc), 100), list(address(usdc)));
    }

    function test_Rule15_native_input_waits_too() public {
        Order memory order = someOrder(NATIVE, 1 ether);
        pay(NATIVE, depositOf(order), 1 ether);
        refuse(order, list(NATIVE));
        factory.sweep(order);
    }

    function test_Rule15_too_little_waits_until_the_open_deadline_and_goes_back_after() public {
        Order memory order = someOrder(address(usdc), 100);
        pay(address(usdc), depositOf(order), 99);
        vm.warp(order.openDeadline);
        refuse(order, list(address(usdc)));
        vm.warp(order.openDeadline + 1);
        factory.giveBack(order, list(address(usdc)));
        equal(usdc.balanceOf(REFUND), 99, "returned");
    }

    function test_Rule15_excess_waits_for_the_opening_and_goes_back_right_after() public {
        Order memory order = someOrder(address(usdc), 100);
        pay(address(usdc), depositOf(order), 101);
        refuse(order, list(address(usdc)));
        factory.sweep(order);
        factory.giveBack(order, list(address(usdc)));
        equal(usdc.balanceOf(REFUND), 1, "returned");
    }

    function test_Rule15_late_arrivals_go_back_whatever_became_of_the_order() public {
        Order memory order = someOrder(address(usdc), 100);
        address spot = depositOf(order);
        pay(address(usdc), spot, 100);
        factory.sweep(order);
        pay(address(usdc), spot, 100);
        factory.giveBack(order, list(address(usdc)));
        equal(usdc.balanceOf(REFUND), 100, "while open");

        vm.prank(FILLER);
        escrow.refund(order);
        equal(usdc.balanceOf(REFUND), 200, "refund of the order itself");
        pay(address(usdc), spot, 1);
        factory.giveBack(order, list(address(usdc)));
        equal(usdc.balanceOf(REFUND), 201, "after its end");

        vm.warp(order.refundAt + 365 days);
        pay(address(usdc), spot, 1);
        factory.giveBack(order, list(address(usdc)));
        equal(usdc.balanceOf(REFUND), 202, "years later");
    }

    function testFuzz_Rule15_on_another_chain_everything_goes_back_at_once(uint64 chainId, uint256 time)
        public
    {
        vm.assume(chainId != 1 && chainId != 0);
        Order memory order = someOrder(address(usdc), 100);
        address spot = depositOf(order);
        vm.chainId(chainId);
        vm.warp(within(time, 0, order.refundAt));
        pay(address(usdc), spot, 100);
        pay(NATIVE, spot, 3);
        factory.giveBack(order, list(address(usdc), NATIVE));
        equal(usdc.balanceOf(REFUND), 100, "usdc");
        equal(REFUND.balance, 3, "native");
    }

    function test_Rule15_an_order_of_another_version_goes_back_at_once() public {
        Order memory order = someOrder(address(usdc), 100);
        order.version = 1;
        pay(address(usdc), depositOf(order), 100);
        factory.giveBack(order, list(address(usdc)));
        equal(usdc.balanceOf(REFUND), 100, "returned");
    }

    function testFuzz_Rule16_only_the_refund_address_receives_for_any_caller(address caller, uint256 amount)
        public
    {
        vm.assume(caller != REFUND);
        amount = within(amount, 1, type(uint128).max);
        Order memory order = someOrder(address(usdc), 100);
        address spot = depositOf(order);
        vm.assume(caller != spot);
        pay(address(dai), spot, amount);
        pay(NATIVE, spot, amount);
        uint256 before = caller.balance;
        vm.prank(caller);
        factory.giveBack(order, list(address(dai), NATIVE));
        equal(dai.balanceOf(REFUND), amount, "dai");
        equal(REFUND.balance, amount, "native");
        equal(dai.balanceOf(caller) + dai.balanceOf(EXCHANGE) + dai.balanceOf(USER), 0, "others");
        equal(caller.balance, before, "caller");
    }

    function test_Rule15_a_token_listed_twice_is_returned_once() public {
        Order memory order = someOrder(address(usdc), 100);
        pay(address(dai), depositOf(order), 8);
        vm.recordLogs();
        factory.giveBack(order, list(address(dai), address(dai)));
        Vm.Log[] memory logs = vm.getRecordedLogs();
        uint256 returned = 0;
        for (uint256 i = 0; i < logs.length; ++i) {
            if (logs[i].topics[0] == IDepositFactory.Returned.selector) ++returned;
            require(logs[i].topics[0] != IDepositFactory.Skipped.selector, "skipped");
        }
        equal(returned, 1, "events");
        equal(dai.balanceOf(REFUND), 8, "dai");
    }

    function test_Rule16_a_refund_address_that_is_no_address_reverts() public {
        Order memory order = someOrder(address(usdc), 100);
        order.refundTo |= bytes32(uint256(1) << 200);
        pay(address(dai), depositOf(order), 8);
        vm.expectRevert(abi.encodeWithSelector(OrderLib.DirtyAddress.selector, order.refundTo));
        factory.giveBack(order, list(address(dai)));
    }

    function test_Rule16_nothing_is_sent_to_the_zero_address() public {
        Order memory order = someOrder(address(usdc), 100);
        order.refundTo = 0;
        pay(NATIVE, depositOf(order), 8);
        vm.expectRevert(DepositFactory.NoRefundAddress.selector);
        factory.giveBack(order, list(NATIVE));
    }

    function test_Rule15_an_escrow_that_does_not_answer_holds_the_money_until_the_open_deadline() public {
        address[2] memory silent = [EXCHANGE, address(new GasBurningReader())];
        for (uint256 i = 0; i < silent.length; ++i) {
            Order memory order = someOrder(address(usdc), 100);
            order.escrow = word(silent[i]);
            order.openDeadline = START + 10 minutes * (i + 1);
            pay(address(usdc), depositOf(order), 100);
            refuse(order, list(address(usdc)));
            vm.warp(order.openDeadline + 1);
            factory.giveBack(order, list(address(usdc)));
            equal(usdc.balanceOf(REFUND), 100 * (i + 1), "returned");
        }
    }

    function testFuzz_Rule15_money_may_open_or_go_back_but_never_both(uint256 time, uint256 paid) public {
        Order memory order = someOrder(address(usdc), 100);
        paid = within(paid, 1, 200);
        pay(address(usdc), depositOf(order), paid);
        vm.warp(within(time, START, order.openDeadline + 10 minutes));
        (bool back,) = address(factory).call(abi.encodeCall(factory.giveBack, (order, list(address(usdc)))));
        (bool swept,) = address(factory).call(abi.encodeCall(factory.sweep, (order)));
        require(back == (block.timestamp > order.openDeadline), "returned before its time");
        require(swept == (block.timestamp <= order.openDeadline && paid >= 100), "swept");
        equal(usdc.balanceOf(REFUND), back ? paid : 0, "refund address");
        equal(usdc.balanceOf(address(escrow)), swept ? 100 : 0, "escrow");
    }
}
