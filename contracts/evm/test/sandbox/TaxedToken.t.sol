// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {TaxedToken} from "../../src/sandbox/TaxedToken.sol";
import {vm} from "../Vm.sol";
import {ALICE, BOB, FAUCET, Genesis} from "./Genesis.sol";

contract TaxedTokenTest {
    TaxedToken token = TaxedToken(address(0x7A8ED));

    function setUp() public {
        Genesis.place(address(token), type(TaxedToken).runtimeCode, "Taxed Token", "TAXED", 18);
        vm.store(address(token), bytes32(uint256(7)), bytes32(uint256(100)));
    }

    function mint(address to, uint256 amount) internal {
        vm.prank(FAUCET);
        token.mint(to, amount);
    }

    function test_the_recipient_gets_one_percent_less() public {
        mint(ALICE, 1_000);
        vm.prank(ALICE);
        require(token.transfer(BOB, 1_000), "returns true");
        require(token.balanceOf(BOB) == 990 && token.balanceOf(ALICE) == 0, "balances");
        require(token.totalSupply() == 990, "the tax is burnt");
    }

    function testFuzz_what_arrives_and_what_is_burnt_is_what_left(uint256 has, uint256 moves) public {
        mint(ALICE, has);
        vm.prank(ALICE);
        if (moves > has) {
            vm.expectRevert(
                abi.encodeWithSignature("Error(string)", "ERC20: transfer amount exceeds balance")
            );
            token.transfer(BOB, moves);
        } else {
            token.transfer(BOB, moves);
            require(token.balanceOf(ALICE) == has - moves, "sender");
            uint256 burnt = has - token.totalSupply();
            require(token.balanceOf(BOB) == moves - burnt, "recipient");
            require(burnt == moves / 100, "tax");
        }
    }

    function testFuzz_an_allowance_covers_the_tax_too(uint128 moves) public {
        mint(ALICE, moves);
        vm.prank(ALICE);
        token.approve(BOB, moves);
        vm.prank(BOB);
        token.transferFrom(ALICE, BOB, moves);
        require(token.allowance(ALICE, BOB) == 0, "allowance");
        require(token.balanceOf(BOB) == moves - moves / 100, "recipient");
    }

    function testFuzz_a_transfer_to_oneself_costs_the_tax(uint128 moves) public {
        mint(ALICE, moves);
        vm.prank(ALICE);
        token.transfer(ALICE, moves);
        require(token.balanceOf(ALICE) == moves - moves / 100, "balance");
    }
}
