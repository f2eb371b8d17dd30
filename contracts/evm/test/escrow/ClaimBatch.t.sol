// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order} from "../../src/Order.sol";
import {IAttesterRegistry} from "../../src/interfaces/IAttesterRegistry.sol";
import {IEscrow} from "../../src/interfaces/IEscrow.sol";
import {Fixture} from "../Fixture.sol";
import {Signing} from "../Signing.sol";
import {Vm, vm} from "../Vm.sol";
import {ArmedWallet} from "../hostile/Armed.sol";
import {Eater, GasBurner, RecordingWallet, Refuser} from "../hostile/Wallets.sol";

contract ClaimBatchTest is Fixture {
    bytes32 constant REF = keccak256("fill");

    function opened(uint256 count) internal returns (Order[] memory orders, uint256[] memory times) {
        orders = new Order[](count);
        times = new uint256[](count);
        for (uint256 i = 0; i < count; ++i) {
            orders[i] = referredOrder();
            orders[i].nonce = keccak256(abi.encode(i));
            orders[i].amountIn += i;
            times[i] = START + i;
            open(orders[i]);
        }
    }

    function claimAll(Order[] memory orders, uint256[] memory times) internal {
        escrow.claimBatch(orders.length, batch(orders, times), attestBatch(orders, times, 2));
    }

    function refused(uint256 count, bytes32[] memory entries, bytes[] memory signatures, bytes memory problem)
        internal
    {
        vm.expectRevert(problem);
        escrow.claimBatch(count, entries, signatures);
    }

    function transfersTo(address token, address to) internal returns (uint256 count) {
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i = 0; i < logs.length; ++i) {
            if (logs[i].emitter == token && logs[i].topics[2] == _b(to)) count += 1;
        }
    }

    function test_Rule31_OneSignatureEachPaysForMany() public {
        (Order[] memory orders, uint256[] memory times) = opened(5);
        bytes[] memory signatures = attestBatch(orders, times, 2);
        bytes32[] memory entries = batch(orders, times);
        for (uint256 i = 0; i < 5; ++i) {
            vm.expectEmit(address(escrow));
            emit IEscrow.Claimed(orders[i].id(), orders[i].amountIn - 10e6);
        }
        vm.recordLogs();
        vm.prank(STRANGER);
        escrow.claimBatch(orders.length, entries, signatures);
        eq(usd.balanceOf(PAYEE), 5 * 990e6 + 10, "payee");
        eq(usd.balanceOf(REFERRER), 5 * 10e6, "referrer");
        eq(usd.balanceOf(address(escrow)), 0, "escrow");
        for (uint256 i = 0; i < 5; ++i) {
            eq(status(orders[i]), IEscrow.Status.Claimed);
        }
    }

    function test_Rule31_OnePayeeAndTokenArePaidByOneTransfer() public {
        (Order[] memory orders, uint256[] memory times) = opened(5);
        bytes[] memory signatures = attestBatch(orders, times, 2);
        bytes32[] memory entries = batch(orders, times);
        vm.recordLogs();
        escrow.claimBatch(orders.length, entries, signatures);
        eq(transfersTo(address(usd), PAYEE), 1, "transfers");
    }

    /// Other payees and tokens in between: each is paid what is its own.
    function test_Rule31_EveryPayeeAndTokenGetsItsOwn() public {
        Order[] memory orders = new Order[](4);
        uint256[] memory times = new uint256[](4);
        address[4] memory tokens = [address(usd), address(usd), NATIVE, address(usd)];
        address[4] memory payees = [PAYEE, STRANGER, PAYEE, PAYEE];
        for (uint256 i = 0; i < 4; ++i) {
            orders[i] = crossOrder();
            orders[i].nonce = bytes32(i);
            orders[i].amountIn = 10 ** (i + 1);
            orders[i].inputToken = _b(tokens[i]);
            orders[i].payee = _b(payees[i]);
            times[i] = START;
            open(orders[i]);
        }
        claimAll(orders, times);
        eq(usd.balanceOf(PAYEE), 10 + 10_000, "usd");
        eq(usd.balanceOf(STRANGER), 100, "the other payee");
        eq(PAYEE.balance, 1_000, "native");
        eq(usd.balanceOf(address(escrow)) + address(escrow).balance, 0, "escrow");
    }

    function test_Rule31_AnOrderThatEndedIsSkippedAndTheOthersArePaid() public {
        (Order[] memory orders, uint256[] memory times) = opened(4);
        bytes[] memory signatures = attestBatch(orders, times, 2);
        bytes32[] memory entries = batch(orders, times);
        vm.prank(FILLER);
        escrow.refund(orders[1]);
        escrow.claim(orders[2], START + 2, REF, attestFilled(orders[2], START + 2, 2));
        uint256 before = usd.balanceOf(PAYEE);
        vm.expectEmit(address(escrow));
        emit IEscrow.ClaimSkipped(orders[1].id(), IEscrow.Status.Refunded);
        vm.expectEmit(address(escrow));
        emit IEscrow.ClaimSkipped(orders[2].id(), IEscrow.Status.Claimed);
        escrow.claimBatch(orders.length, entries, signatures);
        eq(usd.balanceOf(PAYEE) - before, orders[0].amountIn + orders[3].amountIn - 20e6, "payee");
        eq(usd.balanceOf(REFUND), orders[1].amountIn, "refund");
        eq(usd.balanceOf(address(escrow)), 0, "escrow");
    }

    function test_Rule31_AFillThatDoesNotCountIsSkipped() public {
        (Order[] memory orders, uint256[] memory times) = opened(3);
        times[0] = orders[0].fillDeadline + 1;
        times[1] = 0;
        vm.expectEmit(address(escrow));
        emit IEscrow.ClaimSkipped(orders[0].id(), IEscrow.Status.Open);
        vm.expectEmit(address(escrow));
        emit IEscrow.ClaimSkipped(orders[1].id(), IEscrow.Status.Open);
        claimAll(orders, times);
        eq(status(orders[0]), IEscrow.Status.Open);
        eq(status(orders[1]), IEscrow.Status.Open);
        eq(status(orders[2]), IEscrow.Status.Claimed);
    }

    function test_Rule31_TheSameOrderTwiceIsPaidOnce() public {
        (Order[] memory orders, uint256[] memory times) = opened(2);
        orders[1] = orders[0];
        times[1] = times[0];
        claimAll(orders, times);
        eq(usd.balanceOf(PAYEE), 990e6, "payee");
    }

    function test_Rule31_AnOrderThatWasNeverOpenedIsSkipped() public {
        (Order[] memory orders, uint256[] memory times) = opened(2);
        orders[0].amountIn += 1_000;
        vm.expectEmit(address(escrow));
        emit IEscrow.ClaimSkipped(orders[0].id(), IEscrow.Status.None);
        claimAll(orders, times);
        eq(usd.balanceOf(PAYEE), orders[1].amountIn - 10e6, "payee");
    }

    function test_Rule31_ABatchIsPaidOnce() public {
        (Order[] memory orders, uint256[] memory times) = opened(3);
        claimAll(orders, times);
        uint256 paid = usd.balanceOf(PAYEE);
        usd.balanceOf(PAYEE);
        claimAll(orders, times);
        eq(usd.balanceOf(PAYEE), paid, "payee");
    }

    /// The signatures are over this list: nothing can be added, left out, moved or changed.
    function test_Rule31_SignaturesOverAnotherListAreRefused() public {
        (Order[] memory orders, uint256[] memory times) = opened(3);
        bytes[] memory signatures = attestBatch(orders, times, 2);
        for (uint256 kind = 0; kind < 4; ++kind) {
            Order[] memory other = new Order[](kind == 0 ? 2 : 3);
            uint256[] memory when = new uint256[](other.length);
            for (uint256 i = 0; i < other.length; ++i) {
                (other[i], when[i]) = (orders[i], times[i]);
            }
            if (kind == 1) (other[0], other[1]) = (orders[1], orders[0]);
            if (kind == 2) when[1] += 1;
            if (kind == 3) other[2] = orders[1];
            bytes32[] memory entries = batch(other, when);
            vm.expectPartialRevert(IAttesterRegistry.NotAnAttester.selector);
            escrow.claimBatch(other.length, entries, signatures);
        }
        bytes32[] memory wrong = batch(orders, times);
        wrong[1] = "another";
        vm.expectPartialRevert(IAttesterRegistry.NotAnAttester.selector);
        escrow.claimBatch(3, wrong, signatures);
        eq(usd.balanceOf(PAYEE), 0, "payee");
    }

    function test_Rule31_OneSignatureOfTwoIsNotEnough() public {
        (Order[] memory orders, uint256[] memory times) = opened(2);
        refused(
            orders.length,
            batch(orders, times),
            attestBatch(orders, times, 1),
            abi.encodeWithSelector(IAttesterRegistry.TooFewSignatures.selector, 1, 2)
        );
    }

    function test_Rule31_AnAttestationOfOneOrderDoesNotClaimABatch() public {
        (Order[] memory orders, uint256[] memory times) = opened(1);
        bytes[] memory single = attestFilled(orders[0], times[0], 2);
        bytes32[] memory entries = batch(orders, times);
        vm.expectPartialRevert(IAttesterRegistry.NotAnAttester.selector);
        escrow.claimBatch(1, entries, single);
        bytes[] memory many = attestBatch(orders, times, 2);
        vm.expectPartialRevert(IAttesterRegistry.NotAnAttester.selector);
        escrow.claim(orders[0], times[0], REF, many);
        escrow.claimBatch(1, entries, many);
    }

    function test_Rule31_OneEpochAndOneKindForEachBatch() public {
        (Order[] memory orders, uint256[] memory times) = opened(2);
        Order memory original = orders[1];
        orders[1].epoch = 2;
        refused(
            orders.length,
            batch(orders, times),
            attestBatch(orders, times, 2),
            abi.encodeWithSelector(IEscrow.MixedBatch.selector, orders[1].id())
        );
        orders[1] = original;
        orders[1].epoch = 1;
        orders[1].destinationChainId = ORIGIN;
        refused(
            orders.length,
            batch(orders, times),
            attestBatch(orders, times, 2),
            abi.encodeWithSelector(IEscrow.MixedBatch.selector, orders[1].id())
        );
    }

    function test_Rule31_OrdersWithinOneChainNeedNoSignature() public {
        Order[] memory orders = new Order[](3);
        uint256[] memory times = new uint256[](3);
        for (uint256 i = 0; i < 3; ++i) {
            orders[i] = localOrder();
            orders[i].nonce = bytes32(i);
            open(orders[i]);
            if (i != 1) fill(orders[i]);
        }
        bytes32[] memory entries = batch(orders, times);
        refused(
            3,
            entries,
            attestBatch(orders, times, 2),
            abi.encodeWithSelector(IEscrow.AttestationsRefused.selector)
        );
        vm.expectEmit(address(escrow));
        emit IEscrow.ClaimSkipped(orders[1].id(), IEscrow.Status.Open);
        vm.expectEmit(address(escrow));
        emit IEscrow.Claimed(orders[0].id(), orders[0].amountIn);
        escrow.claimBatch(3, entries, new bytes[](0));
        eq(usd.balanceOf(PAYEE), 2_000e6, "payee");
        eq(status(orders[1]), IEscrow.Status.Open);
    }

    function test_Rule31_AnEntryThatDoesNotFitItselfIsRefused() public {
        (Order[] memory orders, uint256[] memory times) = opened(2);
        bytes[] memory signatures = attestBatch(orders, times, 2);
        bytes memory problem = abi.encodeWithSelector(IEscrow.BadBatch.selector);
        bytes32[] memory entries = batch(orders, times);
        // Fewer or more orders than there are, a term too many, and a term that does not exist.
        refused(1, entries, signatures, problem);
        refused(3, entries, signatures, abi.encodeWithSelector(IEscrow.BadBatch.selector));
        entries[0] = bytes32(uint256(entries[0]) + (1 << 64));
        vm.expectRevert();
        escrow.claimBatch(2, entries, signatures);
        entries = batch(orders, times);
        entries[0] = bytes32(uint256(21) << 72 | uint256(1) << 64 | START);
        refused(2, entries, signatures, problem);
        // A term that is that of a place which does not exist, and one that does not exist and is that of another.
        entries[0] = bytes32(uint256(7) << 72 | uint256(128 | 21) << 64 | START);
        refused(2, entries, signatures, problem);
        entries[0] = bytes32(uint256(21) << 72 | uint256(128 | 3) << 64 | START);
        refused(2, entries, signatures, problem);
        refused(0, entries, signatures, abi.encodeWithSelector(IEscrow.EmptyBatch.selector));
    }

    /// Arbitrary input never pays anything that was not signed for.
    function testFuzz_Rule31_RandomInputClaimsNothing(bytes32[] memory noise, uint8 count) public {
        (Order[] memory orders, uint256[] memory times) = opened(2);
        bytes[] memory signatures = attestBatch(orders, times, 2);
        vm.expectRevert();
        escrow.claimBatch(count, noise, signatures);
        eq(usd.balanceOf(PAYEE), 0, "payee");
    }

    /// Whatever differs from one order to the next, what is read is what was meant.
    function testFuzz_Rule31_TheDifferencesDefineTheOrders(uint256 seed, uint8 size) public {
        uint256 count = within(size, 1, 8);
        Order[] memory orders = new Order[](count);
        uint256[] memory times = new uint256[](count);
        uint256 due = 0;
        for (uint256 i = 0; i < count; ++i) {
            uint256 dice = uint256(keccak256(abi.encode(seed, i)));
            orders[i] = dice & 1 == 0 ? crossOrder() : referredOrder();
            orders[i].nonce = bytes32(dice);
            if (dice & 2 == 0) orders[i].amountIn += dice % 1e6;
            if (dice & 4 == 0) orders[i].recipient = bytes32(dice);
            if (dice & 8 == 0) orders[i].refundTo = _b(STRANGER);
            if (dice & 32 == 0) orders[i].refundTo = orders[i].user;
            if (dice & 64 == 0) orders[i].recipient = orders[i].user;
            if (dice & 16 == 0) orders[i].openDeadline -= 7;
            times[i] = START + dice % 100;
            open(orders[i]);
            due += orders[i].amountIn - orders[i].referrerFee;
        }
        claimAll(orders, times);
        eq(usd.balanceOf(PAYEE), due, "payee");
        eq(usd.balanceOf(address(escrow)), 0, "escrow");
    }

    function test_Rule31_APayeeThatCannotTakeItsMoneyFailsTheBatchAndKeepsEveryOrderOpen() public {
        (Order[] memory orders, uint256[] memory times) = opened(2);
        Order memory other = crossOrder();
        other.inputToken = 0;
        other.payee = _b(address(new Refuser()));
        open(other);
        orders[1] = other;
        refused(
            orders.length,
            batch(orders, times),
            attestBatch(orders, times, 2),
            abi.encodeWithSelector(IEscrow.TransferFailed.selector, NATIVE, _a(other.payee))
        );
        eq(status(orders[0]), IEscrow.Status.Open);
        claim(orders[0]);
    }

    function nativeBatch(address payee, address referrer, uint256 count)
        internal
        returns (Order[] memory orders, uint256[] memory times)
    {
        orders = new Order[](count);
        times = new uint256[](count);
        for (uint256 i = 0; i < count; ++i) {
            orders[i] = referredOrder();
            orders[i].nonce = bytes32(i);
            orders[i].inputToken = 0;
            orders[i].payee = _b(payee);
            orders[i].referrer = _b(referrer);
            times[i] = START;
            open(orders[i]);
        }
    }

    function test_Rule31_AReferrerThatBurnsLosesItsFeesAndNothingElse() public {
        address burner = address(new GasBurner());
        (Order[] memory orders, uint256[] memory times) = nativeBatch(PAYEE, burner, 5);
        bytes32[] memory entries = batch(orders, times);
        bytes[] memory signatures = attestBatch(orders, times, 2);
        uint256 before = gasleft();
        escrow.claimBatch(orders.length, entries, signatures);
        require(before - gasleft() < 600_000, "gas");
        eq(PAYEE.balance, 5 * orders[0].amountIn, "payee");
    }

    /// However little gas the caller sends, every referrer of the batch is paid or the batch fails.
    function testFuzz_Rule31_NobodyStarvesAReferrer(uint256 gasLimit) public {
        gasLimit = within(gasLimit, 60_000, 500_000);
        RecordingWallet wallet = new RecordingWallet();
        (Order[] memory orders, uint256[] memory times) = nativeBatch(PAYEE, address(wallet), 3);
        bytes32[] memory entries = batch(orders, times);
        bytes[] memory signatures = attestBatch(orders, times, 2);
        try escrow.claimBatch{gas: gasLimit}(orders.length, entries, signatures) {
            eq(address(wallet).balance, 3 * orders[0].referrerFee, "referrer");
        } catch {
            eq(status(orders[0]), IEscrow.Status.Open);
            eq(address(wallet).balance, 0, "referrer");
        }
    }

    function test_Rule31_NobodyIsPaidTwiceByComingBack() public {
        ArmedWallet wallet = new ArmedWallet();
        (Order[] memory orders, uint256[] memory times) = nativeBatch(address(wallet), REFERRER, 3);
        bytes32[] memory entries = batch(orders, times);
        bytes[] memory signatures = attestBatch(orders, times, 2);
        wallet.arm(address(escrow), abi.encodeCall(IEscrow.claimBatch, (3, entries, signatures)));
        escrow.claimBatch(orders.length, entries, signatures);
        require(!wallet.fired() || !wallet.succeeded(), "re-entered");
        eq(address(wallet).balance, 3 * (orders[0].amountIn - orders[0].referrerFee), "payee");
        eq(address(escrow).balance, 0, "escrow");
    }

    function test_Rule31_APayeeContractOfManyOrdersIsCalledOnce() public {
        address wallet = address(new Eater(60_000));
        (Order[] memory orders, uint256[] memory times) = nativeBatch(wallet, REFERRER, 4);
        bytes32[] memory entries = batch(orders, times);
        bytes[] memory signatures = attestBatch(orders, times, 2);
        uint256 before = gasleft();
        escrow.claimBatch(orders.length, entries, signatures);
        require(before - gasleft() < 260_000, "called more than once");
        eq(wallet.balance, 4 * (orders[0].amountIn - orders[0].referrerFee), "payee");
    }

    function test_Rule31_ABatchOfAnEpochNeedsItsOwnSet() public {
        (Order[] memory orders, uint256[] memory times) = opened(2);
        uint256[] memory next = Signing.sorted(3, "next");
        bytes32 digest = Signing.handover(ORIGIN, address(registry), 2, 0, Signing.addresses(next), 2);
        registry.handOver(Signing.addresses(next), 2, Signing.all(Signing.first(keys, 2), digest));
        vm.warp(START + 3 days);
        claimAll(orders, times);
        eq(status(orders[1]), IEscrow.Status.Claimed);
    }
}
