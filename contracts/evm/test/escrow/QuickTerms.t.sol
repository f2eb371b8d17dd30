// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order} from "../../src/Order.sol";
import {Terms} from "../../src/Terms.sol";
import {Fixture} from "../Fixture.sol";

/// Both ways of checking terms, as an escrow of their own.
contract Checks {
    function holds(Order calldata order, uint256 minGrace) external view returns (bool) {
        return Terms.holds(order, minGrace);
    }

    function explain(Order calldata order, uint256 minGrace) external view {
        Terms.explain(order, minGrace);
    }
}

contract QuickTermsTest is Fixture {
    Checks checks;

    function setUp() public override {
        super.setUp();
        checks = new Checks();
    }

    /// @dev Both ways of checking the terms say the same.
    function agreed(Order memory order, uint256 minGrace) private view returns (bool fine) {
        try checks.explain(order, minGrace) {
            fine = true;
        } catch {
            fine = false;
        }
        require(checks.holds(order, minGrace) == fine, "the two ways differ");
    }

    function valid() private view returns (Order memory) {
        return addressed(crossOrder());
    }

    function addressed(Order memory order) private view returns (Order memory) {
        order.escrow = _b(address(checks));
        return order;
    }

    /// @dev A word that a term may be set to: values at which a rule begins or ends to hold. Terms that were changed before may be as
    /// large as any word, so what is added to them may wrap around.
    function edge(Order memory order, uint256 dice) private view returns (uint256) {
        uint256 kind = (dice >> 16) % 16;
        uint256 more = dice >> 32;
        unchecked {
            if (kind == 0) return 0;
            if (kind == 1) return 1;
            if (kind == 2) return uint160(address(checks));
            if (kind == 3) return 1 << 160;
            if (kind == 4) return type(uint256).max;
            if (kind == 5) return type(uint32).max;
            if (kind == 6) return uint256(type(uint32).max) + 1;
            if (kind == 7) return order.amountIn;
            if (kind == 8) return order.amountIn + 1;
            if (kind == 9) return order.fillDeadline;
            if (kind == 10) return order.fillDeadline + 1 + more % 3;
            if (kind == 11) return order.refundAt - more % 3;
            if (kind == 12) return order.fillDeadline + Terms.MAX_GRACE + more % 2;
            if (kind == 13) return order.originChainId;
            if (kind == 14) return uint160(more);
            return more;
        }
    }

    function test_TermsThatHoldPassBothChecks() public view {
        require(agreed(valid(), 0), "no grace asked for");
        Order memory order = valid();
        uint256 grace = order.refundAt - order.fillDeadline;
        require(agreed(order, grace), "just enough grace");
        require(!agreed(order, grace + 1), "too little grace");
    }

    function test_TheLastTimeOfARefundPassesBothChecksAndNoneAfterIt() public view {
        Order memory order = valid();
        (order.openDeadline, order.fillDeadline, order.refundAt) =
        (type(uint32).max - 20, type(uint32).max - 10, type(uint32).max);
        require(agreed(order, 0), "the last second");
        order.refundAt += 1;
        require(!agreed(order, 0), "a second later");
    }

    function test_TheQuickCheckOfTermsSaysWhatTheFullOneSaysOfEveryTermAtEveryEdge() public view {
        uint256 refused = 0;
        for (uint256 place = 0; place < 21; ++place) {
            for (uint256 kind = 0; kind < 16; ++kind) {
                for (uint256 step = 0; step < 6; ++step) {
                    Order memory order = addressed(step < 3 ? crossOrder() : referredOrder());
                    uint256 value = edge(order, kind << 16 | step << 32);
                    assembly ("memory-safe") {
                        mstore(add(order, mul(32, place)), value)
                    }
                    if (!agreed(order, 0)) refused += 1;
                }
            }
        }
        require(refused > 600, "most edges are past a rule");
    }

    /// Several terms at once.
    function testFuzz_TheQuickCheckOfTermsSaysWhatTheFullOneSays(uint256[3] memory dice, uint32 minGrace)
        public
        view
    {
        Order memory order = addressed(dice[0] & 1 == 0 ? crossOrder() : referredOrder());
        uint256 changed = 1 + dice[0] % 3;
        for (uint256 i = 0; i < changed; ++i) {
            uint256 place = (dice[i] >> 8) % 21;
            uint256 value = edge(order, dice[i]);
            assembly ("memory-safe") {
                mstore(add(order, mul(32, place)), value)
            }
        }
        agreed(order, minGrace % 4 == 0 ? 0 : minGrace % 100_000);
    }
}
