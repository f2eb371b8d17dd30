// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order, OrderLib} from "../../src/Order.sol";
import {GaslessCrossChainOrder, ResolvedCrossChainOrder} from "../../src/interfaces/IERC7683.sol";
import {IEscrow} from "../../src/interfaces/IEscrow.sol";
import {Fixture} from "../Fixture.sol";
import {Signing} from "../Signing.sol";
import {vm} from "../Vm.sol";

interface Permit2Domain {
    function DOMAIN_SEPARATOR() external view returns (bytes32);
}

contract OpenForTest is Fixture {
    bytes constant INVALID_SIGNER = abi.encodeWithSignature("InvalidSigner()");
    bytes constant INVALID_NONCE = abi.encodeWithSignature("InvalidNonce()");

    function digest(Order memory order, address token, uint256 amount, uint256 nonce, uint256 deadline)
        internal
        view
        returns (bytes32)
    {
        return Signing.permit(
            Permit2Domain(permit2).DOMAIN_SEPARATOR(),
            token,
            amount,
            address(escrow),
            nonce,
            deadline,
            order.id(),
            OrderLib.TYPE
        );
    }

    function permission(Order memory order) internal view returns (bytes memory) {
        return Signing.one(
            USER_KEY,
            digest(order, _a(order.inputToken), order.amountIn, uint256(order.nonce), order.openDeadline)
        );
    }

    function openFor(Order memory order, bytes memory signature) internal {
        vm.prank(STRANGER);
        escrow.openFor(gasless(order), signature, "");
    }

    function refused(Order memory order, bytes memory signature, bytes memory problem) internal {
        vm.expectRevert(problem);
        openFor(order, signature);
        eq(status(order), IEscrow.Status.None);
    }

    function test_Rule04_AnyoneOpensWithTheUsersWitness() public {
        Order memory order = crossOrder();
        fund(address(usd), user, permit2, order.amountIn);
        openFor(order, permission(order));
        eq(status(order), IEscrow.Status.Open);
        eq(usd.balanceOf(address(escrow)), order.amountIn, "escrow");
    }

    function test_Rule04_ATokenThatReturnsNothingWorksWithPermit2() public {
        Order memory order = crossOrder();
        order.inputToken = _b(address(tether));
        fund(address(tether), user, permit2, order.amountIn);
        openFor(order, permission(order));
        eq(tether.balanceOf(address(escrow)), order.amountIn, "escrow");
    }

    function test_Rule04_AWitnessForAnotherOrderIsRefused() public {
        Order memory order = crossOrder();
        Order memory other = crossOrder();
        other.recipient = _b(STRANGER);
        fund(address(usd), user, permit2, order.amountIn);
        refused(order, permission(other), INVALID_SIGNER);
    }

    /// Whatever term a relayer changes, the user's signature no longer fits.
    function testFuzz_Rule04_NoTermCanBeChangedUnderTheSignature(uint256 word, uint256 bit) public {
        Order memory order = crossOrder();
        bytes memory signature = permission(order);
        fund(address(usd), user, permit2, order.amountIn * 2);
        word = within(word, 0, 20);
        assembly ("memory-safe") {
            let place := add(order, mul(32, word))
            mstore(place, xor(mload(place), shl(mod(bit, 8), 1)))
        }
        vm.expectRevert();
        openFor(order, signature);
        eq(usd.balanceOf(address(escrow)), 0, "escrow");
    }

    function test_Rule04_APermitForAnotherTokenIsRefused() public {
        Order memory order = crossOrder();
        fund(address(usd), user, permit2, order.amountIn);
        bytes32 signed = digest(order, address(eur), order.amountIn, uint256(order.nonce), order.openDeadline);
        refused(order, Signing.one(USER_KEY, signed), INVALID_SIGNER);
    }

    function test_Rule04_APermitForAnAmountOffByOneIsRefused() public {
        Order memory order = crossOrder();
        fund(address(usd), user, permit2, order.amountIn + 1);
        for (uint256 amount = order.amountIn - 1; amount <= order.amountIn + 1; amount += 2) {
            bytes32 signed = digest(order, address(usd), amount, uint256(order.nonce), order.openDeadline);
            refused(order, Signing.one(USER_KEY, signed), INVALID_SIGNER);
        }
    }

    function test_Rule04_APermitWithAnotherNonceOrDeadlineIsRefused() public {
        Order memory order = crossOrder();
        fund(address(usd), user, permit2, order.amountIn);
        bytes32 signed = digest(order, address(usd), order.amountIn, 7, order.openDeadline);
        refused(order, Signing.one(USER_KEY, signed), INVALID_SIGNER);
        signed = digest(order, address(usd), order.amountIn, uint256(order.nonce), order.openDeadline + 1);
        refused(order, Signing.one(USER_KEY, signed), INVALID_SIGNER);
    }

    function testFuzz_Rule04_ASignatureOfAnotherKeyIsRejected(uint256 key) public {
        key = within(key, 1, Signing.CURVE_ORDER - 1);
        vm.assume(key != USER_KEY);
        Order memory order = crossOrder();
        fund(address(usd), user, permit2, order.amountIn);
        bytes32 signed = digest(order, address(usd), order.amountIn, uint256(order.nonce), order.openDeadline);
        refused(order, Signing.one(key, signed), INVALID_SIGNER);
    }

    /// Two orders of one nonce: the second is refused by Permit2, and by its id if it is the same order.
    function test_Rule04_AReusedNonceIsRefused() public {
        Order memory order = crossOrder();
        fund(address(usd), user, permit2, order.amountIn * 2);
        openFor(order, permission(order));
        Order memory other = crossOrder();
        other.amountOut += 1;
        refused(other, permission(other), INVALID_NONCE);
        bytes memory again = permission(order);
        vm.expectRevert(abi.encodeWithSelector(IEscrow.AlreadyOpened.selector, order.id()));
        openFor(order, again);
    }

    function test_Rule03_ThePermitEndsWithTheOpenDeadline() public {
        Order memory order = crossOrder();
        fund(address(usd), user, permit2, order.amountIn);
        bytes memory signature = permission(order);
        vm.warp(order.openDeadline + 1);
        refused(
            order, signature, abi.encodeWithSelector(IEscrow.OpenDeadlinePassed.selector, order.openDeadline)
        );
        vm.warp(order.openDeadline);
        openFor(order, signature);
    }

    function test_Rule04_NativeCurrencyCannotBePermitted() public {
        Order memory order = crossOrder();
        order.inputToken = 0;
        refused(
            order,
            permission(order),
            abi.encodeWithSelector(IEscrow.WrongNativeValue.selector, 0, order.amountIn)
        );
    }

    function test_Rule04_ATokenWithAFeeOnTransferIsRefusedWithPermit2() public {
        Order memory order = crossOrder();
        order.inputToken = _b(address(taxed));
        fund(address(taxed), user, permit2, order.amountIn);
        refused(
            order,
            permission(order),
            abi.encodeWithSelector(
                IEscrow.WrongDelta.selector, order.amountIn - order.amountIn / 100, order.amountIn
            )
        );
    }

    function test_Rule04_FillerDataIsRefused() public {
        Order memory order = crossOrder();
        vm.expectRevert(abi.encodeWithSelector(IEscrow.EnvelopeMismatch.selector));
        escrow.openFor(gasless(order), "", hex"01");
        vm.expectRevert(abi.encodeWithSelector(IEscrow.EnvelopeMismatch.selector));
        escrow.resolveFor(gasless(order), hex"01");
    }

    function test_Rule04_EveryFieldOfTheEnvelopeIsThatOfTheOrder() public {
        Order memory order = crossOrder();
        fund(address(usd), user, permit2, order.amountIn);
        bytes memory signature = permission(order);
        for (uint256 field = 0; field < 6; ++field) {
            GaslessCrossChainOrder memory letter = gasless(order);
            if (field == 0) letter.originSettler = STRANGER;
            if (field == 1) letter.user = STRANGER;
            if (field == 2) letter.nonce += 1;
            if (field == 3) letter.originChainId += 1;
            if (field == 4) letter.openDeadline += 1;
            if (field == 5) letter.fillDeadline += 1;
            vm.expectRevert(abi.encodeWithSelector(IEscrow.EnvelopeMismatch.selector));
            escrow.openFor(letter, signature, "");
        }
        GaslessCrossChainOrder memory other = gasless(order);
        other.orderDataType = bytes32(uint256(1));
        vm.expectRevert(abi.encodeWithSelector(IEscrow.WrongOrderType.selector, bytes32(uint256(1))));
        escrow.openFor(other, signature, "");
    }

    function test_Rule04_BothEnvelopesResolveAlike() public view {
        Order memory order = crossOrder();
        ResolvedCrossChainOrder memory one = escrow.resolve(envelope(order));
        ResolvedCrossChainOrder memory two = escrow.resolveFor(gasless(order), "");
        require(keccak256(abi.encode(one)) == keccak256(abi.encode(two)), "resolved");
    }
}
