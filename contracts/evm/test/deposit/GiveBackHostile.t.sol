// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order} from "../../src/Order.sol";
import {DepositAddress} from "../../src/deposit/DepositAddress.sol";
import {DepositFactory} from "../../src/deposit/DepositFactory.sol";
import {IDepositFactory} from "../../src/interfaces/IDepositFactory.sol";
import {IEscrow} from "../../src/interfaces/IEscrow.sol";
import {vm} from "../Vm.sol";
import {GasBurner, GasMeter} from "../hostile/Wallets.sol";
import {FAUCET} from "../sandbox/Genesis.sol";
import {DepositFixture, EXCHANGE, NATIVE, REFUND} from "./DepositFixture.sol";
import {
    BombRecipient,
    BombToken,
    FalseToken,
    GasBurningReader,
    GasBurningRecipient,
    GasBurningToken,
    HostileToken,
    PullingToken,
    ReentrantToken,
    RevertingRecipient,
    RevertingToken,
    SecondFace,
    TwoFaced
} from "./Hostile.sol";

contract GiveBackHostileTest is DepositFixture {
    Order order;
    address spot;

    function setUp() public override {
        super.setUp();
        order = someOrder(address(usdc), 100);
        spot = depositOf(order);
    }

    function skipped(address token) internal {
        vm.expectEmit(address(factory));
        emit IDepositFactory.Skipped(order.id(), spot, token);
    }

    function returned(address token, uint256 amount) internal {
        vm.expectEmit(address(factory));
        emit IDepositFactory.Returned(order.id(), spot, REFUND, token, amount);
    }

    /// @dev The bad token comes between two good ones, both of which must be returned.
    function skipBetweenGoodOnes(address bad) internal {
        pay(address(dai), spot, 8);
        pay(NATIVE, spot, 9);
        returned(address(dai), 8);
        skipped(bad);
        returned(NATIVE, 9);
        factory.giveBack{gas: 3_000_000}(order, list(address(dai), bad, NATIVE));
    }

    /// A refund address costs the caller no more than a transfer.
    function test_Rule25_a_refund_address_gets_at_most_100000_gas() public {
        GasMeter meter = new GasMeter();
        order.refundTo = word(address(meter));
        pay(NATIVE, depositOf(order), 9);
        factory.giveBack{gas: 3_000_000}(order, list(NATIVE));
        require(address(meter).balance == 9, "returned");
        require(meter.given() > 90_000 && meter.given() <= 100_000, "gas");

        order.refundTo = word(address(new GasBurner()));
        pay(NATIVE, depositOf(order), 9);
        uint256 before = gasleft();
        factory.giveBack{gas: 10_000_000}(order, list(NATIVE));
        require(before - gasleft() < 300_000, "burnt");
    }

    function skipHostile(HostileToken bad) internal {
        bad.mint(spot, 5);
        skipBetweenGoodOnes(address(bad));
        equal(bad.balances(spot), 5, "still there");
    }

    function test_Rule15_a_reverting_token_is_skipped() public {
        skipHostile(new RevertingToken());
    }

    function test_Rule15_a_token_that_says_false_is_skipped() public {
        skipHostile(new FalseToken());
    }

    function test_Rule15_a_gas_burning_token_is_skipped_and_starves_nobody() public {
        skipHostile(new GasBurningToken());
    }

    function test_Rule15_a_token_whose_balance_burns_gas_is_skipped_and_starves_nobody() public {
        skipHostile(new GasBurningReader());
    }

    function test_Rule15_a_token_that_answers_with_a_megabyte_is_skipped() public {
        skipHostile(new BombToken());
    }

    function test_Rule15_an_address_without_code_is_skipped() public {
        skipBetweenGoodOnes(EXCHANGE);
    }

    function test_Rule15_contracts_that_are_no_token_are_skipped() public {
        skipBetweenGoodOnes(address(escrow));
        skipBetweenGoodOnes(address(factory));
        skipBetweenGoodOnes(spot);
    }

    /// It obeys the factory, so the factory must never call it with a function that moves money.
    function test_Rule15_another_orders_address_that_poses_as_token_or_escrow_moves_nothing() public {
        Order memory rich = someOrder(NATIVE, 1 ether);
        address posing = depositOf(rich);
        pay(address(dai), posing, 1);
        factory.giveBack(rich, list(address(dai)));
        pay(NATIVE, posing, 1 ether);
        pay(address(usdc), posing, 100);

        skipBetweenGoodOnes(posing);
        order.inputToken = word(posing);
        order.amountIn = 0;
        vm.expectRevert(IDepositFactory.OpenFailed.selector);
        factory.sweep(order);

        order = someOrder(address(usdc), 100);
        order.escrow = word(posing);
        pay(address(usdc), depositOf(order), 100);
        vm.expectRevert(abi.encodeWithSelector(DepositAddress.NotTheFactory.selector, depositOf(order)));
        factory.sweep{gas: 3_000_000}(order);
        vm.expectRevert(abi.encodeWithSelector(IDepositFactory.StillAwaited.selector, order.id()));
        factory.giveBack{gas: 3_000_000}(order, list(address(usdc)));
        equal(posing.balance, 1 ether, "native");
        equal(usdc.balanceOf(posing), 100, "usdc");
    }

    function test_Rule15_a_barred_address_is_skipped_and_returned_once_it_is_free() public {
        pay(address(usdt), spot, 7);
        vm.prank(FAUCET);
        usdt.addBlackList(spot);
        skipBetweenGoodOnes(address(usdt));
        equal(usdt.balanceOf(spot), 7, "still there");
        vm.prank(FAUCET);
        usdt.removeBlackList(spot);
        factory.giveBack(order, list(address(usdt)));
        equal(usdt.balanceOf(REFUND), 7, "returned");
    }

    function refusesNative(address recipient) internal {
        Order memory other = order;
        other.refundTo = word(recipient);
        address there = depositOf(other);
        pay(NATIVE, there, 9);
        pay(address(dai), there, 8);
        vm.expectEmit(address(factory));
        emit IDepositFactory.Skipped(other.id(), there, NATIVE);
        vm.expectEmit(address(factory));
        emit IDepositFactory.Returned(other.id(), there, recipient, address(dai), 8);
        factory.giveBack{gas: 3_000_000}(other, list(NATIVE, address(dai)));
        equal(there.balance, 9, "still there");
    }

    function test_Rule15_a_refund_address_that_refuses_native_gets_the_rest() public {
        refusesNative(address(new RevertingRecipient()));
    }

    function test_Rule15_a_refund_address_that_burns_gas_gets_the_rest() public {
        refusesNative(address(new GasBurningRecipient()));
    }

    function test_Rule15_a_refund_address_that_answers_with_a_megabyte_gets_the_rest() public {
        refusesNative(address(new BombRecipient()));
    }

    /// A wallet estimates the least gas that does not revert: with that gas, no valid token may be skipped.
    function testFuzz_Rule15_no_amount_of_gas_makes_a_good_token_fail(uint256 gas) public {
        pay(address(dai), spot, 8);
        pay(address(usdt), spot, 7);
        pay(NATIVE, spot, 9);
        gas = within(gas, 30_000, 1_500_000);
        (bool done,) = address(factory).call{gas: gas}(
            abi.encodeCall(factory.giveBack, (order, list(address(dai), address(usdt), NATIVE)))
        );
        equal(dai.balanceOf(REFUND), done ? 8 : 0, "dai");
        equal(usdt.balanceOf(REFUND), done ? 7 : 0, "usdt");
        equal(REFUND.balance, done ? 9 : 0, "native");
        require(done || gas < 1_000_000, "plenty of gas is not enough");
    }

    function test_Rule15_too_little_gas_reverts() public {
        pay(address(dai), spot, 8);
        (bool done, bytes memory reason) =
            address(factory).call{gas: 200_000}(abi.encodeCall(factory.giveBack, (order, list(address(dai)))));
        require(!done && bytes4(reason) == DepositFactory.TooLittleGas.selector, "reason");
    }

    function test_Rule15_awaited_money_does_not_leave_under_a_second_name() public {
        TwoFaced token = new TwoFaced();
        SecondFace face = new SecondFace(token);
        token.recognise(address(face));
        order.inputToken = word(address(token));
        spot = depositOf(order);
        token.mint(spot, 100);
        vm.expectRevert(abi.encodeWithSelector(IDepositFactory.StillAwaited.selector, order.id()));
        factory.giveBack(order, list(address(face)));
        vm.warp(order.openDeadline + 1);
        factory.giveBack(order, list(address(face)));
        equal(token.balances(REFUND), 100, "returned");
    }

    function test_Rule15_a_token_that_re_enters_a_return_gains_nothing() public {
        ReentrantToken token = new ReentrantToken();
        token.mint(spot, 5);
        pay(address(dai), spot, 8);
        token.plan(
            address(factory), abi.encodeCall(factory.giveBack, (order, list(address(dai), address(usdc))))
        );
        pay(address(usdc), spot, 100);
        factory.giveBack(order, list(address(token), address(dai)));
        require(!token.worked(), "the awaited input was returned from within");
        equal(usdc.balanceOf(spot), 100, "input");
        equal(dai.balanceOf(REFUND), 8, "dai");
        equal(token.balances(REFUND), 5, "token");
    }

    function test_Rule15_a_token_that_sweeps_from_within_a_return_changes_nothing() public {
        ReentrantToken token = new ReentrantToken();
        token.mint(spot, 5);
        pay(address(usdc), spot, 100);
        token.plan(address(factory), abi.encodeCall(factory.sweep, (order)));
        vm.expectRevert(abi.encodeWithSelector(IDepositFactory.StillAwaited.selector, order.id()));
        factory.giveBack(order, list(address(token)));
        equal(usdc.balanceOf(spot), 100, "input");
        factory.sweep(order);
        factory.giveBack(order, list(address(token)));
        equal(token.balances(REFUND), 5, "token");
    }

    function test_Rule15_a_token_that_returns_from_within_a_sweep_cannot_take_it_from_the_order() public {
        // The token is the order's own: it requests the return during the escrow's transfer.
        PullingToken token = new PullingToken();
        order.inputToken = word(address(token));
        spot = depositOf(order);
        token.mint(spot, 150);
        token.plan(address(factory), abi.encodeCall(factory.giveBack, (order, list(address(token)))));
        vm.expectRevert(
            abi.encodeWithSelector(IEscrow.TransferFailed.selector, address(token), address(escrow))
        );
        factory.sweep(order);
        equal(token.balances(spot), 150, "still there");

        token.plan(address(0xdead), "");
        factory.sweep(order);
        factory.giveBack(order, list(address(token)));
        equal(token.balances(address(escrow)), 100, "escrow");
        equal(token.balances(REFUND), 50, "returned");
    }
}
