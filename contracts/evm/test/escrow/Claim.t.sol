// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order} from "../../src/Order.sol";
import {IAttesterRegistry} from "../../src/interfaces/IAttesterRegistry.sol";
import {IEscrow} from "../../src/interfaces/IEscrow.sol";
import {Fixture} from "../Fixture.sol";
import {Signing} from "../Signing.sol";
import {vm} from "../Vm.sol";

contract ClaimTest is Fixture {
    bytes32 constant REF = keccak256("fill");

    function refused(Order memory order, uint256 filledAt, bytes[] memory signatures, bytes memory problem)
        internal
    {
        vm.expectRevert(problem);
        escrow.claim(order, filledAt, REF, signatures);
    }

    function test_Rule06_AThresholdPaysThePayee() public {
        Order memory order = crossOrder();
        open(order);
        bytes[] memory signatures = attestFilled(order, START + 60, 2);
        vm.expectEmit(address(escrow));
        emit IEscrow.Claimed(order.id(), order.amountIn);
        vm.prank(STRANGER);
        escrow.claim(order, START + 60, REF, signatures);
        eq(status(order), IEscrow.Status.Claimed);
        eq(usd.balanceOf(PAYEE), order.amountIn, "payee");
        eq(usd.balanceOf(address(escrow)), 0, "escrow");
    }

    function test_Rule06_TheReferrerGetsItsFeeAndThePayeeTheRest() public {
        Order memory order = referredOrder();
        open(order);
        vm.expectEmit(address(escrow));
        emit IEscrow.Claimed(order.id(), 990e6);
        claim(order);
        eq(usd.balanceOf(REFERRER), 10e6, "referrer");
        eq(usd.balanceOf(PAYEE), 990e6, "payee");
    }

    function test_Rule06_NativeCurrencyAndTokensThatReturnNothingArePaidOut() public {
        address[2] memory tokens = [NATIVE, address(tether)];
        for (uint256 i = 0; i < tokens.length; ++i) {
            Order memory order = referredOrder();
            order.inputToken = _b(tokens[i]);
            open(order);
            claim(order);
            eq(balance(tokens[i], REFERRER), 10e6, "referrer");
            eq(balance(tokens[i], PAYEE), 990e6, "payee");
            eq(balance(tokens[i], address(escrow)), 0, "escrow");
        }
    }

    function test_Rule06_AFeeOfTheWholeAmountLeavesThePayeeNothing() public {
        Order memory order = referredOrder();
        order.referrerFee = order.amountIn;
        open(order);
        claim(order);
        eq(usd.balanceOf(REFERRER), order.amountIn, "referrer");
        eq(usd.balanceOf(PAYEE), 0, "payee");
    }

    function testFuzz_Rule06_WhatWasOpenedIsPaidOutToTheLastUnit(uint256 amount, uint256 fee, bool native)
        public
    {
        Order memory order = referredOrder();
        order.amountIn = within(amount, 1, type(uint128).max);
        order.referrerFee = within(fee, 0, order.amountIn);
        if (native) order.inputToken = 0;
        address token = _a(order.inputToken);
        open(order);
        claim(order);
        eq(balance(token, REFERRER), order.referrerFee, "referrer");
        eq(balance(token, PAYEE), order.amountIn - order.referrerFee, "payee");
        eq(balance(token, address(escrow)), 0, "escrow");
    }

    function test_Rule06_AFillAtTheDeadlineCountsAndOneSecondLaterDoesNot() public {
        Order memory order = crossOrder();
        open(order);
        uint256 late = order.fillDeadline + 1;
        refused(
            order,
            late,
            attestFilled(order, late, 3),
            abi.encodeWithSelector(IEscrow.FilledTooLate.selector, late, order.fillDeadline)
        );
        claim(order);
    }

    function test_Rule06_ClaimBeforeFillReverts() public {
        Order memory order = crossOrder();
        open(order);
        bytes memory problem = abi.encodeWithSelector(IEscrow.NotFilled.selector, order.id());
        refused(order, 0, attestFilled(order, 0, 3), problem);
        problem = abi.encodeWithSelector(IAttesterRegistry.TooFewSignatures.selector, 0, 2);
        refused(order, START, new bytes[](0), problem);
    }

    function test_Rule06_ClaimBeforeOpenReverts() public {
        Order memory order = crossOrder();
        refused(order, START, attestFilled(order, START, 2), notOpen(order, IEscrow.Status.None));
    }

    function test_Rule06_ClaimTwiceReverts() public {
        Order memory order = crossOrder();
        open(order);
        claim(order);
        refused(order, START, attestFilled(order, START, 2), notOpen(order, IEscrow.Status.Claimed));
    }

    function test_Rule06_ClaimAfterRefundReverts() public {
        Order memory order = crossOrder();
        open(order);
        vm.prank(FILLER);
        escrow.refund(order);
        refused(order, START, attestFilled(order, START, 2), notOpen(order, IEscrow.Status.Refunded));
    }

    function test_Rule06_AClaimNeverExpires() public {
        Order memory order = crossOrder();
        open(order);
        vm.warp(order.refundAt + 3650 days);
        claim(order);
        eq(usd.balanceOf(PAYEE), order.amountIn, "payee");
        vm.expectRevert(notOpen(order, IEscrow.Status.Claimed));
        escrow.refund(order);
    }

    function test_Rule06_AnAmountOffByOneIsAnotherOrder() public {
        Order memory order = crossOrder();
        open(order);
        order.amountIn += 1;
        refused(order, START, attestFilled(order, START, 2), notOpen(order, IEscrow.Status.None));
    }

    function test_Rule06_AFailingPayeeReverts() public {
        Order memory order = crossOrder();
        order.inputToken = _b(address(tether));
        open(order);
        bytes[] memory signatures = attestFilled(order, START, 2);
        vm.prank(tether.owner());
        tether.pause();
        refused(
            order,
            START,
            signatures,
            abi.encodeWithSelector(IEscrow.TransferFailed.selector, address(tether), PAYEE)
        );
        eq(status(order), IEscrow.Status.Open);
    }

    /// Signatures over another fill recover to unknown addresses.
    function test_Rule10_ASignatureOverAnotherFillIsRefused() public {
        Order memory order = crossOrder();
        Order memory other = crossOrder();
        other.nonce = keccak256("another");
        open(order);
        bytes32[5] memory digests = [
            Signing.filled(ORIGIN, address(escrow), other.id(), START, REF),
            Signing.filled(ORIGIN, address(escrow), order.id(), START + 1, REF),
            Signing.filled(ORIGIN, address(escrow), order.id(), START, keccak256("another")),
            // Another chain, and another version of the contract.
            Signing.filled(DESTINATION, address(escrow), order.id(), START, REF),
            Signing.filled(ORIGIN, address(settler), order.id(), START, REF)
        ];
        for (uint256 i = 0; i < digests.length; ++i) {
            bytes[] memory signatures = Signing.all(Signing.first(keys, 2), digests[i]);
            vm.expectPartialRevert(IAttesterRegistry.NotAnAttester.selector);
            escrow.claim(order, START, REF, signatures);
        }
    }

    function test_Rule10_AnUnfilledAttestationDoesNotClaim() public {
        Order memory order = crossOrder();
        open(order);
        bytes[] memory signatures = attestUnfilled(order, order.fillDeadline + 1, 3);
        vm.expectPartialRevert(IAttesterRegistry.NotAnAttester.selector);
        escrow.claim(order, START, REF, signatures);
    }

    /// After a chain split, signatures for one chain id are invalid on the other.
    function test_Rule10_TheDomainFollowsTheChainId() public {
        Order memory order = crossOrder();
        open(order);
        bytes[] memory signatures = attestFilled(order, START, 2);
        vm.chainId(ORIGIN + 1);
        vm.expectPartialRevert(IAttesterRegistry.NotAnAttester.selector);
        escrow.claim(order, START, REF, signatures);
    }

    /// Whichever of the two words reaches the chain first decides, and the other is worth nothing.
    function test_Rule11_OneOutcomeForEachOrder() public {
        Order memory order = crossOrder();
        open(order);
        uint256 time = order.fillDeadline + 1;
        bytes[] memory filledWord = attestFilled(order, START, 2);
        bytes[] memory unfilledWord = attestUnfilled(order, time, 2);

        uint256 before = vm.snapshotState();
        escrow.claim(order, START, REF, filledWord);
        vm.expectRevert(notOpen(order, IEscrow.Status.Claimed));
        escrow.refundUnfilled(order, time, unfilledWord);
        vm.revertToState(before);
        escrow.refundUnfilled(order, time, unfilledWord);
        vm.expectRevert(notOpen(order, IEscrow.Status.Refunded));
        escrow.claim(order, START, REF, filledWord);
    }
}
