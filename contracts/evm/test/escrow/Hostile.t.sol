// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {ReentrancyGuard} from "../../src/ReentrancyGuard.sol";
import {Order} from "../../src/Order.sol";
import {IOriginSettler} from "../../src/interfaces/IERC7683.sol";
import {IEscrow} from "../../src/interfaces/IEscrow.sol";
import {Fixture} from "../Fixture.sol";
import {vm} from "../Vm.sol";
import {Armed, ArmedToken, ArmedWallet} from "../hostile/Armed.sol";
import {SwitchableToken} from "../hostile/SwitchableToken.sol";
import {Flooder, GasBurner, Refuser} from "../hostile/Wallets.sol";

/// Tokens and wallets that reenter, return false results, block recipients, burn gas or return too much data.
contract HostileTest is Fixture {
    ArmedToken armed = new ArmedToken();
    ArmedWallet wallet = new ArmedWallet();
    SwitchableToken switchable = new SwitchableToken();

    /// An order of the wallet's, so that the wallet may call in every role.
    function walletOrder(address token, bytes32 nonce) internal view returns (Order memory order) {
        order = crossOrder();
        order.nonce = nonce;
        order.inputToken = _b(token);
        order.user = _b(address(wallet));
        order.filler = _b(address(wallet));
        order.payee = _b(address(wallet));
        order.refundTo = _b(address(wallet));
    }

    function openByWallet(Order memory order) internal {
        if (order.inputToken == 0) {
            vm.deal(address(this), order.amountIn);
            wallet.act{value: order.amountIn}(
                address(escrow), order.amountIn, abi.encodeCall(IOriginSettler.open, (envelope(order)))
            );
        } else {
            armed.mint(address(wallet), order.amountIn);
            wallet.act(address(armed), 0, abi.encodeCall(armed.approve, (address(escrow), type(uint256).max)));
            wallet.act(address(escrow), 0, abi.encodeCall(IOriginSettler.open, (envelope(order))));
        }
    }

    function keptOut(Armed which) internal view {
        require(which.fired() && !which.succeeded(), "called back");
        require(bytes4(which.answer()) == ReentrancyGuard.ReentrancyGuardReentrantCall.selector, "reason");
    }

    /// Every door of the escrow, as a call that would work if it were not made in the middle of another.
    function doors(Order memory other, Order memory fresh) internal view returns (bytes[6] memory) {
        return [
            abi.encodeCall(IOriginSettler.open, (envelope(fresh))),
            abi.encodeCall(IOriginSettler.openFor, (gasless(fresh), "", "")),
            abi.encodeCall(IEscrow.claim, (other, START, keccak256("fill"), attestFilled(other, START, 2))),
            abi.encodeCall(IEscrow.refund, (other)),
            abi.encodeCall(IEscrow.refundUnfilled, (other, other.fillDeadline + 1, new bytes[](0))),
            abi.encodeCall(IEscrow.refundTo, (other, STRANGER))
        ];
    }

    function test_Rule04_NothingIsEnteredWhileOneOpens() public {
        Order memory other = walletOrder(address(armed), "other");
        openByWallet(other);
        bytes[6] memory calls = doors(other, walletOrder(address(armed), "fresh"));
        for (uint256 i = 0; i < calls.length; ++i) {
            Order memory order = walletOrder(address(armed), bytes32(i));
            armed.arm(address(escrow), calls[i]);
            openByWallet(order);
            keptOut(armed);
        }
        eq(status(other), IEscrow.Status.Open);
        eq(armed.balanceOf(address(escrow)), 7 * other.amountIn, "escrow");
    }

    function test_Rule06_NothingIsEnteredWhileOneIsClaimed() public {
        Order memory other = walletOrder(NATIVE, "other");
        openByWallet(other);
        bytes[6] memory calls = doors(other, walletOrder(NATIVE, "fresh"));
        for (uint256 i = 0; i < calls.length; ++i) {
            Order memory order = walletOrder(NATIVE, bytes32(i));
            openByWallet(order);
            wallet.arm(address(escrow), calls[i]);
            claim(order);
            keptOut(wallet);
        }
        eq(address(escrow).balance, other.amountIn, "the other order");
        eq(address(wallet).balance, 6 * other.amountIn, "each paid once");
    }

    function test_Rule07_NothingIsEnteredWhileOneIsRefunded() public {
        Order memory other = walletOrder(NATIVE, "other");
        openByWallet(other);
        bytes[6] memory calls = doors(other, walletOrder(NATIVE, "fresh"));
        for (uint256 i = 0; i < calls.length; ++i) {
            Order memory order = walletOrder(NATIVE, bytes32(i));
            openByWallet(order);
            wallet.arm(address(escrow), calls[i]);
            wallet.act(address(escrow), 0, abi.encodeCall(IEscrow.refund, (order)));
            keptOut(wallet);
        }
        eq(address(escrow).balance, other.amountIn, "the other order");
        eq(address(wallet).balance, 6 * other.amountIn, "each paid once");
    }

    /// A gift that arrives in the middle of a deposit is no part of it.
    function test_Rule04_AGiftInTheMiddleOfADepositIsNoDeposit() public {
        Order memory order = walletOrder(address(armed), "order");
        armed.mint(address(armed), 1);
        armed.arm(address(armed), abi.encodeCall(armed.transfer, (address(escrow), 1)));
        armed.mint(address(wallet), order.amountIn);
        wallet.act(address(armed), 0, abi.encodeCall(armed.approve, (address(escrow), type(uint256).max)));
        vm.expectRevert(
            abi.encodeWithSelector(IEscrow.WrongDelta.selector, order.amountIn + 1, order.amountIn)
        );
        wallet.act(address(escrow), 0, abi.encodeCall(IOriginSettler.open, (envelope(order))));
    }

    function switchableOrder() internal returns (Order memory order) {
        order = crossOrder();
        order.inputToken = _b(address(switchable));
        switchable.mint(user, order.amountIn);
        vm.prank(user);
        switchable.approve(address(escrow), order.amountIn);
    }

    function test_Rule04_ATokenThatDoesNotDeliverOpensNothing() public {
        Order memory order = switchableOrder();
        SwitchableToken.Behavior[4] memory behaviors = [
            SwitchableToken.Behavior.Bars,
            SwitchableToken.Behavior.SaysNo,
            SwitchableToken.Behavior.PaysAndSaysNo,
            SwitchableToken.Behavior.BurnsGas
        ];
        for (uint256 i = 0; i < behaviors.length; ++i) {
            switchable.setBehavior(address(escrow), behaviors[i]);
            vm.expectRevert(
                abi.encodeWithSelector(IEscrow.TransferFailed.selector, address(switchable), address(escrow))
            );
            openAs(user, order);
        }
        switchable.setBehavior(address(escrow), SwitchableToken.Behavior.KeepsHalf);
        vm.expectRevert(
            abi.encodeWithSelector(IEscrow.WrongDelta.selector, order.amountIn / 2, order.amountIn)
        );
        openAs(user, order);
    }

    /// A barred refund address keeps its money in the escrow and names another address.
    function test_Rule07_ABarredRefundAddressNamesAnother() public {
        Order memory order = switchableOrder();
        openAs(user, order);
        switchable.setBehavior(REFUND, SwitchableToken.Behavior.Bars);
        vm.warp(order.refundAt + 1);
        vm.expectRevert(abi.encodeWithSelector(IEscrow.TransferFailed.selector, address(switchable), REFUND));
        escrow.refund(order);
        vm.prank(REFUND);
        escrow.refundTo(order, STRANGER);
        eq(switchable.balanceOf(STRANGER), order.amountIn, "redirected");
    }

    function test_Rule07_ARefundAddressThatCannotTakeNativeCurrencyNamesAnother() public {
        address[2] memory hostile = [address(new Refuser()), address(new GasBurner())];
        for (uint256 i = 0; i < hostile.length; ++i) {
            Order memory order = crossOrder();
            order.nonce = bytes32(i);
            order.inputToken = 0;
            order.refundTo = _b(hostile[i]);
            open(order);
            vm.warp(order.refundAt + 1);
            vm.expectRevert(abi.encodeWithSelector(IEscrow.TransferFailed.selector, NATIVE, hostile[i]));
            escrow.refund(order);
            vm.prank(hostile[i]);
            escrow.refundTo(order, STRANGER);
            vm.warp(START);
        }
        eq(STRANGER.balance, 2 * crossOrder().amountIn, "redirected");
    }

    function test_Rule06_APayeeThatCannotTakeItsMoneyBlocksOnlyItself() public {
        Order memory order = crossOrder();
        order.inputToken = 0;
        order.payee = _b(address(new Refuser()));
        open(order);
        bytes[] memory signatures = attestFilled(order, START, 2);
        vm.expectRevert(abi.encodeWithSelector(IEscrow.TransferFailed.selector, NATIVE, _a(order.payee)));
        escrow.claim(order, START, keccak256("fill"), signatures);
        eq(status(order), IEscrow.Status.Open);
        Order memory other = crossOrder();
        open(other);
        claim(other);
        eq(usd.balanceOf(PAYEE), other.amountIn, "the other payee");
    }

    function test_Rule07_LargeReturnDataIsNotCopied() public {
        Order memory order = crossOrder();
        order.inputToken = 0;
        order.refundTo = _b(address(new Flooder()));
        open(order);
        vm.prank(FILLER);
        // Creating the data costs 80,000 gas; copying it would cost the same again.
        escrow.refund{gas: 180_000}(order);
        eq(_a(order.refundTo).balance, order.amountIn, "refund");
    }

    /// Money sent here by mistake belongs to nobody and moves no order.
    function test_Rule07_TheEscrowTakesNoStrayNativeCurrency() public {
        vm.deal(STRANGER, 1);
        vm.prank(STRANGER);
        (bool taken,) = address(escrow).call{value: 1}("");
        require(!taken, "taken");
    }
}
