// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order} from "../../src/Order.sol";
import {IAttesterRegistry} from "../../src/interfaces/IAttesterRegistry.sol";
import {IEscrow} from "../../src/interfaces/IEscrow.sol";
import {Fixture} from "../Fixture.sol";
import {Signing} from "../Signing.sol";
import {vm} from "../Vm.sol";

contract EpochsTest is Fixture {
    uint256[] next;

    function setUp() public override {
        super.setUp();
        next = Signing.sorted(5, "next");
    }

    function word(uint256[] memory signers, uint256 epoch, uint256 proposal)
        internal
        view
        returns (bytes[] memory)
    {
        return Signing.all(
            signers, Signing.handover(ORIGIN, address(registry), epoch, proposal, Signing.addresses(next), 3)
        );
    }

    function handOver() internal {
        registry.handOver(Signing.addresses(next), 3, word(Signing.first(keys, 2), 2, 0));
    }

    function test_Rule12_TheFirstSetIsInEffectAtOnce() public {
        address[] memory three = Signing.addresses(keys);
        vm.recordLogs();
        IAttesterRegistry fresh = newEscrow(three, 2);
        require(keccak256(vm.getRecordedLogs()[0].data) == keccak256(abi.encode(three, 2, START)), "event");
        eq(fresh.currentEpoch(), 1, "epoch");
        eq(fresh.threshold(1), 2, "threshold");
        require(keccak256(abi.encode(fresh.attesters(1))) == keccak256(abi.encode(three)), "attesters");
        require(fresh.isAttester(1, three[0]) && !fresh.isAttester(1, STRANGER), "standing");
    }

    function test_Rule12_AHandoverTakesFortyEightHours() public {
        bytes[] memory signatures = word(Signing.first(keys, 2), 2, 0);
        vm.expectEmit(address(registry));
        emit IAttesterRegistry.EpochScheduled(2, Signing.addresses(next), 3, START + 48 hours);
        vm.prank(STRANGER);
        registry.handOver(Signing.addresses(next), 3, signatures);
        vm.warp(START + 48 hours - 1);
        eq(registry.currentEpoch(), 1, "before");
        vm.warp(START + 48 hours);
        eq(registry.currentEpoch(), 2, "after");
        eq(registry.threshold(2), 3, "threshold");
    }

    function test_Rule12_LessThanAThresholdHandsNothingOver() public {
        bytes[] memory one = word(Signing.first(keys, 1), 2, 0);
        address[] memory members = Signing.addresses(next);
        vm.expectRevert(abi.encodeWithSelector(IAttesterRegistry.TooFewSignatures.selector, 1, 2));
        registry.handOver(members, 3, one);
    }

    function test_Rule12_AHandoverIsSignedForItsVerySet() public {
        bytes[] memory signatures = word(Signing.first(keys, 2), 2, 0);
        address[] memory members = Signing.addresses(next);
        vm.expectPartialRevert(IAttesterRegistry.NotAnAttester.selector);
        registry.handOver(members, 4, signatures);
        members = Signing.addresses(Signing.first(next, 4));
        vm.expectPartialRevert(IAttesterRegistry.NotAnAttester.selector);
        registry.handOver(members, 3, signatures);
    }

    function test_Rule12_AHandoverWithABadThresholdIsRefused() public {
        address[] memory members = Signing.addresses(next);
        bytes[] memory signatures =
            Signing.all(keys, Signing.handover(ORIGIN, address(registry), 2, 0, members, 0));
        vm.expectRevert(abi.encodeWithSelector(IAttesterRegistry.BadThreshold.selector, 0, 5));
        registry.handOver(members, 0, signatures);
    }

    function test_Rule12_NoHandoverWorksTwice() public {
        bytes[] memory signatures = word(Signing.first(keys, 2), 2, 0);
        address[] memory members = Signing.addresses(next);
        registry.handOver(members, 3, signatures);
        eq(registry.proposals(), 1, "proposals");
        // Not again while it waits, and not when it has been in effect and is gone.
        vm.expectPartialRevert(IAttesterRegistry.NotAnAttester.selector);
        registry.handOver(members, 3, signatures);
    }

    /// The set that waits says nothing yet, and the set in effect may think again.
    function test_Rule12_AWaitingSetIsReplaced() public {
        handOver();
        address early = vm.addr(next[0]);
        bytes[] memory signatures = Signing.all(Signing.first(next, 3), "digest");
        vm.expectRevert(abi.encodeWithSelector(IAttesterRegistry.UnknownEpoch.selector, 2));
        registry.check(2, "digest", signatures);
        vm.prank(early);
        registry.resign(2);

        vm.warp(START + 47 hours);
        registry.handOver(
            Signing.addresses(Signing.first(next, 3)),
            2,
            Signing.all(
                Signing.first(keys, 2),
                Signing.handover(
                    ORIGIN, address(registry), 2, 1, Signing.addresses(Signing.first(next, 3)), 2
                )
            )
        );
        vm.warp(START + 48 hours);
        eq(registry.currentEpoch(), 1, "the delay begins anew");
        vm.warp(START + 95 hours);
        eq(registry.currentEpoch(), 2, "in effect");
        eq(registry.attesters(2).length, 3, "members");
        eq(registry.threshold(2), 2, "threshold");
        require(registry.isAttester(2, early), "listed anew");
        require(!registry.isAttester(2, vm.addr(next[4])), "no longer listed");
        registry.check(2, "digest", Signing.all(Signing.first(next, 2), "digest"));
    }

    function test_Rule12_TheOldSetHandsOverNoMore() public {
        handOver();
        vm.warp(START + 48 hours);
        bytes[] memory signatures = word(Signing.first(keys, 3), 3, 1);
        address[] memory members = Signing.addresses(next);
        vm.expectRevert(abi.encodeWithSelector(IAttesterRegistry.NotAnAttester.selector, 2, vm.addr(keys[0])));
        registry.handOver(members, 3, signatures);
        registry.handOver(members, 3, word(Signing.first(next, 3), 3, 1));
        vm.warp(START + 96 hours);
        eq(registry.currentEpoch(), 3, "epoch");
    }

    function test_Rule12_UnknownEpochsSayNothing() public {
        bytes[] memory signatures = Signing.all(keys, "digest");
        uint256[3] memory unknown = [uint256(0), 2, type(uint256).max];
        for (uint256 i = 0; i < unknown.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IAttesterRegistry.UnknownEpoch.selector, unknown[i]));
            registry.check(unknown[i], "digest", signatures);
        }
    }

    function test_Rule12_OpenTakesTheCurrentEpochOnly() public {
        handOver();
        Order memory order = crossOrder();
        order.epoch = 2;
        openRefused(order, abi.encodeWithSelector(IEscrow.WrongEpoch.selector, 2, 1));
        order.epoch = 1;
        open(order);

        vm.warp(START + 48 hours);
        order = lateOrder(1);
        openRefused(order, abi.encodeWithSelector(IEscrow.WrongEpoch.selector, 1, 2));
        order = lateOrder(2);
        open(order);
        eq(status(order), IEscrow.Status.Open);
    }

    /// An order keeps the attesters that it was opened under.
    function test_Rule12_AnOrderKeepsItsEpoch() public {
        Order memory order = crossOrder();
        open(order);
        handOver();
        vm.warp(START + 48 hours);
        bytes32 digest = Signing.filled(ORIGIN, address(escrow), order.id(), START, 0);
        bytes[] memory signatures = Signing.all(Signing.first(next, 3), digest);
        vm.expectRevert(abi.encodeWithSelector(IAttesterRegistry.NotAnAttester.selector, 1, vm.addr(next[0])));
        escrow.claim(order, START, 0, signatures);
        escrow.claim(order, START, 0, Signing.all(Signing.first(keys, 2), digest));
        eq(usd.balanceOf(PAYEE), order.amountIn, "payee");
    }

    function test_Rule12_TheNewSetDecidesNewOrdersAndTheRemovedOneDoesNot() public {
        handOver();
        vm.warp(START + 48 hours);
        Order memory order = lateOrder(2);
        open(order);
        bytes32 digest = Signing.filled(ORIGIN, address(escrow), order.id(), START, 0);
        bytes[] memory signatures = Signing.all(keys, digest);
        vm.expectRevert(abi.encodeWithSelector(IAttesterRegistry.NotAnAttester.selector, 2, vm.addr(keys[0])));
        escrow.claim(order, START, 0, signatures);
        escrow.claim(order, START, 0, Signing.all(Signing.first(next, 3), digest));
    }

    function test_Rule12_AKeyResignsAtOnce() public {
        address leaver = vm.addr(keys[0]);
        vm.expectEmit(address(registry));
        emit IAttesterRegistry.Resigned(1, leaver);
        vm.prank(leaver);
        registry.resign(1);
        require(!registry.isAttester(1, leaver), "standing");

        Order memory order = crossOrder();
        open(order);
        bytes[] memory signatures = attestFilled(order, START, 2);
        vm.expectRevert(abi.encodeWithSelector(IAttesterRegistry.NotAnAttester.selector, 1, leaver));
        escrow.claim(order, START, keccak256("fill"), signatures);
        vm.expectRevert(abi.encodeWithSelector(IAttesterRegistry.NotAnAttester.selector, 1, leaver));
        vm.prank(leaver);
        registry.resign(1);
    }

    function test_Rule12_AThresholdOfKeysRemains() public {
        vm.prank(vm.addr(keys[0]));
        registry.resign(1);
        address second = vm.addr(keys[1]);
        vm.expectRevert(abi.encodeWithSelector(IAttesterRegistry.ThresholdWouldBreak.selector));
        vm.prank(second);
        registry.resign(1);
        uint256[] memory rest = new uint256[](2);
        (rest[0], rest[1]) = (keys[1], keys[2]);
        registry.check(1, "digest", Signing.all(rest, "digest"));
    }

    function testFuzz_Rule12_OthersNeitherResignNorPause(address caller) public {
        vm.assume(!registry.isAttester(1, caller));
        bytes memory problem = abi.encodeWithSelector(IAttesterRegistry.NotAnAttester.selector, 1, caller);
        vm.expectRevert(problem);
        vm.prank(caller);
        registry.resign(1);
        vm.expectRevert(problem);
        vm.prank(caller);
        registry.pauseOpen();
    }

    function lateOrder(uint256 epoch) internal view returns (Order memory order) {
        order = crossOrder();
        order.nonce = keccak256("late");
        order.openDeadline += 48 hours;
        order.fillDeadline += 48 hours;
        order.refundAt += 48 hours;
        order.epoch = epoch;
    }
}
