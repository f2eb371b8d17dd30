// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order, OrderLib} from "../../src/Order.sol";
import {
    IOriginSettler,
    OnchainCrossChainOrder,
    ResolvedCrossChainOrder
} from "../../src/interfaces/IERC7683.sol";
import {IEscrow} from "../../src/interfaces/IEscrow.sol";
import {Fixture} from "../Fixture.sol";
import {vm} from "../Vm.sol";

contract OpenTest is Fixture {
    function test_Rule04_TheUserOpensWithTokens() public {
        Order memory order = crossOrder();
        open(order);
        eq(status(order), IEscrow.Status.Open);
        eq(usd.balanceOf(address(escrow)), order.amountIn, "escrow");
        eq(usd.balanceOf(user), 0, "user");
    }

    function test_Rule04_TheUserOpensWithNativeCurrency() public {
        Order memory order = crossOrder();
        order.inputToken = 0;
        order.amountIn = 1 ether;
        open(order);
        eq(address(escrow).balance, 1 ether, "escrow");
    }

    function test_Rule04_ATokenThatReturnsNothingWorks() public {
        Order memory order = crossOrder();
        order.inputToken = _b(address(tether));
        open(order);
        eq(tether.balanceOf(address(escrow)), order.amountIn, "escrow");
    }

    function test_Rule04_TheDepositAddressOpens() public {
        Order memory order = crossOrder();
        fund(address(usd), factory.addressOf(order.id()), address(1), order.amountIn);
        vm.prank(STRANGER);
        factory.sweep(order);
        eq(status(order), IEscrow.Status.Open);
        eq(usd.balanceOf(address(escrow)), order.amountIn, "escrow");
    }

    function test_Rule04_TheDepositAddressOpensWithNativeCurrency() public {
        Order memory order = crossOrder();
        order.inputToken = 0;
        vm.deal(factory.addressOf(order.id()), order.amountIn);
        factory.sweep(order);
        eq(status(order), IEscrow.Status.Open);
        eq(address(escrow).balance, order.amountIn, "escrow");
    }

    function testFuzz_Rule04_NobodyElseOpens(address caller) public {
        Order memory order = crossOrder();
        vm.assume(caller != user && caller != factory.addressOf(order.id()));
        fund(address(usd), user, address(escrow), order.amountIn);
        vm.expectRevert(abi.encodeWithSelector(IEscrow.NotTheDepositor.selector, caller));
        openAs(caller, order);
    }

    function test_Rule04_TheDepositAddressOfAnotherOrderDoesNotOpen() public {
        Order memory order = crossOrder();
        Order memory other = crossOrder();
        other.nonce = keccak256("another");
        address caller = factory.addressOf(other.id());
        fund(address(usd), caller, address(escrow), order.amountIn);
        vm.expectRevert(abi.encodeWithSelector(IEscrow.NotTheDepositor.selector, caller));
        openAs(caller, order);
    }

    function test_Rule04_AnOrderOpensOnce() public {
        Order memory order = crossOrder();
        open(order);
        fund(address(usd), user, address(escrow), order.amountIn);
        vm.expectRevert(abi.encodeWithSelector(IEscrow.AlreadyOpened.selector, order.id()));
        openAs(user, order);
    }

    function test_Rule04_AnEndedOrderDoesNotOpenAgain() public {
        Order memory order = crossOrder();
        open(order);
        vm.prank(FILLER);
        escrow.refund(order);
        fund(address(usd), user, address(escrow), order.amountIn);
        vm.expectRevert(abi.encodeWithSelector(IEscrow.AlreadyOpened.selector, order.id()));
        openAs(user, order);
    }

    function test_Rule04_AnOrderForAnotherChainIsRefused() public {
        Order memory order = crossOrder();
        order.originChainId = ORIGIN + 1;
        openRefused(order, abi.encodeWithSelector(IEscrow.WrongChain.selector, ORIGIN + 1));
    }

    function test_Rule04_AnOrderForAnotherContractIsRefused() public {
        Order memory order = crossOrder();
        order.escrow = _b(STRANGER);
        openRefused(order, abi.encodeWithSelector(IEscrow.WrongEscrow.selector, order.escrow));
    }

    function test_Rule04_ATokenWithAFeeOnTransferIsRefused() public {
        Order memory order = crossOrder();
        order.inputToken = _b(address(taxed));
        openRefused(
            order,
            abi.encodeWithSelector(
                IEscrow.WrongDelta.selector, order.amountIn - order.amountIn / 100, order.amountIn
            )
        );
    }

    function test_Rule04_ATokenThatIsNoContractIsRefused() public {
        Order memory order = crossOrder();
        order.inputToken = _b(STRANGER);
        vm.expectRevert(abi.encodeWithSelector(IEscrow.TransferFailed.selector, STRANGER, address(escrow)));
        openAs(user, order);
    }

    function test_Rule04_TooLittleAllowanceIsRefused() public {
        Order memory order = crossOrder();
        fund(address(usd), user, address(escrow), order.amountIn - 1);
        vm.expectRevert(
            abi.encodeWithSelector(IEscrow.TransferFailed.selector, address(usd), address(escrow))
        );
        openAs(user, order);
    }

    function test_Rule04_NativeValueOffByOneIsRefused() public {
        Order memory order = crossOrder();
        order.inputToken = 0;
        vm.deal(user, 10 ether);
        for (uint256 value = order.amountIn - 1; value <= order.amountIn + 1; value += 2) {
            vm.expectRevert(abi.encodeWithSelector(IEscrow.WrongNativeValue.selector, value, order.amountIn));
            vm.prank(user);
            escrow.open{value: value}(envelope(order));
        }
    }

    function test_Rule04_NativeValueWithATokenOrderIsRefused() public {
        Order memory order = crossOrder();
        fund(address(usd), user, address(escrow), order.amountIn);
        vm.deal(user, 1);
        vm.expectRevert(abi.encodeWithSelector(IEscrow.WrongNativeValue.selector, 1, 0));
        vm.prank(user);
        escrow.open{value: 1}(envelope(order));
    }

    function test_Rule04_AnEnvelopeThatSaysSomethingElseIsRefused() public {
        Order memory order = crossOrder();
        OnchainCrossChainOrder memory letter = envelope(order);
        letter.fillDeadline += 1;
        vm.expectRevert(abi.encodeWithSelector(IEscrow.EnvelopeMismatch.selector));
        vm.prank(user);
        escrow.open(letter);

        letter = envelope(order);
        letter.orderDataType = keccak256("another kind");
        vm.expectRevert(abi.encodeWithSelector(IEscrow.WrongOrderType.selector, letter.orderDataType));
        vm.prank(user);
        escrow.open(letter);

        letter = envelope(order);
        letter.orderData = bytes.concat(letter.orderData, hex"00");
        vm.expectRevert(abi.encodeWithSelector(OrderLib.BadOrderLength.selector, 673));
        vm.prank(user);
        escrow.open(letter);

        letter.orderData = "";
        vm.expectRevert(abi.encodeWithSelector(OrderLib.BadOrderLength.selector, 0));
        vm.prank(user);
        escrow.open(letter);
    }

    /// The event has every term, so an order can be rebuilt from the chain.
    function test_Rule04_TheEventHasAllTerms() public {
        Order memory order = referredOrder();
        ResolvedCrossChainOrder memory resolved = escrow.resolve(envelope(order));
        fund(address(usd), user, address(escrow), order.amountIn);
        vm.expectEmit(address(escrow));
        emit IEscrow.Open(order.id(), order);
        openAs(user, order);

        // The ERC-7683 form has them as well.
        Order memory read = abi.decode(resolved.fillInstructions[0].originData, (Order));
        require(read.id() == order.id() && resolved.orderId == order.id(), "id");
        require(resolved.fillInstructions[0].destinationSettler == order.settler, "settler");
        eq(resolved.fillInstructions[0].destinationChainId, DESTINATION, "destination");
        require(resolved.user == user && resolved.originChainId == ORIGIN, "origin");
        eq(resolved.openDeadline, order.openDeadline, "open deadline");
        eq(resolved.fillDeadline, order.fillDeadline, "fill deadline");
        require(resolved.maxSpent[0].recipient == order.recipient, "recipient");
        require(resolved.maxSpent[0].token == order.outputToken, "output token");
        eq(resolved.maxSpent[0].amount, order.amountOut, "amount out");
        eq(resolved.maxSpent[0].chainId, DESTINATION, "output chain");
        require(resolved.minReceived[0].recipient == order.payee, "payee");
        require(resolved.minReceived[0].token == order.inputToken, "input token");
        eq(resolved.minReceived[0].amount, order.amountIn - order.referrerFee, "received");
        eq(resolved.minReceived[0].chainId, ORIGIN, "input chain");
    }

    function testFuzz_Rule04_ExactlyTheAmountMoves(uint256 amount, uint256 surplus) public {
        Order memory order = crossOrder();
        order.amountIn = within(amount, 1, type(uint128).max);
        surplus = within(surplus, 0, type(uint128).max);
        fund(address(usd), user, address(escrow), order.amountIn + surplus);
        openAs(user, order);
        eq(usd.balanceOf(address(escrow)), order.amountIn, "escrow");
        eq(usd.balanceOf(user), surplus, "user");
    }
}
