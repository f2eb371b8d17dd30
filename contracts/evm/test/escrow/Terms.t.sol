// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../../src/Escrow.sol";
import {Order, OrderLib} from "../../src/Order.sol";
import {IEscrow} from "../../src/interfaces/IEscrow.sol";
import {Fixture} from "../Fixture.sol";
import {Signing} from "../Signing.sol";
import {vm} from "../Vm.sol";

contract TermsTest is Fixture {
    /// The formula of the id, written out as anyone else would compute it.
    function testFuzz_Rule01_TheIdHashesEveryTermInOrder(Order memory o) public view {
        bytes32 kind = keccak256(
            "CausewayOrder(uint256 version,uint256 originChainId,bytes32 escrow,bytes32 user,bytes32 nonce,bytes32 inputToken,uint256 amountIn,bytes32 refundTo,bytes32 filler,bytes32 payee,bytes32 referrer,uint256 referrerFee,uint256 destinationChainId,bytes32 settler,bytes32 outputToken,uint256 amountOut,bytes32 recipient,uint256 openDeadline,uint256 fillDeadline,uint256 refundAt,uint256 epoch)"
        );
        bytes memory head = bytes.concat(
            abi.encode(kind, o.version, o.originChainId, o.escrow, o.user, o.nonce, o.inputToken, o.amountIn),
            abi.encode(o.refundTo, o.filler, o.payee, o.referrer, o.referrerFee, o.destinationChainId)
        );
        bytes memory tail = bytes.concat(
            abi.encode(o.settler, o.outputToken, o.amountOut, o.recipient),
            abi.encode(o.openDeadline, o.fillDeadline, o.refundAt, o.epoch)
        );
        require(escrow.orderId(o) == keccak256(bytes.concat(head, tail)), "id");
    }

    function testFuzz_Rule01_AnyChangedBitIsAnotherOrder(uint256 word, uint256 bit) public view {
        Order memory order = crossOrder();
        bytes32 before = escrow.orderId(order);
        word = within(word, 0, 20);
        assembly ("memory-safe") {
            let place := add(order, mul(32, word))
            mstore(place, xor(mload(place), shl(mod(bit, 256), 1)))
        }
        require(escrow.orderId(order) != before, "id");
    }

    /// Every address of the origin's side, and within one chain those of the other side too.
    function testFuzz_Rule01_DirtyBitsRevert(uint256 which, uint256 bit) public {
        Order memory order = localOrder();
        uint8[8] memory words = [2, 3, 5, 7, 8, 9, 14, 16];
        uint256 word = words[within(which, 0, 7)];
        uint256 dirt = 1 << within(bit, 160, 255);
        bytes32 dirty;
        assembly ("memory-safe") {
            let place := add(order, mul(32, word))
            dirty := or(mload(place), dirt)
            mstore(place, dirty)
        }
        openRefused(order, abi.encodeWithSelector(OrderLib.DirtyAddress.selector, dirty));
    }

    function test_Rule01_ADirtyReferrerReverts() public {
        Order memory order = referredOrder();
        order.referrer |= bytes32(uint256(1) << 160);
        openRefused(order, abi.encodeWithSelector(OrderLib.DirtyAddress.selector, order.referrer));
    }

    /// The other side may be a chain whose addresses fill the word.
    function test_Rule01_WideAddressesOfTheOtherChainAreFine() public {
        Order memory order = crossOrder();
        order.settler = bytes32(type(uint256).max);
        order.outputToken = bytes32(type(uint256).max - 1);
        order.recipient = bytes32(type(uint256).max - 2);
        open(order);
        eq(status(order), IEscrow.Status.Open);
    }

    /// The tag in the nonce is the filler's affair: the chain opens any, and owes nothing but the refund.
    function testFuzz_Rule02_AnyoneMayNameTheFillerAndBindsNobody(bytes32 nonce) public {
        Order memory order = crossOrder();
        order.nonce = nonce;
        fund(address(usd), FILLER, address(escrow), 5e6);
        open(order);
        eq(usd.balanceOf(FILLER), 5e6, "the filler pays nothing");
        vm.warp(order.refundAt + 1);
        escrow.refund(order);
        eq(usd.balanceOf(REFUND), order.amountIn, "the money comes back");
    }

    function test_Rule03_OpeningWorksUpToTheVerySecond() public {
        Order memory order = crossOrder();
        vm.warp(order.openDeadline);
        open(order);
        eq(status(order), IEscrow.Status.Open);
    }

    function test_Rule03_OpeningASecondLaterIsRefused() public {
        Order memory order = crossOrder();
        vm.warp(order.openDeadline + 1);
        openRefused(order, abi.encodeWithSelector(IEscrow.OpenDeadlinePassed.selector, order.openDeadline));
    }

    function testFuzz_Rule03_TheWindowsNeverTouch(uint32 openDeadline, uint32 fillDeadline, uint32 refundAt)
        public
    {
        Order memory order = crossOrder();
        order.openDeadline = within(openDeadline, START, START + 7 days);
        order.fillDeadline = within(fillDeadline, START, START + 7 days);
        order.refundAt = within(refundAt, START, START + 17 days);
        bool good = order.openDeadline < order.fillDeadline && order.refundAt >= order.fillDeadline + GRACE
            && order.refundAt <= order.fillDeadline + 7 days;
        if (good) open(order);
        else openRefused(order, abi.encodeWithSelector(IEscrow.BadDeadlines.selector));
    }

    /// Nobody binds a deposit, or an attester's memory, for longer.
    function test_Rule03_TheFillDeadlineIsAWeekAwayAtMost() public {
        Order memory order = crossOrder();
        uint256 latest = START + 7 days;
        order.fillDeadline = latest + 1;
        order.refundAt = order.fillDeadline + GRACE;
        openRefused(order, abi.encodeWithSelector(IEscrow.FillDeadlineTooFar.selector, latest + 1, latest));
        order.fillDeadline = latest;
        open(order);
        eq(status(order), IEscrow.Status.Open);
    }

    function test_Rule01_TheTypesHashIsThatOfTheType() public pure {
        require(OrderLib.TYPEHASH == keccak256(bytes(OrderLib.TYPE)), "type");
    }

    function test_Rule03_TheGraceHasTwoEdges() public {
        Order memory order = crossOrder();
        bytes memory problem = abi.encodeWithSelector(IEscrow.BadDeadlines.selector);
        order.refundAt = order.fillDeadline + GRACE - 1;
        openRefused(order, problem);
        order.refundAt = order.fillDeadline + 7 days + 1;
        openRefused(order, problem);
        order.refundAt = order.fillDeadline + 7 days;
        open(order);
        order.refundAt = order.fillDeadline + GRACE;
        open(order);
    }

    function test_Rule03_TheFillDeadlineIsAfterTheOpenDeadline() public {
        Order memory order = crossOrder();
        order.fillDeadline = order.openDeadline;
        openRefused(order, abi.encodeWithSelector(IEscrow.BadDeadlines.selector));
    }

    function test_Rule03_TimesBeyondThirtyTwoBitsAreRefused() public {
        Order memory order = crossOrder();
        order.fillDeadline = type(uint32).max;
        order.refundAt = order.fillDeadline + GRACE;
        openRefused(order, abi.encodeWithSelector(IEscrow.BadDeadlines.selector));
        order.refundAt = type(uint256).max;
        openRefused(order, abi.encodeWithSelector(IEscrow.BadDeadlines.selector));
    }

    function test_Rule03_AnEscrowWithMoreGraceThanAllowedIsNotMade() public {
        address[] memory attesters = Signing.addresses(keys);
        vm.expectRevert(abi.encodeWithSelector(IEscrow.BadDeadlines.selector));
        new Escrow(attesters, 2, address(settler), address(factory), 0, permit2, 7 days + 1);
    }

    function test_Rule04_PartiesMayNotBeZero() public {
        bytes memory problem = abi.encodeWithSelector(IEscrow.ZeroAddress.selector);
        Order memory order = crossOrder();
        order.user = 0;
        openRefused(order, problem);
        order = crossOrder();
        order.refundTo = 0;
        openRefused(order, problem);
        order = crossOrder();
        order.filler = 0;
        openRefused(order, problem);
        order = crossOrder();
        order.payee = 0;
        openRefused(order, problem);
        order = referredOrder();
        order.referrer = 0;
        openRefused(order, problem);
    }

    function test_Rule04_NoPartyIsTheEscrow() public {
        bytes memory problem = abi.encodeWithSelector(IEscrow.EscrowAsParty.selector);
        Order memory order = crossOrder();
        order.refundTo = _b(address(escrow));
        openRefused(order, problem);
        order = crossOrder();
        order.payee = _b(address(escrow));
        openRefused(order, problem);
        order = referredOrder();
        order.referrer = _b(address(escrow));
        openRefused(order, problem);
    }

    function test_Rule04_AmountsMayNotBeZero() public {
        bytes memory problem = abi.encodeWithSelector(IEscrow.ZeroAmount.selector);
        Order memory order = crossOrder();
        order.amountIn = 0;
        openRefused(order, problem);
        order = crossOrder();
        order.amountOut = 0;
        openRefused(order, problem);
    }

    function test_Rule04_TheFeeIsAtMostTheAmount() public {
        Order memory order = referredOrder();
        order.referrerFee = order.amountIn + 1;
        openRefused(
            order, abi.encodeWithSelector(IEscrow.FeeAboveAmount.selector, order.referrerFee, order.amountIn)
        );
        order.referrerFee = order.amountIn;
        open(order);
    }

    /// A reorganisation puts the same deposit into another block: the id is the same, and so is what it opens.
    function test_Rule09_TheSameDepositInAnotherBlockIsTheSameOrder() public {
        Order memory order = crossOrder();
        uint256 before = vm.snapshotState();
        open(order);
        eq(status(order), IEscrow.Status.Open);
        vm.revertToState(before);
        eq(status(order), IEscrow.Status.None);
        vm.warp(order.openDeadline);
        open(order);
        eq(status(order), IEscrow.Status.Open);
    }

    function test_Rule23_AnotherVersionIsRefused() public {
        Order memory order = crossOrder();
        order.version = 1;
        openRefused(order, abi.encodeWithSelector(IEscrow.WrongVersion.selector, 1));
    }
}
