// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order} from "../../src/Order.sol";
import {IAttesterRegistry} from "../../src/interfaces/IAttesterRegistry.sol";
import {IEscrow} from "../../src/interfaces/IEscrow.sol";
import {Fixture} from "../Fixture.sol";
import {vm} from "../Vm.sol";

contract RefundTest is Fixture {
    function refunded(Order memory order, IEscrow.RefundCause cause) internal {
        vm.expectEmit(address(escrow));
        emit IEscrow.Refunded(order.id(), REFUND, order.amountIn, cause);
    }

    function test_Rule07_TheFillerWaivesAtAnyTime() public {
        Order memory order = referredOrder();
        open(order);
        refunded(order, IEscrow.RefundCause.Waived);
        vm.prank(FILLER);
        escrow.refund(order);
        eq(status(order), IEscrow.Status.Refunded);
        eq(usd.balanceOf(REFUND), order.amountIn, "all of it, the referrer's fee too");
        eq(usd.balanceOf(REFERRER), 0, "referrer");
    }

    function testFuzz_Rule07_NobodyElseWaives(address caller, uint256 time) public {
        vm.assume(caller != FILLER);
        Order memory order = crossOrder();
        open(order);
        vm.warp(within(time, START, order.refundAt));
        vm.expectRevert(abi.encodeWithSelector(IEscrow.NotRefundable.selector, order.refundAt));
        vm.prank(caller);
        escrow.refund(order);
    }

    function test_Rule07_AThresholdFindsItUnfilled() public {
        Order memory order = crossOrder();
        open(order);
        uint256 time = order.fillDeadline + 1;
        bytes[] memory signatures = attestUnfilled(order, time, 2);
        refunded(order, IEscrow.RefundCause.Unfilled);
        vm.prank(STRANGER);
        escrow.refundUnfilled(order, time, signatures);
        eq(usd.balanceOf(REFUND), order.amountIn, "refund");
    }

    function test_Rule07_UnfilledAtTheDeadlineItselfSaysNothing() public {
        Order memory order = crossOrder();
        open(order);
        bytes[] memory signatures = attestUnfilled(order, order.fillDeadline, 3);
        vm.expectRevert(
            abi.encodeWithSelector(IEscrow.NotUnfilled.selector, order.fillDeadline, order.fillDeadline)
        );
        escrow.refundUnfilled(order, order.fillDeadline, signatures);
    }

    function test_Rule07_LessThanAThresholdRefundsNothing() public {
        Order memory order = crossOrder();
        open(order);
        uint256 time = order.fillDeadline + 1;
        bytes[] memory signatures = attestUnfilled(order, time, 1);
        vm.expectRevert(abi.encodeWithSelector(IAttesterRegistry.TooFewSignatures.selector, 1, 2));
        escrow.refundUnfilled(order, time, signatures);
    }

    function test_Rule07_AFilledAttestationRefundsNothing() public {
        Order memory order = crossOrder();
        open(order);
        uint256 time = order.fillDeadline + 1;
        bytes[] memory signatures = attestFilled(order, time, 2);
        vm.expectPartialRevert(IAttesterRegistry.NotAnAttester.selector);
        escrow.refundUnfilled(order, time, signatures);
    }

    function test_Rule07_AnyoneRefundsOnceTheGraceHasPassed() public {
        Order memory order = crossOrder();
        open(order);
        vm.warp(order.refundAt);
        vm.expectRevert(abi.encodeWithSelector(IEscrow.NotRefundable.selector, order.refundAt));
        vm.prank(STRANGER);
        escrow.refund(order);
        vm.warp(order.refundAt + 1);
        refunded(order, IEscrow.RefundCause.Expired);
        vm.prank(STRANGER);
        escrow.refund(order);
        eq(usd.balanceOf(REFUND), order.amountIn, "refund");
    }

    function test_Rule07_NativeCurrencyAndTokensThatReturnNothingComeBack() public {
        address[2] memory tokens = [NATIVE, address(tether)];
        for (uint256 i = 0; i < tokens.length; ++i) {
            Order memory order = crossOrder();
            order.inputToken = _b(tokens[i]);
            open(order);
            vm.prank(FILLER);
            escrow.refund(order);
            eq(balance(tokens[i], REFUND), order.amountIn, "refund");
        }
    }

    function test_Rule07_RefundTwiceReverts() public {
        Order memory order = crossOrder();
        open(order);
        vm.warp(order.refundAt + 1);
        escrow.refund(order);
        vm.expectRevert(notOpen(order, IEscrow.Status.Refunded));
        escrow.refund(order);
        vm.expectRevert(notOpen(order, IEscrow.Status.Refunded));
        vm.prank(REFUND);
        escrow.refundTo(order, STRANGER);
    }

    function test_Rule07_RefundBeforeOpenReverts() public {
        Order memory order = crossOrder();
        vm.expectRevert(notOpen(order, IEscrow.Status.None));
        vm.prank(FILLER);
        escrow.refund(order);
    }

    function test_Rule07_RefundAfterClaimReverts() public {
        Order memory order = crossOrder();
        open(order);
        claim(order);
        vm.warp(order.refundAt + 1);
        vm.expectRevert(notOpen(order, IEscrow.Status.Claimed));
        escrow.refund(order);
    }

    function stuckOrder() internal returns (Order memory order) {
        order = crossOrder();
        order.inputToken = _b(address(tether));
        open(order);
        vm.warp(order.refundAt + 1);
        vm.prank(tether.owner());
        tether.pause();
    }

    function test_Rule07_AFailingRefundRevertsAndStaysOpen() public {
        Order memory order = stuckOrder();
        vm.expectRevert(abi.encodeWithSelector(IEscrow.TransferFailed.selector, address(tether), REFUND));
        escrow.refund(order);
        eq(status(order), IEscrow.Status.Open);
    }

    function test_Rule07_TheRefundAddressNamesAnother() public {
        Order memory order = crossOrder();
        open(order);
        vm.warp(order.refundAt + 1);
        vm.expectEmit(address(escrow));
        emit IEscrow.Refunded(order.id(), STRANGER, order.amountIn, IEscrow.RefundCause.Expired);
        vm.prank(REFUND);
        escrow.refundTo(order, STRANGER);
        eq(usd.balanceOf(STRANGER), order.amountIn, "redirected");
    }

    function test_Rule07_OnlyAnExpiredRefundIsRedirected() public {
        Order memory order = crossOrder();
        open(order);
        vm.warp(order.refundAt);
        vm.expectRevert(abi.encodeWithSelector(IEscrow.NotRefundable.selector, order.refundAt));
        vm.prank(REFUND);
        escrow.refundTo(order, STRANGER);
    }

    function test_Rule07_TheUserRedirectsFromThirtyDaysAfter() public {
        Order memory order = crossOrder();
        open(order);
        vm.warp(order.refundAt + 30 days - 1);
        vm.expectRevert(abi.encodeWithSelector(IEscrow.NotTheRefundAddress.selector, user));
        vm.prank(user);
        escrow.refundTo(order, STRANGER);
        vm.warp(order.refundAt + 30 days);
        vm.prank(user);
        escrow.refundTo(order, STRANGER);
        eq(usd.balanceOf(STRANGER), order.amountIn, "redirected");
    }

    function testFuzz_Rule07_NobodyElseEverRedirects(address caller, uint256 time) public {
        vm.assume(caller != user && caller != REFUND);
        Order memory order = crossOrder();
        open(order);
        vm.warp(within(time, order.refundAt + 1, order.refundAt + 3650 days));
        vm.expectRevert(abi.encodeWithSelector(IEscrow.NotTheRefundAddress.selector, caller));
        vm.prank(caller);
        escrow.refundTo(order, caller);
    }

    function test_Rule07_ARefundIsNotRedirectedIntoTheVoid() public {
        Order memory order = crossOrder();
        open(order);
        vm.warp(order.refundAt + 1);
        vm.expectRevert(abi.encodeWithSelector(IEscrow.ZeroAddress.selector));
        vm.prank(REFUND);
        escrow.refundTo(order, address(0));
        vm.expectRevert(abi.encodeWithSelector(IEscrow.EscrowAsParty.selector));
        vm.prank(REFUND);
        escrow.refundTo(order, address(escrow));
    }

    function testFuzz_Rule07_WhatWasOpenedComesBackToTheLastUnit(uint256 amount, bool native) public {
        Order memory order = crossOrder();
        order.amountIn = within(amount, 1, type(uint128).max);
        if (native) order.inputToken = 0;
        open(order);
        vm.warp(order.refundAt + 1);
        escrow.refund(order);
        eq(balance(_a(order.inputToken), REFUND), order.amountIn, "refund");
        eq(balance(_a(order.inputToken), address(escrow)), 0, "escrow");
    }
}
