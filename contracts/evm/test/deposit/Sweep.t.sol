// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {Order, OrderLib} from "../../src/Order.sol";
import {IDepositFactory} from "../../src/interfaces/IDepositFactory.sol";
import {OnchainCrossChainOrder} from "../../src/interfaces/IERC7683.sol";
import {IEscrow} from "../../src/interfaces/IEscrow.sol";
import {WrappedNative} from "../../src/sandbox/WrappedNative.sol";
import {vm} from "../Vm.sol";
import {DepositFixture, EXCHANGE, NATIVE, REFUND, START, USER} from "./DepositFixture.sol";
import {HalfEscrow, NoApprovals} from "./Hostile.sol";

contract SweepTest is DepositFixture {
    function opened(Order memory order) internal view returns (bool) {
        return escrow.status(order.id()) == IEscrow.Status.Open;
    }

    function testFuzz_Rule15_a_sweep_opens_exactly_amountIn(uint256 amountIn, uint256 excess) public {
        amountIn = within(amountIn, 1, type(uint128).max);
        excess = within(excess, 0, type(uint128).max);
        Order memory order = someOrder(address(usdc), amountIn);
        address spot = depositOf(order);
        pay(address(usdc), spot, amountIn + excess);

        vm.expectEmit(address(factory));
        emit IDepositFactory.Swept(order.id(), spot, address(usdc), amountIn);
        factory.sweep(order);

        require(opened(order), "status");
        equal(usdc.balanceOf(address(escrow)), amountIn, "escrow");
        equal(usdc.balanceOf(spot), excess, "rest");
        equal(usdc.allowance(spot, address(escrow)), 0, "allowance");
    }

    function testFuzz_Rule15_native_is_swept_alike(uint256 amountIn, uint256 excess) public {
        amountIn = within(amountIn, 1, type(uint96).max);
        excess = within(excess, 0, type(uint96).max);
        Order memory order = someOrder(NATIVE, amountIn);
        pay(NATIVE, depositOf(order), amountIn + excess);
        factory.sweep(order);
        require(opened(order), "status");
        equal(address(escrow).balance, amountIn, "escrow");
        equal(depositOf(order).balance, excess, "rest");
    }

    function testFuzz_Rule15_less_than_amountIn_reverts(uint256 amountIn, uint256 paid) public {
        amountIn = within(amountIn, 1, type(uint256).max);
        paid = within(paid, 0, amountIn - 1);
        Order memory order = someOrder(address(usdc), amountIn);
        if (paid != 0) pay(address(usdc), depositOf(order), paid);
        vm.expectRevert(abi.encodeWithSelector(IDepositFactory.TooLittle.selector, paid, amountIn));
        factory.sweep(order);
    }

    function test_Rule15_native_one_short_reverts() public {
        Order memory order = someOrder(NATIVE, 1 ether);
        pay(NATIVE, depositOf(order), 1 ether - 1);
        vm.expectRevert(abi.encodeWithSelector(IDepositFactory.TooLittle.selector, 1 ether - 1, 1 ether));
        factory.sweep(order);
    }

    function test_Rule15_a_sweep_works_at_the_open_deadline_and_not_a_second_later() public {
        Order memory order = someOrder(address(usdc), 5);
        pay(address(usdc), depositOf(order), 5);
        vm.warp(order.openDeadline + 1);
        vm.expectRevert(
            abi.encodeWithSelector(IDepositFactory.OpenDeadlinePassed.selector, order.openDeadline)
        );
        factory.sweep(order);
        vm.warp(order.openDeadline);
        factory.sweep(order);
        require(opened(order), "status");
    }

    function test_Rule15_an_order_is_swept_once() public {
        Order memory order = someOrder(address(usdc), 5);
        pay(address(usdc), depositOf(order), 10);
        factory.sweep(order);
        vm.expectRevert(abi.encodeWithSelector(IEscrow.AlreadyOpened.selector, order.id()));
        factory.sweep(order);
    }

    function test_Rule15_an_order_that_its_user_opened_is_not_swept() public {
        Order memory order = someOrder(address(usdc), 5);
        pay(address(usdc), USER, 5);
        vm.prank(USER);
        usdc.approve(address(escrow), 5);
        vm.prank(USER);
        escrow.open(OnchainCrossChainOrder(uint32(order.fillDeadline), OrderLib.TYPEHASH, abi.encode(order)));
        pay(address(usdc), depositOf(order), 5);
        vm.expectRevert(abi.encodeWithSelector(IEscrow.AlreadyOpened.selector, order.id()));
        factory.sweep(order);
        factory.giveBack(order, list(address(usdc)));
        equal(usdc.balanceOf(REFUND), 5, "returned");
    }

    function testFuzz_Rule16_anyone_who_knows_the_terms_can_sweep(address caller) public {
        Order memory order = someOrder(address(usdc), 5);
        pay(address(usdc), depositOf(order), 5);
        vm.prank(caller);
        factory.sweep(order);
        require(opened(order), "status");
    }

    function testFuzz_Rule15_another_term_is_another_address(uint256 field, bytes32 value) public view {
        Order memory order = someOrder(address(usdc), 5);
        address spot = depositOf(order);
        bytes memory terms = abi.encode(order);
        field = within(field, 0, 20);
        bytes32 before;
        assembly ("memory-safe") {
            let place := add(add(terms, 32), mul(field, 32))
            before := mload(place)
            mstore(place, value)
        }
        vm.assume(before != value);
        require(depositOf(abi.decode(terms, (Order))) != spot, "same address");
    }

    function test_Rule15_only_on_the_origin() public {
        Order memory order = someOrder(address(usdc), 5);
        pay(address(usdc), depositOf(order), 5);
        vm.chainId(10);
        vm.expectRevert(abi.encodeWithSelector(IDepositFactory.WrongChain.selector, 1));
        factory.sweep(order);
    }

    function test_Rule15_only_this_version() public {
        Order memory order = someOrder(address(usdc), 5);
        order.version = 1;
        vm.expectRevert(abi.encodeWithSelector(IDepositFactory.WrongVersion.selector, 1));
        factory.sweep(order);
    }

    function test_Rule15_tokens_that_return_nothing_and_want_a_zero_allowance_first_are_swept() public {
        for (uint256 i = 1; i <= 2; ++i) {
            Order memory order = someOrder(address(usdt), 5);
            order.nonce = bytes32(i);
            pay(address(usdt), depositOf(order), 7);
            factory.sweep(order);
            require(opened(order), "status");
            equal(usdt.balanceOf(address(escrow)), 5 * i, "escrow");
            equal(usdt.allowance(depositOf(order), address(escrow)), 0, "allowance");
        }
    }

    function test_Rule15_a_taxed_token_does_not_open_and_goes_back_later() public {
        Order memory order = someOrder(address(taxed), 1_000);
        pay(address(taxed), depositOf(order), 1_000);
        vm.expectRevert(abi.encodeWithSelector(IEscrow.WrongDelta.selector, 990, 1_000));
        factory.sweep(order);
        vm.warp(order.openDeadline + 1);
        factory.giveBack(order, list(address(taxed)));
        equal(taxed.balanceOf(REFUND), 990, "returned less the token's own tax");
    }

    function test_Rule15_while_opening_is_paused_the_money_waits_and_then_goes_back() public {
        Order memory order = someOrder(address(usdc), 5);
        pay(address(usdc), depositOf(order), 5);
        vm.prank(vm.addr(0xA77E57));
        escrow.pauseOpen();
        vm.expectRevert(abi.encodeWithSelector(IEscrow.OpeningPaused.selector, START + 24 hours));
        factory.sweep(order);
        vm.warp(order.openDeadline + 1);
        factory.giveBack(order, list(address(usdc)));
        equal(usdc.balanceOf(REFUND), 5, "returned");
    }

    function test_Rule15_an_escrow_without_code_takes_nothing() public {
        Order memory order = someOrder(NATIVE, 5);
        order.escrow = word(EXCHANGE);
        pay(NATIVE, depositOf(order), 5);
        vm.expectRevert(IDepositFactory.OpenFailed.selector);
        factory.sweep(order);
        equal(depositOf(order).balance, 5, "balance");
    }

    function test_Rule15_a_contract_that_takes_any_call_is_no_escrow() public {
        Order memory order = someOrder(NATIVE, 5);
        order.escrow = word(address(new WrappedNative()));
        pay(NATIVE, depositOf(order), 5);
        vm.expectRevert(IDepositFactory.OpenFailed.selector);
        factory.sweep(order);
        equal(depositOf(order).balance, 5, "balance");
    }

    function test_Rule15_an_escrow_that_takes_less_keeps_no_allowance() public {
        HalfEscrow half = new HalfEscrow();
        Order memory order = someOrder(address(usdc), 10);
        order.escrow = word(address(half));
        pay(address(usdc), depositOf(order), 10);
        factory.sweep(order);
        equal(usdc.balanceOf(address(half)), 5, "taken");
        equal(usdc.allowance(depositOf(order), address(half)), 0, "allowance");
    }

    function test_Rule15_a_token_that_refuses_an_allowance_does_not_open() public {
        NoApprovals token = new NoApprovals();
        Order memory order = someOrder(address(token), 10);
        token.mint(depositOf(order), 10);
        vm.expectRevert(IDepositFactory.OpenFailed.selector);
        factory.sweep(order);
    }

    function test_Rule15_a_token_without_code_is_too_little() public {
        Order memory order = someOrder(EXCHANGE, 10);
        vm.expectRevert(abi.encodeWithSelector(IDepositFactory.TooLittle.selector, 0, 10));
        factory.sweep(order);
    }

    function test_Rule15_dirty_addresses_revert() public {
        Order memory order = someOrder(address(usdc), 5);
        order.inputToken |= bytes32(uint256(1) << 160);
        vm.expectRevert(abi.encodeWithSelector(OrderLib.DirtyAddress.selector, order.inputToken));
        factory.sweep(order);

        order = someOrder(address(usdc), 5);
        order.escrow |= bytes32(uint256(1) << 255);
        pay(address(usdc), depositOf(order), 5);
        vm.expectRevert(abi.encodeWithSelector(OrderLib.DirtyAddress.selector, order.escrow));
        factory.sweep(order);
    }

    function test_Rule15_deadlines_past_32_bits_revert() public {
        Order memory order = someOrder(address(usdc), 5);
        order.fillDeadline += 1 << 32;
        pay(address(usdc), depositOf(order), 5);
        vm.expectRevert(
            abi.encodeWithSelector(
                SafeCast.SafeCastOverflowedUintDowncast.selector, uint8(32), order.fillDeadline
            )
        );
        factory.sweep(order);
    }
}
