// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {ReentrancyGuard} from "../../src/ReentrancyGuard.sol";
import {Order, OrderLib} from "../../src/Order.sol";
import {Settler} from "../../src/Settler.sol";
import {IDestinationSettler} from "../../src/interfaces/IERC7683.sol";
import {ISettler} from "../../src/interfaces/ISettler.sol";
import {Fixture} from "../Fixture.sol";
import {vm} from "../Vm.sol";
import {ArmedToken, ArmedWallet} from "../hostile/Armed.sol";
import {SwitchableToken} from "../hostile/SwitchableToken.sol";
import {Flooder, GasBurner, Refuser} from "../hostile/Wallets.sol";

contract FillTest is Fixture {
    function setUp() public override {
        super.setUp();
        vm.chainId(DESTINATION);
    }

    function nativeOrder() internal view returns (Order memory order) {
        order = crossOrder();
        order.outputToken = 0;
    }

    function fillAs(address caller, Order memory order, uint256 value) internal {
        vm.prank(caller);
        settler.fill{value: value}(order.id(), abi.encode(order), "");
    }

    function refused(Order memory order, bytes memory problem) internal {
        fund(address(uint160(uint256(order.outputToken))), FILLER, address(settler), order.amountOut);
        vm.expectRevert(problem);
        fillAs(FILLER, order, order.outputToken == 0 ? order.amountOut : 0);
        eq(settler.filledAt(order.id()), 0, "record");
    }

    function test_Rule05_TokensGoStraightToTheRecipient() public {
        Order memory order = crossOrder();
        fund(address(eur), FILLER, address(settler), order.amountOut);
        vm.expectEmit(address(settler));
        emit ISettler.Filled(
            order.id(), FILLER, order.recipient, order.outputToken, order.amountOut, ORIGIN, START
        );
        fillAs(FILLER, order, 0);
        eq(settler.filledAt(order.id()), START, "record");
        eq(eur.balanceOf(RECIPIENT), order.amountOut, "recipient");
    }

    function test_Rule05_NativeCurrencyIsDelivered() public {
        Order memory order = nativeOrder();
        vm.deal(FILLER, order.amountOut);
        fillAs(FILLER, order, order.amountOut);
        eq(RECIPIENT.balance, order.amountOut, "recipient");
        eq(address(settler).balance, 0, "settler");
    }

    function test_Rule05_ATokenThatReturnsNothingWorks() public {
        Order memory order = crossOrder();
        order.outputToken = _b(address(tether));
        fund(address(tether), FILLER, address(settler), order.amountOut);
        fillAs(FILLER, order, 0);
        eq(tether.balanceOf(RECIPIENT), order.amountOut, "recipient");
    }

    /// The payee is part of the id: any caller that fills pays for it.
    function testFuzz_Rule05_AnyoneMayFill(address caller) public {
        vm.assume(caller != address(0) && caller != RECIPIENT);
        Order memory order = crossOrder();
        fund(address(eur), caller, address(settler), order.amountOut);
        uint256 before = eur.balanceOf(caller);
        fillAs(caller, order, 0);
        eq(before - eur.balanceOf(caller), order.amountOut, "caller");
        eq(eur.balanceOf(RECIPIENT), order.amountOut, "recipient");
    }

    function test_Rule05_AnOrderIsFilledOnce() public {
        Order memory order = crossOrder();
        fund(address(eur), FILLER, address(settler), 2 * order.amountOut);
        fillAs(FILLER, order, 0);
        vm.warp(START + 5);
        vm.expectRevert(abi.encodeWithSelector(ISettler.AlreadyFilled.selector, order.id(), START));
        fillAs(FILLER, order, 0);
    }

    function test_Rule05_TheIdIsRecomputed() public {
        Order memory order = crossOrder();
        bytes32 id = order.id();
        order.amountOut -= 1;
        fund(address(eur), FILLER, address(settler), order.amountOut);
        vm.expectRevert(abi.encodeWithSelector(ISettler.WrongOrderId.selector, id, order.id()));
        vm.prank(FILLER);
        settler.fill(id, abi.encode(order), "");
    }

    function test_Rule05_AnOrderForAnotherChainContractOrVersionIsRefused() public {
        Order memory order = crossOrder();
        order.destinationChainId = ORIGIN;
        refused(order, abi.encodeWithSelector(ISettler.WrongChain.selector, ORIGIN));
        order = crossOrder();
        order.settler = _b(address(new Settler()));
        refused(order, abi.encodeWithSelector(ISettler.WrongSettler.selector, order.settler));
        order = crossOrder();
        order.settler |= bytes32(uint256(1) << 200);
        refused(order, abi.encodeWithSelector(ISettler.WrongSettler.selector, order.settler));
        order = crossOrder();
        order.version = 1;
        refused(order, abi.encodeWithSelector(ISettler.WrongVersion.selector, 1));
    }

    function test_Rule03_FillingWorksUpToTheVerySecond() public {
        Order memory order = crossOrder();
        vm.warp(order.fillDeadline + 1);
        refused(order, abi.encodeWithSelector(ISettler.FillDeadlinePassed.selector, order.fillDeadline));
        vm.warp(order.fillDeadline);
        fillAs(FILLER, order, 0);
    }

    function test_Rule05_NobodyWhoCannotSpendItReceives() public {
        address[4] memory never = [address(0), address(eur), address(settler), address(escrow)];
        for (uint256 i = 0; i < never.length; ++i) {
            Order memory order = crossOrder();
            order.recipient = _b(never[i]);
            refused(order, abi.encodeWithSelector(ISettler.BadRecipient.selector, never[i]));
            order.outputToken = 0;
            if (never[i] == address(eur)) continue;
            refused(order, abi.encodeWithSelector(ISettler.BadRecipient.selector, never[i]));
        }
    }

    function test_Rule05_DirtyAddressesRevert() public {
        Order memory order = crossOrder();
        order.recipient |= bytes32(uint256(1) << 255);
        refused(order, abi.encodeWithSelector(OrderLib.DirtyAddress.selector, order.recipient));
        order = crossOrder();
        order.outputToken |= bytes32(uint256(1) << 160);
        vm.expectRevert(abi.encodeWithSelector(OrderLib.DirtyAddress.selector, order.outputToken));
        fillAs(FILLER, order, 0);
    }

    function test_Rule05_TheNativeValueIsExact() public {
        Order memory order = nativeOrder();
        vm.deal(FILLER, 10 ether);
        for (uint256 value = order.amountOut - 1; value <= order.amountOut + 1; value += 2) {
            vm.expectRevert(
                abi.encodeWithSelector(ISettler.WrongNativeValue.selector, value, order.amountOut)
            );
            fillAs(FILLER, order, value);
        }
        order = crossOrder();
        fund(address(eur), FILLER, address(settler), order.amountOut);
        vm.expectRevert(abi.encodeWithSelector(ISettler.WrongNativeValue.selector, 1, 0));
        fillAs(FILLER, order, 1);
    }

    function test_Rule05_TheRecipientGainsAtLeastTheAmount() public {
        Order memory order = crossOrder();
        order.outputToken = _b(address(taxed));
        uint256 gained = order.amountOut - order.amountOut / 100;
        refused(order, abi.encodeWithSelector(ISettler.DeliveredTooLittle.selector, gained, order.amountOut));
    }

    function test_Rule05_PayingOneselfIsNoDelivery() public {
        Order memory order = crossOrder();
        order.recipient = _b(FILLER);
        refused(order, abi.encodeWithSelector(ISettler.DeliveredTooLittle.selector, 0, order.amountOut));
    }

    function test_Rule05_TokensThatDoNotDeliverFillNothing() public {
        SwitchableToken switchable = new SwitchableToken();
        Order memory order = crossOrder();
        order.outputToken = _b(address(switchable));
        switchable.mint(FILLER, order.amountOut);
        vm.prank(FILLER);
        switchable.approve(address(settler), order.amountOut);
        SwitchableToken.Behavior[3] memory behaviors = [
            SwitchableToken.Behavior.Bars, SwitchableToken.Behavior.SaysNo, SwitchableToken.Behavior.BurnsGas
        ];
        for (uint256 i = 0; i < behaviors.length; ++i) {
            switchable.setBehavior(RECIPIENT, behaviors[i]);
            vm.expectRevert(
                abi.encodeWithSelector(ISettler.TransferFailed.selector, address(switchable), RECIPIENT)
            );
            fillAs(FILLER, order, 0);
        }
        switchable.setBehavior(RECIPIENT, SwitchableToken.Behavior.Floods);
        bytes memory data = abi.encode(order);
        vm.prank(FILLER);
        settler.fill{gas: 2_500_000}(order.id(), data, "");
    }

    function test_Rule05_ATokenThatIsNoContractFillsNothing() public {
        Order memory order = crossOrder();
        order.outputToken = _b(STRANGER);
        vm.expectRevert(abi.encodeWithSelector(ISettler.TransferFailed.selector, STRANGER, RECIPIENT));
        fillAs(FILLER, order, 0);
    }

    function test_Rule05_ARecipientThatRefusesOrBurnsIsNotFilled() public {
        address[2] memory hostile = [address(new Refuser()), address(new GasBurner())];
        for (uint256 i = 0; i < hostile.length; ++i) {
            Order memory order = nativeOrder();
            order.recipient = _b(hostile[i]);
            refused(order, abi.encodeWithSelector(ISettler.TransferFailed.selector, NATIVE, hostile[i]));
        }
    }

    function test_Rule05_LargeReturnDataIsNotCopied() public {
        Order memory order = nativeOrder();
        order.recipient = _b(address(new Flooder()));
        vm.deal(FILLER, order.amountOut);
        bytes memory data = abi.encode(order);
        vm.prank(FILLER);
        // Creating the data costs 80,000 gas; copying it would cost the same again.
        settler.fill{value: order.amountOut, gas: 200_000}(order.id(), data, "");
        eq(_a(order.recipient).balance, order.amountOut, "recipient");
    }

    function test_Rule05_AnOrderOfTheWrongLengthIsRefused() public {
        Order memory order = crossOrder();
        vm.expectRevert(abi.encodeWithSelector(OrderLib.BadOrderLength.selector, 704));
        settler.fill(order.id(), abi.encode(order, uint256(0)), "");
        vm.expectRevert(abi.encodeWithSelector(OrderLib.BadOrderLength.selector, 0));
        settler.fill(order.id(), "", "");
    }

    /// Two orders to one recipient: what is delivered for the inner one must not count for the outer one as well.
    function test_Rule05_OneDeliveryNeverCountsTwice() public {
        ArmedToken armed = new ArmedToken();
        Order memory outer = crossOrder();
        outer.outputToken = _b(address(armed));
        Order memory inner = crossOrder();
        inner.outputToken = outer.outputToken;
        inner.nonce = "inner";
        armed.mint(FILLER, 2 * outer.amountOut);
        armed.mint(address(armed), inner.amountOut);
        vm.prank(FILLER);
        armed.approve(address(settler), type(uint256).max);
        armed.arm(
            address(settler), abi.encodeCall(IDestinationSettler.fill, (inner.id(), abi.encode(inner), ""))
        );
        fillAs(FILLER, outer, 0);
        require(armed.fired() && !armed.succeeded(), "called back");
        require(bytes4(armed.answer()) == ReentrancyGuard.ReentrancyGuardReentrantCall.selector, "reason");
        eq(settler.filledAt(inner.id()), 0, "inner");
    }

    function test_Rule05_TheRecipientCannotFillInTheMiddleOfAFill() public {
        ArmedWallet wallet = new ArmedWallet();
        Order memory order = nativeOrder();
        order.recipient = _b(address(wallet));
        wallet.arm(
            address(settler), abi.encodeCall(IDestinationSettler.fill, (order.id(), abi.encode(order), ""))
        );
        vm.deal(FILLER, order.amountOut);
        fillAs(FILLER, order, order.amountOut);
        require(wallet.fired() && !wallet.succeeded(), "called back");
        eq(address(wallet).balance, order.amountOut, "recipient");
    }

    function testFuzz_Rule05_TheCallerPaysWhatTheRecipientGains(uint256 amount, bool native) public {
        Order memory order = native ? nativeOrder() : crossOrder();
        order.amountOut = within(amount, 1, type(uint128).max);
        address token = _a(order.outputToken);
        fund(token, FILLER, address(settler), order.amountOut);
        fillAs(FILLER, order, native ? order.amountOut : 0);
        eq(balance(token, RECIPIENT), order.amountOut, "recipient");
        eq(balance(token, FILLER), 0, "caller");
        eq(balance(token, address(settler)), 0, "settler");
    }
}
