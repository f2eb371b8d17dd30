// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order} from "../../src/Order.sol";
import {IEscrow} from "../../src/interfaces/IEscrow.sol";
import {Fixture} from "../Fixture.sol";
import {vm} from "../Vm.sol";
import {ArmedWallet} from "../hostile/Armed.sol";
import {SwitchableToken} from "../hostile/SwitchableToken.sol";
import {Flooder, GasBurner, RecordingWallet, Refuser} from "../hostile/Wallets.sol";

/// A referrer costs the payee at most its fee, and nobody else can take the fee.
contract ReferrerTest is Fixture {
    SwitchableToken switchable = new SwitchableToken();

    function switchableOrder(SwitchableToken.Behavior behavior) internal returns (Order memory order) {
        order = referredOrder();
        order.inputToken = _b(address(switchable));
        switchable.mint(user, order.amountIn);
        vm.prank(user);
        switchable.approve(address(escrow), order.amountIn);
        openAs(user, order);
        switchable.setBehavior(REFERRER, behavior);
    }

    function nativeOrder(address referrer) internal returns (Order memory order) {
        order = referredOrder();
        order.inputToken = 0;
        order.referrer = _b(referrer);
        open(order);
    }

    function test_Rule06_AFeeThatTheTokenRefusesGoesToThePayee() public {
        SwitchableToken.Behavior[3] memory behaviors = [
            SwitchableToken.Behavior.Bars, SwitchableToken.Behavior.SaysNo, SwitchableToken.Behavior.BurnsGas
        ];
        for (uint256 i = 0; i < behaviors.length; ++i) {
            uint256 before = vm.snapshotState();
            Order memory order = switchableOrder(behaviors[i]);
            vm.expectEmit(address(escrow));
            emit IEscrow.Claimed(order.id(), order.amountIn);
            claim(order);
            eq(switchable.balanceOf(REFERRER), 0, "referrer");
            eq(switchable.balanceOf(PAYEE), order.amountIn, "payee");
            vm.revertToState(before);
        }
    }

    /// The token returns false and pays. Trusting the result would pay the fee twice, from another order.
    function test_Rule06_AFeeThatLeftIsNotPaidTwice() public {
        Order memory order = switchableOrder(SwitchableToken.Behavior.PaysAndSaysNo);
        switchable.mint(address(escrow), 1_000e6);
        claim(order);
        eq(switchable.balanceOf(REFERRER), order.referrerFee, "referrer");
        eq(switchable.balanceOf(PAYEE), order.amountIn - order.referrerFee, "payee");
        eq(switchable.balanceOf(address(escrow)), 1_000e6, "what others have in the escrow");
    }

    function test_Rule06_LargeReturnDataIsNotCopied() public {
        Order memory order = switchableOrder(SwitchableToken.Behavior.Floods);
        bytes[] memory signatures = attestFilled(order, START, 2);
        // Creating the data costs two million gas; copying it would cost the same again.
        escrow.claim{gas: 2_500_000}(order, START, keccak256("fill"), signatures);
        eq(switchable.balanceOf(REFERRER), order.referrerFee, "referrer");
    }

    function test_Rule06_ANativeFeeThatIsRefusedGoesToThePayee() public {
        address[3] memory hostile = [address(new Refuser()), address(new GasBurner()), address(new Flooder())];
        for (uint256 i = 0; i < hostile.length; ++i) {
            Order memory order = nativeOrder(hostile[i]);
            uint256 before = PAYEE.balance;
            bytes[] memory signatures = attestFilled(order, START, 2);
            escrow.claim{gas: 250_000}(order, START, keccak256("fill"), signatures);
            eq(hostile[i].balance, 0, "referrer");
            eq(PAYEE.balance - before, order.amountIn, "payee");
        }
    }

    function test_Rule06_AWalletThatKeepsARecordHasEnoughGas() public {
        RecordingWallet wallet = new RecordingWallet();
        Order memory order = nativeOrder(address(wallet));
        claim(order);
        eq(wallet.received(), order.referrerFee, "referrer");
    }

    function test_Rule06_AReferrerCannotReenter() public {
        ArmedWallet wallet = new ArmedWallet();
        Order memory order = nativeOrder(address(wallet));
        Order memory other = nativeOrder(REFERRER);
        wallet.arm(address(escrow), abi.encodeCall(IEscrow.refund, (other)));
        claim(order);
        eq(status(other), IEscrow.Status.Open);
        eq(address(escrow).balance, other.amountIn, "the other order");
    }

    /// However little gas the claimant sends, either the claim fails or the referrer is paid.
    function testFuzz_Rule06_NobodyStarvesTheReferrer(uint256 gasLimit, bool native) public {
        gasLimit = within(gasLimit, 60_000, 250_000);
        RecordingWallet wallet = new RecordingWallet();
        Order memory order = referredOrder();
        if (native) order.inputToken = 0;
        order.referrer = _b(address(wallet));
        open(order);
        bytes[] memory signatures = attestFilled(order, START, 2);
        try escrow.claim{gas: gasLimit}(order, START, keccak256("fill"), signatures) {
            eq(balance(_a(order.inputToken), address(wallet)), order.referrerFee, "referrer");
        } catch {
            eq(status(order), IEscrow.Status.Open);
        }
    }
}
