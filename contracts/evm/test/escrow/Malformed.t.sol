// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order} from "../../src/Order.sol";
import {IOriginSettler} from "../../src/interfaces/IERC7683.sol";
import {IEscrow} from "../../src/interfaces/IEscrow.sol";
import {Fixture} from "../Fixture.sol";
import {Vm, vm} from "../Vm.sol";

/// @notice Calls whose bytes are not what an encoder writes: changed bits, missing ends, offsets that lead elsewhere. Whatever the
/// escrow makes of them, what it was asked for happens as a whole and once, or nothing does.
contract MalformedTest is Fixture {
    function bent(bytes memory data, uint256 where) private pure returns (bytes memory) {
        // Not the selector: that would be another function.
        uint256 bit = 32 + where % (data.length * 8 - 32);
        data[bit / 8] ^= bytes1(uint8(1 << (bit % 8)));
        return data;
    }

    function cut(bytes memory data, uint256 length) private pure returns (bytes memory) {
        assembly ("memory-safe") {
            mstore(data, length)
        }
        return data;
    }

    function call(address caller, bytes memory data) private returns (bool done) {
        vm.prank(caller);
        (done,) = address(escrow).call(data);
    }

    /// @dev The caller opens whatever order its calldata has: its log names it, and its amount is what moved. Or nothing happens.
    function opens(address caller, bytes memory data) private returns (bytes32 id) {
        uint256 before = usd.balanceOf(user);
        vm.recordLogs();
        bool done = call(caller, data);
        uint256 moved = before - usd.balanceOf(user);
        eq(usd.balanceOf(address(escrow)), moved, "escrow");
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i = 0; i < logs.length; ++i) {
            if (logs[i].emitter != address(escrow)) continue;
            require(id == 0 && logs[i].topics[0] == IEscrow.Open.selector, "one order");
            Order memory order = abi.decode(logs[i].data, (Order));
            id = logs[i].topics[1];
            require(id == order.id() && moved == order.amountIn, "another order");
            eq(status(order), IEscrow.Status.Open);
        }
        require((id != 0) == done && (moved != 0) == done, "half of it");
    }

    function testFuzz_Rule04_AChangedBitOpensWhatTheLogSaysOrNothing(uint256 where) public {
        Order memory order = crossOrder();
        fund(address(usd), user, address(escrow), order.amountIn);
        opens(user, bent(abi.encodeCall(IOriginSettler.open, (envelope(order))), where));
    }

    /// The last words of the calldata are the order's: none of them may be missing and read as zero.
    function test_Rule04_ACallWithoutItsEndOpensNothing() public {
        Order memory order = crossOrder();
        fund(address(usd), user, address(escrow), order.amountIn);
        uint256 length = abi.encodeCall(IOriginSettler.open, (envelope(order))).length;
        for (uint256 missing = 1; missing < length - 4; missing += 3) {
            bytes memory data = abi.encodeCall(IOriginSettler.open, (envelope(order)));
            require(!call(user, cut(data, length - missing)), "opened");
        }
        eq(status(order), IEscrow.Status.None);
    }

    function test_Rule04_AnOrderOfAnotherLengthIsRefused() public {
        Order memory order = crossOrder();
        fund(address(usd), user, address(escrow), order.amountIn);
        bytes memory data = abi.encodeCall(IOriginSettler.open, (envelope(order)));
        // The length of `orderData`, after the selector, the envelope's offset and its three words.
        for (uint256 length = 0; length < 2_000; length += length == 671 ? 2 : 1) {
            assembly ("memory-safe") {
                mstore(add(data, 164), length)
            }
            require(!call(user, data), "opened");
        }
        assembly ("memory-safe") {
            mstore(add(data, 164), 672)
        }
        require(opens(user, data) == order.id(), "as it was meant");
    }

    function testFuzz_Rule06_AChangedBitClaimsTheSameOrderOrNone(uint256 where) public {
        Order memory order = referredOrder();
        open(order);
        bytes[] memory signatures = attestFilled(order, START, 2);
        bytes memory data = abi.encodeCall(IEscrow.claim, (order, START, keccak256("fill"), signatures));
        bool done = call(STRANGER, bent(data, where));
        eq(usd.balanceOf(PAYEE), done ? 990e6 : 0, "payee");
        eq(usd.balanceOf(REFERRER), done ? 10e6 : 0, "referrer");
        eq(usd.balanceOf(address(escrow)), done ? 0 : 1_000e6, "escrow");
    }

    function testFuzz_Rule07_AChangedBitRefundsTheSameOrderOrNone(uint256 where) public {
        Order memory order = crossOrder();
        open(order);
        bool done = call(FILLER, bent(abi.encodeCall(IEscrow.refund, (order)), where));
        eq(usd.balanceOf(REFUND), done ? order.amountIn : 0, "refund address");
        eq(usd.balanceOf(address(escrow)), done ? 0 : order.amountIn, "escrow");
    }

    function testFuzz_Rule31_AChangedBitClaimsTheSameBatchOrNone(uint256 where) public {
        Order[] memory orders = new Order[](3);
        uint256[] memory times = new uint256[](3);
        for (uint256 i = 0; i < 3; ++i) {
            orders[i] = referredOrder();
            orders[i].nonce = bytes32(i);
            times[i] = START + i;
            open(orders[i]);
        }
        bytes memory data =
            abi.encodeCall(IEscrow.claimBatch, (3, batch(orders, times), attestBatch(orders, times, 2)));
        bool done = call(STRANGER, bent(data, where));
        eq(usd.balanceOf(PAYEE), done ? 3 * 990e6 : 0, "payee");
        eq(usd.balanceOf(REFERRER), done ? 3 * 10e6 : 0, "referrer");
        eq(usd.balanceOf(address(escrow)), done ? 0 : 3_000e6, "escrow");
    }

    /// Entries and signatures may lie in one place; what is signed for is what is read, so that nothing is gained.
    function test_Rule31_ListsThatShareTheirBytesClaimNothing() public {
        (Order[] memory orders, uint256[] memory times) = (new Order[](1), new uint256[](1));
        (orders[0], times[0]) = (crossOrder(), START);
        open(orders[0]);
        bytes memory data =
            abi.encodeCall(IEscrow.claimBatch, (1, batch(orders, times), attestBatch(orders, times, 2)));
        for (uint256 offset = 0; offset < data.length; offset += 32) {
            for (uint256 which = 0; which < 2; ++which) {
                bytes memory other = bytes.concat(data);
                assembly ("memory-safe") {
                    // The offsets of `entries` and of `signatures`, after the selector and the count.
                    mstore(add(other, add(68, mul(32, which))), offset)
                }
                bool same = keccak256(other) == keccak256(data);
                require(same || !call(STRANGER, other), "claimed");
            }
        }
        eq(usd.balanceOf(PAYEE), 0, "payee");
        require(call(STRANGER, data), "as it was meant");
        eq(usd.balanceOf(PAYEE), orders[0].amountIn, "payee");
    }
}
