// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order, OrderLib} from "../../src/Order.sol";
import {IEscrow, TokenPermit} from "../../src/interfaces/IEscrow.sol";
import {MintableToken} from "../../src/sandbox/MintableToken.sol";
import {QuirkyToken} from "../../src/sandbox/QuirkyToken.sol";
import {Fixture} from "../Fixture.sol";
import {Signing} from "../Signing.sol";
import {vm} from "../Vm.sol";
import {FAUCET} from "../sandbox/Genesis.sol";
import {Book} from "./Book.sol";

interface Permit2Domain {
    function DOMAIN_SEPARATOR() external view returns (bytes32);
}

/// @notice Lets many people use the contracts in any order. Before each call it says from the rules alone whether the call must work, and
/// fails if the contracts think otherwise; after each call it books who must now have what.
abstract contract Handler is Fixture, Book {
    uint256 private constant PEOPLE = 4;

    uint256 internal time = START;
    address[] internal tokens;

    constructor() {
        setUp();
        tokens = [NATIVE, address(usd), address(tether)];
        // These must end with nothing, so they are watched from the start.
        book(NATIVE, STRANGER, 0);
        for (uint256 i = 0; i < PEOPLE; ++i) {
            book(NATIVE, vm.addr(userKey(i)), 0);
            book(NATIVE, person("filler", i), 0);
            approveAll(vm.addr(userKey(i)), address(escrow));
            approveAll(vm.addr(userKey(i)), permit2);
            approveAll(person("filler", i), address(settler));
        }
    }

    modifier now_() {
        vm.chainId(ORIGIN);
        vm.warp(time);
        _;
    }

    function open(uint256 seed) external now_ {
        Order memory order = randomOrder(seed);
        (uint256 epoch, uint256 pausedUntil) = registry.opening();
        order.epoch = epoch;
        bool works = time >= pausedUntil;
        address token = _a(order.inputToken);
        // Native currency cannot be signed for, and the token that behaves as USDT does has neither permits nor authorizations.
        uint256 path = pick(seed, "path", token == NATIVE ? 2 : token == address(usd) ? 5 : 3);
        address payer = path == 1 ? factory.addressOf(order.id()) : _a(order.user);
        give(token, payer, order.amountIn);

        bool done;
        if (path == 1) {
            done = tries(STRANGER, address(factory), 0, abi.encodeCall(factory.sweep, (order)));
        } else if (path == 0) {
            uint256 value = token == NATIVE ? order.amountIn : 0;
            done = tries(payer, address(escrow), value, abi.encodeCall(escrow.open, (envelope(order))));
        } else {
            done = tries(STRANGER, address(escrow), 0, signedOpen(path, order, seed));
        }
        require(done == works, "open");
        if (works) enter(order);
        else book(token, payer, order.amountIn);
    }

    function fill(uint256 which, uint256 seed) external now_ {
        if (count() == 0) return;
        Order memory order = orderAt(which % count());
        bytes32 id = order.id();
        bool works = time <= order.fillDeadline && filledAt[id] == 0;
        address caller = person("filler", pick(seed, "who fills", PEOPLE));
        address token = _a(order.outputToken);
        give(token, caller, order.amountOut);

        vm.chainId(order.destinationChainId);
        uint256 value = token == NATIVE ? order.amountOut : 0;
        bytes memory data = abi.encodeCall(settler.fill, (id, abi.encode(order), ""));
        require(tries(caller, address(settler), value, data) == works, "fill");
        if (works) bookFill(id, order, time);
        else book(token, caller, order.amountOut);
    }

    /// Attesters are honest: a threshold of them signs what happened; for the rest there is one traitor.
    function claim(uint256 which, uint256 seed) external now_ {
        if (count() == 0) return;
        Order memory order = orderAt(which % count());
        bytes32 id = order.id();
        bool local = order.originChainId == order.destinationChainId;
        uint256 when = filledAt[id] == 0 ? order.fillDeadline : filledAt[id];
        uint256 signers = local ? pick(seed, "local", 2) : (filledAt[id] == 0 ? 1 : 2);
        bool works = isOpen(id) && filledAt[id] != 0 && (local ? signers == 0 : true);
        bytes memory data = abi.encodeCall(
            escrow.claim, (order, when, keccak256("fill"), attestFilled(order, when, signers))
        );
        require(tries(anyone(order, seed), address(escrow), 0, data) == works, "claim");
        if (works) bookClaim(id, order);
    }

    /// Some orders that belong together, some that do not, one perhaps twice: those are paid that `claim` would pay.
    function claimBatch(uint256 which, uint256 seed) external now_ {
        if (count() == 0) return;
        uint256 size = 1 + pick(seed, "size", 6);
        Order[] memory orders = new Order[](size);
        uint256[] memory times = new uint256[](size);
        bool alike = true;
        bool truth = true;
        for (uint256 i = 0; i < size; ++i) {
            orders[i] = orderAt((which % count() + i * (1 + pick(seed, "step", 3))) % count());
            uint256 filled = filledAt[orders[i].id()];
            // An honest attester signs no fill that did not happen, but may be asked for one that does not count.
            times[i] = filled == 0 ? 0 : filled;
            alike = alike && orders[i].epoch == orders[0].epoch && oneChain(orders[i]) == oneChain(orders[0]);
            if (filled == 0 && pick(seed, "lie", 4) == 0) (times[i], truth) = (time, false);
        }
        uint256 signers = oneChain(orders[0]) ? pick(seed, "local", 2) : (truth ? 2 : 1);
        bool works = alike && (oneChain(orders[0]) ? signers == 0 : truth);
        bytes memory data = abi.encodeCall(
            escrow.claimBatch, (size, batch(orders, times), attestBatch(orders, times, signers))
        );
        require(tries(anyone(orders[0], seed), address(escrow), 0, data) == works, "claimBatch");
        if (!works) return;
        for (uint256 i = 0; i < size; ++i) {
            bytes32 id = orders[i].id();
            if (isOpen(id) && filledAt[id] != 0) bookClaim(id, orders[i]);
        }
    }

    function refund(uint256 which, uint256 seed) external now_ {
        if (count() == 0) return;
        Order memory order = orderAt(which % count());
        address caller = anyone(order, seed);
        bool waived = caller == _a(order.filler);
        bool works = refundable(order) && (waived || time > expiry(order));
        bytes memory data = abi.encodeCall(escrow.refund, (order));
        require(tries(caller, address(escrow), 0, data) == works, "refund");
        if (works) {
            bookRefund(
                order.id(),
                order,
                _a(order.refundTo),
                waived ? IEscrow.RefundCause.Waived : IEscrow.RefundCause.Expired
            );
        }
    }

    function refundUnfilled(uint256 which, uint256 seed) external now_ {
        if (count() == 0) return;
        Order memory order = orderAt(which % count());
        bytes32 id = order.id();
        bool truth = time > order.fillDeadline && filledAt[id] == 0;
        bool works = truth && isOpen(id) && order.originChainId != order.destinationChainId;
        uint256 when = truth ? time : order.fillDeadline + 1;
        bytes memory data =
            abi.encodeCall(escrow.refundUnfilled, (order, when, attestUnfilled(order, when, truth ? 2 : 1)));
        require(tries(anyone(order, seed), address(escrow), 0, data) == works, "refundUnfilled");
        if (works) bookRefund(id, order, _a(order.refundTo), IEscrow.RefundCause.Unfilled);
    }

    function refundTo(uint256 which, uint256 seed) external now_ {
        if (count() == 0) return;
        Order memory order = orderAt(which % count());
        address caller = anyone(order, seed);
        address to = person("elsewhere", pick(seed, "to", PEOPLE));
        bool mayName =
            caller == _a(order.refundTo) || (caller == _a(order.user) && time >= order.refundAt + 30 days);
        bool works = refundable(order) && time > expiry(order) && mayName;
        bytes memory data = abi.encodeCall(escrow.refundTo, (order, to));
        require(tries(caller, address(escrow), 0, data) == works, "refundTo");
        if (works) bookRefund(order.id(), order, to, IEscrow.RefundCause.Expired);
    }

    /// Changes any bit of another user's order, such as an address.
    function tamper(uint256 which, uint256 seed) external now_ {
        if (count() == 0) return;
        Order memory order = orderAt(which % count());
        uint256 when = filledAt[order.id()] == 0 ? time : filledAt[order.id()];
        bytes[] memory signatures = attestFilled(order, when, 3);
        uint256 word = pick(seed, "word", 21);
        uint256 change = uint256(_b(STRANGER));
        if (pick(seed, "kind", 2) == 0) change = 1 << pick(seed, "bit", 256);
        assembly ("memory-safe") {
            let place := add(order, mul(32, word))
            mstore(place, xor(mload(place), change))
        }
        bytes memory data = abi.encodeCall(escrow.refund, (order));
        require(!tries(STRANGER, address(escrow), 0, data), "tampered refund");
        data = abi.encodeCall(escrow.claim, (order, when, keccak256("fill"), signatures));
        require(!tries(STRANGER, address(escrow), 0, data), "tampered claim");
        data = abi.encodeCall(escrow.refundTo, (order, STRANGER));
        require(!tries(STRANGER, address(escrow), 0, data), "tampered redirection");
    }

    /// Money that belongs to no order reaches the escrow, as nothing can prevent.
    function gift(uint256 seed) external now_ {
        address token = tokens[pick(seed, "token", 3)];
        uint256 amount = pick(seed, "gift", 1e12);
        give(token, address(escrow), amount);
        gifts[token] += amount;
    }

    function pass(uint256 seed) external {
        time += pick(seed, "long", 16) == 0 ? 20 days : 1 + pick(seed, "short", 3 hours);
    }

    function pause(uint256 seed) external now_ {
        if (pick(seed, "rarely", 8) != 0) return;
        vm.prank(vm.addr(keys[pick(seed, "who", 3)]));
        registry.pauseOpen();
    }

    function handOver() external now_ {
        uint256 epoch = registry.currentEpoch() + 1;
        address[] memory members = Signing.addresses(keys);
        bytes32 digest = Signing.handover(ORIGIN, address(registry), epoch, registry.proposals(), members, 2);
        registry.handOver(members, 2, Signing.all(Signing.first(keys, 2), digest));
    }

    /// Long after all deadlines, any caller can refund every deposit.
    function windUp() internal {
        time += 3650 days;
        vm.chainId(ORIGIN);
        vm.warp(time);
        for (uint256 i = 0; i < count(); ++i) {
            Order memory order = orderAt(i);
            bytes32 id = order.id();
            if (!isOpen(id)) continue;
            if (refundable(order)) {
                escrow.refund(order);
                bookRefund(id, order, _a(order.refundTo), IEscrow.RefundCause.Expired);
            } else {
                escrow.claim(order, 0, 0, new bytes[](0));
                bookClaim(id, order);
            }
        }
    }

    function randomOrder(uint256 seed) private view returns (Order memory order) {
        order = crossOrder();
        order.nonce = keccak256(abi.encode(seed, count(), time));
        order.user = _b(vm.addr(userKey(pick(seed, "user", PEOPLE))));
        order.inputToken = _b(tokens[pick(seed, "input", 3)]);
        order.amountIn = 1 + pick(seed, "amount in", 1e12);
        order.refundTo = _b(person("refund", pick(seed, "refund", PEOPLE)));
        order.filler = _b(person("filler", pick(seed, "filler", PEOPLE)));
        order.payee = _b(person("payee", pick(seed, "payee", PEOPLE)));
        if (pick(seed, "referred", 2) == 0) {
            order.referrer = _b(person("referrer", pick(seed, "referrer", PEOPLE)));
            order.referrerFee = pick(seed, "fee", order.amountIn + 1);
        }
        if (pick(seed, "local", 3) == 0) order.destinationChainId = ORIGIN;
        order.outputToken = _b(tokens[pick(seed, "output", 3)]);
        order.amountOut = 1 + pick(seed, "amount out", 1e12);
        order.recipient = _b(person("recipient", pick(seed, "recipient", PEOPLE)));
        order.openDeadline = time + pick(seed, "open", 1 hours);
        order.fillDeadline = order.openDeadline + 1 + pick(seed, "fill", 12 hours);
        order.refundAt = order.fillDeadline + GRACE + pick(seed, "grace", 7 days - GRACE + 1);
    }

    function oneChain(Order memory order) private pure returns (bool) {
        return order.originChainId == order.destinationChainId;
    }

    /// Opening on the user's signature: Permit2, EIP-3009, or EIP-2612 with the user's signature.
    function signedOpen(uint256 path, Order memory order, uint256 seed) private view returns (bytes memory) {
        uint256 key = userKey(pick(seed, "user", PEOPLE));
        if (path == 2) {
            return abi.encodeCall(escrow.openFor, (gasless(order), permission(order, key), ""));
        }
        bytes32 domain = usd.DOMAIN_SEPARATOR();
        address owner = _a(order.user);
        if (path == 3) {
            bytes32 digest = Signing.authorization(
                domain, owner, address(escrow), order.amountIn, order.openDeadline + 1, order.id()
            );
            return abi.encodeCall(escrow.openWithAuthorization, (order, Signing.one(key, digest)));
        }
        bytes32 allowed =
            Signing.tokenPermit(domain, owner, address(escrow), type(uint256).max, usd.nonces(owner), time);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, allowed);
        bytes32 word =
            Signing.typed(Signing.domain("Causeway Escrow", "2", ORIGIN, address(escrow)), order.id());
        return abi.encodeCall(
            escrow.openWithPermit,
            (order, TokenPermit(type(uint256).max, time, v, r, s), Signing.one(key, word))
        );
    }

    function refundable(Order memory order) private view returns (bool) {
        bool local = order.originChainId == order.destinationChainId;
        return isOpen(order.id()) && !(local && filledAt[order.id()] != 0);
    }

    function expiry(Order memory order) private pure returns (uint256) {
        return order.originChainId == order.destinationChainId ? order.fillDeadline : order.refundAt;
    }

    /// Somebody with a role in the order, or without.
    function anyone(Order memory order, uint256 seed) private pure returns (address) {
        uint256 role = pick(seed, "role", 6);
        if (role == 0) return _a(order.filler);
        if (role == 1) return _a(order.user);
        if (role == 2) return _a(order.refundTo);
        if (role == 3) return _a(order.payee);
        if (role == 4) return _a(order.recipient);
        return STRANGER;
    }

    function permission(Order memory order, uint256 key) private view returns (bytes memory) {
        return Signing.one(
            key,
            Signing.permit(
                Permit2Domain(permit2).DOMAIN_SEPARATOR(),
                _a(order.inputToken),
                order.amountIn,
                address(escrow),
                uint256(order.nonce),
                order.openDeadline,
                order.id(),
                OrderLib.TYPE
            )
        );
    }

    function tries(address caller, address target, uint256 value, bytes memory data)
        private
        returns (bool done)
    {
        vm.prank(caller);
        (done,) = target.call{value: value}(data);
    }

    function give(address token, address to, uint256 amount) private {
        if (token == NATIVE) return vm.deal(to, to.balance + amount);
        vm.prank(FAUCET);
        MintableToken(token).mint(to, amount);
    }

    function approveAll(address owner, address spender) private {
        for (uint256 i = 1; i < tokens.length; ++i) {
            vm.prank(owner);
            // The one declaration that fits both tokens: this one returns nothing, and what the other returns is not read.
            QuirkyToken(tokens[i]).approve(spender, type(uint256).max);
        }
    }

    function userKey(uint256 index) private pure returns (uint256) {
        return uint256(keccak256(abi.encode("user", index))) % (Signing.CURVE_ORDER - 1) + 1;
    }
}
