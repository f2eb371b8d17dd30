// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order, OrderLib} from "../../src/Order.sol";
import {IEscrow} from "../../src/interfaces/IEscrow.sol";

/// @notice Who must have what after each call, kept from the rules and not from the contracts.
abstract contract Book {
    /// @notice What the invariants read of an order, so that they need not read it all each time.
    struct Line {
        bytes32 id;
        address token;
        uint256 amountIn;
        bool local;
    }

    Order[] private orders;
    Line[] internal lines;

    mapping(bytes32 id => uint256) internal filledAt;
    mapping(bytes32 id => uint256) internal fills;
    mapping(bytes32 id => uint256) internal ends;
    mapping(bytes32 id => IEscrow.Status) internal statuses;
    mapping(bytes32 id => IEscrow.RefundCause) internal causes;

    mapping(address token => uint256) internal sumIn;
    mapping(address token => uint256) internal sumOut;
    mapping(address token => uint256) internal gifts;
    mapping(address token => mapping(address who => uint256)) internal due;
    address[] internal creditors;
    mapping(address who => bool) private known;

    function count() internal view returns (uint256) {
        return orders.length;
    }

    function orderAt(uint256 index) internal view returns (Order memory) {
        return orders[index];
    }

    function isOpen(bytes32 id) internal view returns (bool) {
        return statuses[id] == IEscrow.Status.Open;
    }

    function enter(Order memory order) internal {
        orders.push(order);
        bool local = order.originChainId == order.destinationChainId;
        lines.push(Line(order.id(), token(order), order.amountIn, local));
        statuses[order.id()] = IEscrow.Status.Open;
        sumIn[token(order)] += order.amountIn;
    }

    function bookFill(bytes32 id, Order memory order, uint256 time) internal {
        filledAt[id] = time;
        fills[id] += 1;
        book(OrderLib.toAddress(order.outputToken), OrderLib.toAddress(order.recipient), order.amountOut);
    }

    function bookClaim(bytes32 id, Order memory order) internal {
        statuses[id] = IEscrow.Status.Claimed;
        ends[id] += 1;
        sumOut[token(order)] += order.amountIn;
        book(token(order), OrderLib.toAddress(order.payee), order.amountIn - order.referrerFee);
        book(token(order), OrderLib.toAddress(order.referrer), order.referrerFee);
    }

    function bookRefund(bytes32 id, Order memory order, address to, IEscrow.RefundCause cause) internal {
        statuses[id] = IEscrow.Status.Refunded;
        causes[id] = cause;
        ends[id] += 1;
        sumOut[token(order)] += order.amountIn;
        book(token(order), to, order.amountIn);
    }

    function book(address asset, address who, uint256 amount) internal {
        due[asset][who] += amount;
        if (!known[who]) creditors.push(who);
        known[who] = true;
    }

    /// @notice One of several people with a role; nobody has two.
    function person(string memory role, uint256 index) internal pure returns (address) {
        return address(uint160(uint256(keccak256(abi.encode(role, index)))));
    }

    /// @notice A number below `below` that follows from the seed and what it is for.
    function pick(uint256 seed, string memory what, uint256 below) internal pure returns (uint256) {
        return uint256(keccak256(abi.encode(seed, what))) % below;
    }

    function token(Order memory order) private pure returns (address) {
        return OrderLib.toAddress(order.inputToken);
    }
}
