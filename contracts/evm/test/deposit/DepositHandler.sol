// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Order} from "../../src/Order.sol";
import {Jump} from "../../src/interfaces/IDepositFactory.sol";
import {IEscrow} from "../../src/interfaces/IEscrow.sol";
import {vm} from "../Vm.sol";
import {FAUCET} from "../sandbox/Genesis.sol";
import {FILLER, NATIVE, START} from "./DepositFixture.sol";
import {JumpFixture} from "./JumpFixture.sol";

/// @notice Does with a handful of deposit addresses whatever strangers, payers and the maker can do, and keeps the books.
contract DepositHandler is JumpFixture {
    uint256 constant ORDERS = 4;
    uint256 public constant PLACES = 6;
    uint256 constant AMOUNT_IN = 500;

    /// @dev Orders first, then jumps; each has a refund address of its own.
    Order[ORDERS] orders;
    Jump[PLACES - ORDERS] jumps;
    Order[] jumped;
    address[4] tokens;

    mapping(uint256 place => mapping(address token => uint256)) sent;
    mapping(uint256 place => mapping(address token => uint256)) inJumps;
    mapping(string move => uint256) public times;
    mapping(bytes32 orderId => uint256) jumpOf;
    /// @dev Cached, because hashing all terms again for every check is slow.
    address[PLACES] spots;
    bytes32[ORDERS] ids;

    constructor() {
        setUp();
        tokens = [NATIVE, address(usdc), address(usdt), address(dai)];
        for (uint256 i = 0; i < ORDERS; ++i) {
            Order memory order = someOrder(tokens[i % 3], AMOUNT_IN);
            order.nonce = bytes32(i);
            order.refundTo = word(refundOf(i));
            // The last one is an order of another chain: here everything is returned.
            if (i == ORDERS - 1) order.originChainId = 10;
            orders[i] = order;
            (ids[i], spots[i]) = (order.id(), depositOf(order));
        }
        for (uint256 i = ORDERS; i < PLACES; ++i) {
            Jump memory terms = someJump(tokens[i % 2]);
            terms.nonce = bytes32(i);
            terms.refundTo = word(refundOf(i));
            terms.expiry = START + 10 minutes;
            jumps[i - ORDERS] = terms;
            spots[i] = depositOf(terms);
        }
    }

    function pay(uint256 place, uint256 token, uint256 amount) external {
        place = place % PLACES;
        address kind = tokens[token % 4];
        amount = within(amount, 1, 2 * AMOUNT_IN);
        pay(kind, spots[place], amount);
        sent[place][kind] += amount;
    }

    function wait(uint256 time) external {
        vm.warp(block.timestamp + within(time, 1, 90));
    }

    function sweep(uint256 place, address caller) external {
        vm.prank(caller);
        try factory.sweep(orders[place % ORDERS]) {
            ++times["sweep"];
        } catch {}
    }

    function giveBack(uint256 place, uint256 mask, address caller) external {
        vm.prank(caller);
        try factory.giveBack(orders[place % ORDERS], chosen(mask)) {
            ++times["giveBack"];
        } catch {}
    }

    /// @dev The maker quotes the balance again; a signature of another key, or an order that pays elsewhere, must never work.
    function jump(uint256 place, uint256 nonce, uint256 lie, address caller) external {
        place = place % (PLACES - ORDERS);
        Jump memory terms = jumps[place];
        address token = address(uint160(uint256(terms.inputToken)));
        uint256 balance = held(token, depositOf(terms));
        if (balance == 0) return;
        // The maker signs for the balance, and anybody may add to it before the call.
        uint256 amount = nonce % 3 == 0 ? balance - balance / 3 : balance;
        Order memory order = orderOf(terms, amount, amount);
        order.refundTo = terms.refundTo;
        order.nonce = bytes32(nonce);
        order.openDeadline = block.timestamp + 1 minutes;
        order.fillDeadline = block.timestamp + 2 minutes;
        order.refundAt = order.fillDeadline + 6 hours;
        lie = lie % 6;
        if (lie == 1) order.refundTo = bytes32(uint256(terms.refundTo) ^ 1);
        if (lie == 2) order.recipient = bytes32(uint256(terms.recipient) ^ 1);
        if (lie == 3) order.amountOut = amount / 2;
        bytes memory signature = signed(lie == 4 ? MAKER_KEY + 1 : MAKER_KEY, openDigest(terms, order));
        vm.prank(caller);
        try factory.jump(terms, order, signature) {
            require(lie == 0 || lie == 5, "a lie was believed");
            ++times["jump"];
            jumped.push(order);
            jumpOf[order.id()] = ORDERS + place;
            inJumps[ORDERS + place][token] += amount;
        } catch {}
    }

    function giveBackJump(uint256 place, uint256 mask, uint256 word_, address caller) external {
        Jump memory terms = jumps[place % (PLACES - ORDERS)];
        bytes memory signature = word_ % 8 == 0
            ? signed(MAKER_KEY, releaseDigest(terms))
            : word_ % 8 == 1 ? signed(MAKER_KEY + 1, releaseDigest(terms)) : bytes("");
        vm.prank(caller);
        try factory.giveBackJump(terms, chosen(mask), signature) {
            ++times["giveBackJump"];
        } catch {}
    }

    /// @dev The filler waives an order.
    function waive(uint256 which) external {
        if (which % 2 == 0) {
            vm.prank(FILLER);
            try escrow.refund(orders[(which / 2) % ORDERS]) {
                ++times["waive"];
            } catch {}
        } else if (jumped.length != 0) {
            Order memory order = jumped[(which / 2) % jumped.length];
            vm.prank(FILLER);
            try escrow.refund(order) {
                ++times["waive"];
                inJumps[jumpOf[order.id()]][address(uint160(uint256(order.inputToken)))] -= order.amountIn;
            } catch {}
        }
    }

    function bar(uint256 place, bool barred) external {
        address spot = spots[place % PLACES];
        vm.prank(FAUCET);
        if (barred) usdt.addBlackList(spot);
        else usdt.removeBlackList(spot);
    }

    /// @notice Every unit that was sent is in its order, at its refund address or still there, and has not gone back too early.
    function audit() external view {
        for (uint256 i = 0; i < tokens.length; ++i) {
            address token = tokens[i];
            uint256 open = 0;
            for (uint256 place = 0; place < PLACES; ++place) {
                uint256 locked = inEscrow(place, token);
                uint256 returned = held(token, refundOf(place));
                open += locked;
                require(held(token, spots[place]) + returned + locked == sent[place][token], "elsewhere");
                require(returned == 0 || !mustWait(place, token), "too early");
                require(
                    token == NATIVE || IERC20(token).allowance(spots[place], address(escrow)) == 0,
                    "allowance"
                );
            }
            require(held(token, address(escrow)) == open, "escrow");
        }
    }

    function inEscrow(uint256 place, address token) internal view returns (uint256) {
        if (place >= ORDERS) return inJumps[place][token];
        if (orders[place].inputToken != word(token)) return 0;
        return escrow.status(ids[place]) == IEscrow.Status.Open ? AMOUNT_IN : 0;
    }

    /// @dev The last order is another chain's and waits for nothing.
    function mustWait(uint256 place, address token) internal view returns (bool) {
        if (place >= ORDERS - 1 || orders[place].inputToken != word(token)) return false;
        return
            block.timestamp <= orders[place].openDeadline && escrow.status(ids[place]) == IEscrow.Status.None;
    }

    function refundOf(uint256 place) internal pure returns (address) {
        return address(uint160(0x2EF000 + place));
    }

    function chosen(uint256 mask) internal view returns (address[] memory list_) {
        uint256 count = 0;
        for (uint256 i = 0; i < 4; ++i) {
            if (mask >> i & 1 == 1) ++count;
        }
        list_ = new address[](count);
        for (uint256 i = 0; i < 4; ++i) {
            if (mask >> i & 1 == 1) list_[--count] = tokens[i];
        }
    }
}
