// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {WrappedNative} from "../../src/sandbox/WrappedNative.sol";
import {vm} from "../Vm.sol";
import {ALICE, BOB, Genesis} from "./Genesis.sol";

/// Spends more than 2,300 gas on receipt.
contract ExpensiveRecipient {
    uint256 received;

    function withdraw(WrappedNative token, uint256 wad) external {
        token.withdraw(wad);
    }

    receive() external payable {
        received += msg.value;
    }
}

contract WrappedNativeTest {
    WrappedNative token = WrappedNative(payable(0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2));

    function setUp() public {
        Genesis.place(address(token), type(WrappedNative).runtimeCode, "Wrapped Ether", "WETH", 18);
    }

    function deposit(address who, uint256 amount) internal {
        vm.deal(who, amount);
        vm.prank(who);
        token.deposit{value: amount}();
    }

    function testFuzz_deposit_and_withdraw_are_one_to_one(uint128 puts, uint128 takes) public {
        deposit(ALICE, puts);
        require(token.balanceOf(ALICE) == puts && token.totalSupply() == puts, "deposited");
        vm.prank(ALICE);
        if (takes > puts) {
            vm.expectRevert(bytes(""));
            token.withdraw(takes);
        } else {
            token.withdraw(takes);
            require(ALICE.balance == takes && token.balanceOf(ALICE) == puts - takes, "withdrawn");
            require(token.totalSupply() == puts - takes, "supply");
        }
    }

    function test_plain_ether_is_a_deposit() public {
        vm.deal(ALICE, 5);
        vm.prank(ALICE);
        (bool worked,) = address(token).call{value: 5}("");
        require(worked && token.balanceOf(ALICE) == 5, "deposited");
    }

    function test_an_unknown_call_such_as_permit_succeeds_and_does_nothing() public {
        (bool worked, bytes memory answer) = address(token)
            .call(
                abi.encodeWithSignature(
                    "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)",
                    ALICE,
                    BOB,
                    1,
                    type(uint256).max,
                    27,
                    bytes32(0),
                    bytes32(0)
                )
            );
        require(worked && answer.length == 0, "refused");
        require(token.allowance(ALICE, BOB) == 0, "allowance");
    }

    function test_a_recipient_that_needs_more_than_2300_gas_cannot_withdraw() public {
        ExpensiveRecipient recipient = new ExpensiveRecipient();
        deposit(ALICE, 5);
        vm.prank(ALICE);
        token.transfer(address(recipient), 5);
        vm.expectRevert(bytes(""));
        recipient.withdraw(token, 5);
    }

    function testFuzz_an_allowance_is_spent_down(uint128 has, uint128 allowed, uint128 spent) public {
        deposit(ALICE, has);
        vm.prank(ALICE);
        require(token.approve(BOB, allowed), "returns true");
        vm.prank(BOB);
        if (spent > allowed || spent > has) {
            vm.expectRevert(bytes(""));
            token.transferFrom(ALICE, BOB, spent);
        } else {
            require(token.transferFrom(ALICE, BOB, spent), "returns true");
            require(token.allowance(ALICE, BOB) == allowed - spent, "allowance");
            require(token.balanceOf(BOB) == spent && token.balanceOf(ALICE) == has - spent, "balances");
        }
    }

    function test_an_unlimited_allowance_stays_unlimited() public {
        deposit(ALICE, 5);
        vm.prank(ALICE);
        token.approve(BOB, type(uint256).max);
        vm.prank(BOB);
        token.transferFrom(ALICE, BOB, 5);
        require(token.allowance(ALICE, BOB) == type(uint256).max, "allowance");
    }

    function test_the_zero_address_may_receive() public {
        deposit(ALICE, 5);
        vm.prank(ALICE);
        require(token.transfer(address(0), 5) && token.balanceOf(address(0)) == 5, "balance");
    }
}
