// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {MintableToken} from "../../src/sandbox/MintableToken.sol";
import {PlayToken} from "../../src/sandbox/PlayToken.sol";
import {TokenStorage} from "../../src/sandbox/TokenStorage.sol";
import {vm} from "../Vm.sol";
import {ALICE, BOB, FAUCET, Genesis} from "./Genesis.sol";

contract PlayTokenTest {
    PlayToken token = PlayToken(0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48);

    function setUp() public {
        Genesis.place(address(token), type(PlayToken).runtimeCode, "USD Coin", "USDC", 6);
        vm.store(address(token), bytes32(uint256(7)), Genesis.short("2"));
    }

    function mint(address to, uint256 amount) internal {
        vm.prank(FAUCET);
        token.mint(to, amount);
    }

    function test_identity_comes_from_storage() public view {
        require(keccak256(bytes(token.name())) == keccak256("USD Coin"), "name");
        require(keccak256(bytes(token.symbol())) == keccak256("USDC"), "symbol");
        require(token.decimals() == 6, "decimals");
        require(token.faucet() == FAUCET, "faucet");
        require(keccak256(bytes(token.version())) == keccak256("2"), "version");
    }

    function testFuzz_only_the_faucet_mints(address other) public {
        vm.assume(other != FAUCET);
        vm.expectRevert(abi.encodeWithSelector(MintableToken.NotFaucet.selector, other));
        vm.prank(other);
        token.mint(other, 1);
    }

    function testFuzz_a_transfer_moves_exactly_the_amount(uint256 has, uint256 moves) public {
        mint(ALICE, has);
        vm.prank(ALICE);
        if (moves > has) {
            vm.expectRevert(
                abi.encodeWithSignature("Error(string)", "ERC20: transfer amount exceeds balance")
            );
            token.transfer(BOB, moves);
        } else {
            vm.expectEmit(address(token));
            emit TokenStorage.Transfer(ALICE, BOB, moves);
            require(token.transfer(BOB, moves), "returns true");
            require(token.balanceOf(ALICE) == has - moves && token.balanceOf(BOB) == moves, "balances");
        }
        require(token.totalSupply() == has, "a transfer changed the supply");
    }

    function testFuzz_a_transfer_to_oneself_changes_nothing(uint256 has, uint256 moves) public {
        mint(ALICE, has);
        vm.prank(ALICE);
        token.transfer(ALICE, moves % (has == type(uint256).max ? has : has + 1));
        require(token.balanceOf(ALICE) == has, "balance");
    }

    function test_nothing_goes_to_the_zero_address() public {
        mint(ALICE, 1);
        vm.expectRevert(abi.encodeWithSignature("Error(string)", "ERC20: transfer to the zero address"));
        vm.prank(ALICE);
        token.transfer(address(0), 1);
    }

    function testFuzz_an_allowance_is_spent_down(uint256 allowed, uint256 spent) public {
        mint(ALICE, type(uint256).max);
        vm.prank(ALICE);
        require(token.approve(BOB, allowed), "returns true");
        vm.prank(BOB);
        if (spent > allowed) {
            vm.expectRevert(abi.encodeWithSignature("Error(string)", "ERC20: insufficient allowance"));
            token.transferFrom(ALICE, BOB, spent);
        } else {
            require(token.transferFrom(ALICE, BOB, spent), "returns true");
            uint256 left = allowed == type(uint256).max ? allowed : allowed - spent;
            require(token.allowance(ALICE, BOB) == left, "allowance");
        }
    }

    function test_an_unlimited_allowance_stays_unlimited() public {
        mint(ALICE, 10);
        vm.prank(ALICE);
        token.approve(BOB, type(uint256).max);
        vm.prank(BOB);
        token.transferFrom(ALICE, BOB, 10);
        require(token.allowance(ALICE, BOB) == type(uint256).max, "allowance");
    }

    function test_an_allowance_may_be_replaced_without_going_through_zero() public {
        vm.prank(ALICE);
        token.approve(BOB, 1);
        vm.prank(ALICE);
        require(token.approve(BOB, 2) && token.allowance(ALICE, BOB) == 2, "allowance");
    }
}
