// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order} from "../../src/Order.sol";
import {Settler} from "../../src/Settler.sol";
import {IEscrow} from "../../src/interfaces/IEscrow.sol";
import {ISettler} from "../../src/interfaces/ISettler.sol";
import {Fixture} from "../Fixture.sol";
import {vm} from "../Vm.sol";
import {ArmedWallet} from "../hostile/Armed.sol";

contract SameChainTest is Fixture {
    bytes[] none;

    function test_Rule08_TheSettlersRecordPays() public {
        Order memory order = localOrder();
        open(order);
        vm.warp(START + 60);
        fill(order);
        vm.warp(START + 90);
        // The caller's statement about the fill is ignored.
        vm.expectEmit(address(escrow));
        emit IEscrow.Claimed(order.id(), order.amountIn);
        escrow.claim(order, 7, keccak256("anything"), none);
        eq(usd.balanceOf(PAYEE), order.amountIn, "payee");
        eq(eur.balanceOf(RECIPIENT), order.amountOut, "recipient");
    }

    function test_Rule08_AttestationsAreRefused() public {
        Order memory order = localOrder();
        open(order);
        bytes[] memory signatures = attestFilled(order, START, 3);
        vm.expectRevert(abi.encodeWithSelector(IEscrow.AttestationsRefused.selector));
        escrow.claim(order, START, keccak256("fill"), signatures);

        vm.warp(order.fillDeadline + 1);
        signatures = attestUnfilled(order, order.fillDeadline + 1, 3);
        vm.expectRevert(abi.encodeWithSelector(IEscrow.AttestationsRefused.selector));
        escrow.refundUnfilled(order, order.fillDeadline + 1, signatures);
    }

    function test_Rule08_ClaimBeforeFillReverts() public {
        Order memory order = localOrder();
        open(order);
        vm.expectRevert(abi.encodeWithSelector(IEscrow.NotFilled.selector, order.id()));
        escrow.claim(order, START, 0, none);
    }

    function test_Rule08_TheSettlerIsTheEscrowsOwn() public {
        Order memory order = localOrder();
        order.settler = _b(address(new Settler()));
        openRefused(order, abi.encodeWithSelector(IEscrow.WrongSettler.selector, order.settler));
    }

    function test_Rule08_AnUnfilledOrderComesBackAfterTheFillDeadline() public {
        Order memory order = localOrder();
        open(order);
        vm.warp(order.fillDeadline);
        vm.expectRevert(abi.encodeWithSelector(IEscrow.NotRefundable.selector, order.fillDeadline));
        escrow.refund(order);
        vm.warp(order.fillDeadline + 1);
        escrow.refund(order);
        eq(usd.balanceOf(REFUND), order.amountIn, "refund");
    }

    function test_Rule08_TheFillerWaivesEarly() public {
        Order memory order = localOrder();
        open(order);
        vm.prank(FILLER);
        escrow.refund(order);
        eq(usd.balanceOf(REFUND), order.amountIn, "refund");
    }

    function test_Rule08_AFilledOrderIsNeverRefunded() public {
        Order memory order = localOrder();
        open(order);
        fill(order);
        bytes memory problem = abi.encodeWithSelector(IEscrow.AlreadyFilled.selector, order.id());
        vm.warp(order.refundAt + 31 days);
        vm.expectRevert(problem);
        escrow.refund(order);
        vm.expectRevert(problem);
        vm.prank(FILLER);
        escrow.refund(order);
        vm.expectRevert(problem);
        vm.prank(REFUND);
        escrow.refundTo(order, STRANGER);
        escrow.claim(order, 0, 0, none);
        eq(usd.balanceOf(PAYEE), order.amountIn, "payee");
    }

    function test_Rule08_AnExpiredRefundIsRedirectedAfterTheFillDeadline() public {
        Order memory order = localOrder();
        open(order);
        vm.warp(order.fillDeadline + 1);
        vm.prank(REFUND);
        escrow.refundTo(order, STRANGER);
        eq(usd.balanceOf(STRANGER), order.amountIn, "redirected");
    }

    /// A fill at the last second and a refund a second later never both work.
    function testFuzz_Rule08_EitherFilledOrRefunded(uint256 fillTime, uint256 refundTime) public {
        Order memory order = localOrder();
        open(order);
        fund(address(eur), FILLER, address(settler), order.amountOut);
        fillTime = within(fillTime, START, order.fillDeadline + 5);
        refundTime = within(refundTime, START, order.fillDeadline + 5);
        bool refunded;
        if (refundTime < fillTime) refunded = tryRefund(order, refundTime);
        bool filled = tryFill(order, fillTime);
        if (refundTime >= fillTime) refunded = tryRefund(order, refundTime);
        require(!(filled && refunded), "both");
        require(filled == (fillTime <= order.fillDeadline), "filled in time");
    }

    /// The recipient may claim for the filler in the middle of its delivery, and cannot refund then.
    function test_Rule08_TheRecipientGainsNothingInTheMiddleOfAFill() public {
        ArmedWallet wallet = new ArmedWallet();
        Order memory order = localOrder();
        order.outputToken = 0;
        order.recipient = _b(address(wallet));
        order.refundTo = _b(address(wallet));
        open(order);
        uint256 before = vm.snapshotState();
        wallet.arm(address(escrow), abi.encodeCall(IEscrow.refund, (order)));
        fill(order);
        require(wallet.fired() && !wallet.succeeded(), "refund in the middle");
        require(
            keccak256(wallet.answer())
                == keccak256(abi.encodeWithSelector(IEscrow.AlreadyFilled.selector, order.id())),
            "reason"
        );
        vm.revertToState(before);
        wallet.arm(address(escrow), abi.encodeCall(IEscrow.claim, (order, 0, 0, none)));
        fill(order);
        require(wallet.succeeded(), "claim in the middle");
        eq(usd.balanceOf(PAYEE), order.amountIn, "payee");
        eq(address(wallet).balance, order.amountOut, "recipient");
    }

    function tryRefund(Order memory order, uint256 time) private returns (bool done) {
        vm.warp(time);
        try escrow.refund(order) {
            done = true;
        } catch {}
    }

    function tryFill(Order memory order, uint256 time) private returns (bool done) {
        vm.warp(time);
        vm.prank(FILLER);
        try ISettler(settler).fill(order.id(), abi.encode(order), "") {
            done = true;
        } catch {}
    }
}
