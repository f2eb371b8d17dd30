// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order} from "../../src/Order.sol";
import {IEscrow} from "../../src/interfaces/IEscrow.sol";
import {ISettler} from "../../src/interfaces/ISettler.sol";
import {Fixture} from "../Fixture.sol";
import {Vm, vm} from "../Vm.sol";

/// An order can be rebuilt from the chain's logs alone: its terms, its fill, its end.
contract LogsTest is Fixture {
    function found(Vm.Log[] memory logs, bytes32 kind, bytes32 id) internal pure returns (Vm.Log memory) {
        for (uint256 i = 0; i < logs.length; ++i) {
            if (logs[i].topics[0] == kind && logs[i].topics[1] == id) return logs[i];
        }
        revert("no such log");
    }

    function terms(Vm.Log memory log) internal pure returns (Order memory) {
        return abi.decode(log.data, (Order));
    }

    function test_Rule09_TheLogsTellAClaimedOrder() public {
        Order memory order = referredOrder();
        vm.recordLogs();
        open(order);
        fill(order);
        claim(order);
        Vm.Log[] memory logs = vm.getRecordedLogs();

        Order memory read = terms(found(logs, IEscrow.Open.selector, order.id()));
        require(keccak256(abi.encode(read)) == keccak256(abi.encode(order)), "terms");
        Vm.Log memory log = found(logs, ISettler.Filled.selector, read.id());
        require(log.emitter == _a(read.settler) && log.topics[2] == _b(FILLER), "filler");
        (, uint256 amountOut,, uint256 filledAt) = abi.decode(log.data, (bytes32, uint256, uint256, uint256));
        require(amountOut == read.amountOut && filledAt == START, "fill");
        log = found(logs, IEscrow.Claimed.selector, read.id());
        uint256 paid = abi.decode(log.data, (uint256));
        require(log.emitter == _a(read.escrow), "escrow");
        require(paid == 990e6 && read.amountIn - paid == read.referrerFee, "claim");
    }

    function test_Rule09_TheLogsTellARefundedOrder() public {
        Order memory order = crossOrder();
        vm.recordLogs();
        fund(address(usd), factory.addressOf(order.id()), address(1), order.amountIn);
        factory.sweep(order);
        vm.warp(order.refundAt + 1);
        escrow.refund(order);
        Vm.Log[] memory logs = vm.getRecordedLogs();

        Order memory read = terms(found(logs, IEscrow.Open.selector, order.id()));
        require(keccak256(abi.encode(read)) == keccak256(abi.encode(order)), "terms");
        Vm.Log memory log = found(logs, IEscrow.Refunded.selector, read.id());
        (uint256 amount, IEscrow.RefundCause cause) = abi.decode(log.data, (uint256, IEscrow.RefundCause));
        require(log.topics[2] == read.refundTo && amount == read.amountIn, "refund");
        require(cause == IEscrow.RefundCause.Expired, "cause");
    }
}
