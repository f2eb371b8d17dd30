// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {Order} from "../src/Order.sol";
import {IEscrow} from "../src/interfaces/IEscrow.sol";
import {Fixture} from "./Fixture.sol";
import {vm} from "./Vm.sol";

/// Properties of the deployed code: it is immutable, and a new version is a different contract.
contract CodeTest is Fixture {
    bytes1 constant CALLCODE = 0xf2;
    bytes1 constant DELEGATECALL = 0xf4;
    bytes1 constant SELFDESTRUCT = 0xff;

    /// Nothing in them runs code from elsewhere in their name, and none can vanish.
    function test_Rule23_NothingUpgradesOrVanishes() public view {
        require(fixedCode(address(escrow).code), "escrow");
        require(fixedCode(address(settler).code), "settler");
    }

    function test_Rule23_TheSearchWouldFindIt() public pure {
        require(!fixedCode(hex"6001f4") && !fixedCode(hex"ff") && fixedCode(hex"60f461f4ff00"), "search");
    }

    function test_Rule23_CodeFitsAnyChain() public view {
        require(address(escrow).code.length <= 24_576, "escrow");
        require(address(settler).code.length <= 24_576, "settler");
    }

    /// A new version has a new address; orders of the old version open and end only there.
    function test_Rule23_ANewVersionSharesNothingWithTheOld() public {
        Escrow successor = newEscrow();
        Order memory order = crossOrder();
        fund(address(usd), user, address(successor), order.amountIn);
        vm.expectRevert(abi.encodeWithSelector(IEscrow.WrongEscrow.selector, order.escrow));
        vm.prank(user);
        successor.open(envelope(order));

        open(order);
        bytes[] memory signatures = attestFilled(order, START, 2);
        vm.expectRevert(notOpen(order, IEscrow.Status.None));
        successor.claim(order, START, keccak256("fill"), signatures);
        escrow.claim(order, START, keccak256("fill"), signatures);
    }

    function fixedCode(bytes memory code) private pure returns (bool) {
        for (uint256 i = 0; i < code.length; ++i) {
            bytes1 op = code[i];
            if (op == CALLCODE || op == DELEGATECALL || op == SELFDESTRUCT) return false;
            // What a push carries is data.
            if (op >= 0x60 && op <= 0x7f) i += uint8(op) - 0x5f;
        }
        return true;
    }
}
