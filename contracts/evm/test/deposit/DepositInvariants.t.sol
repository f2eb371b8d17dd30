// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {DepositHandler} from "./DepositHandler.sol";

/// @notice Whatever is sent to a deposit address is in the escrow under its order, at its refund address, or still there.
contract DepositInvariants {
    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    DepositHandler handler;

    function setUp() public {
        handler = new DepositHandler();
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(handler);
    }

    function targetSelectors() public view returns (FuzzSelector[] memory targets) {
        bytes4[] memory moves = new bytes4[](8);
        moves[0] = bytes4(keccak256("pay(uint256,uint256,uint256)"));
        moves[1] = handler.wait.selector;
        moves[2] = handler.sweep.selector;
        moves[3] = handler.giveBack.selector;
        moves[4] = handler.jump.selector;
        moves[5] = handler.giveBackJump.selector;
        moves[6] = handler.waive.selector;
        moves[7] = handler.bar.selector;
        targets = new FuzzSelector[](1);
        targets[0] = FuzzSelector(address(handler), moves);
    }

    function invariant_Rule15_every_unit_sent_is_in_its_order_or_returned_or_still_there() public view {
        handler.audit();
    }

    /// The invariant would hold for a handler that never gets anywhere; this one does.
    function test_every_move_of_the_invariant_gets_somewhere() public {
        address anyone = address(0xA11CE);
        for (uint256 place = 0; place < handler.PLACES(); ++place) {
            for (uint256 token = 0; token < 4; ++token) {
                handler.pay(place, token, 700);
            }
        }
        handler.sweep(1, anyone);
        handler.giveBack(1, 15, anyone);
        handler.jump(0, 1, 0, anyone);
        handler.giveBackJump(1, 15, 0, anyone);
        handler.waive(2);
        handler.waive(1);
        require(handler.times("sweep") == 1 && handler.times("giveBack") == 1, "orders");
        require(handler.times("jump") == 1 && handler.times("giveBackJump") == 1, "jumps");
        require(handler.times("waive") == 2, "waived");
        handler.bar(2, true);
        handler.wait(1);
        handler.audit();
    }
}
