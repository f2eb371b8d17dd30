// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {MintableToken} from "../../src/sandbox/MintableToken.sol";
import {QuirkyToken} from "../../src/sandbox/QuirkyToken.sol";
import {vm} from "../Vm.sol";
import {ALICE, BOB, FAUCET, Genesis} from "./Genesis.sol";

contract QuirkyTokenTest {
    QuirkyToken token = QuirkyToken(0xdAC17F958D2ee523a2206206994597C13D831ec7);

    function setUp() public {
        Genesis.place(address(token), type(QuirkyToken).runtimeCode, "Tether USD", "USDT", 6);
        vm.prank(FAUCET);
        token.mint(ALICE, 1_000);
    }

    function callAs(address caller, bytes memory data) internal returns (bool worked, bytes memory answer) {
        vm.prank(caller);
        return address(token).call(data);
    }

    function test_transfer_transferFrom_and_approve_return_nothing() public {
        (bool moved, bytes memory answer) = callAs(ALICE, abi.encodeCall(token.transfer, (BOB, 1)));
        require(moved && answer.length == 0, "transfer");
        (moved, answer) = callAs(ALICE, abi.encodeCall(token.approve, (BOB, 1)));
        require(moved && answer.length == 0, "approve");
        (moved, answer) = callAs(BOB, abi.encodeCall(token.transferFrom, (ALICE, BOB, 1)));
        require(moved && answer.length == 0, "transferFrom");
        require(token.balanceOf(BOB) == 2 && token.balanceOf(ALICE) == 998, "balances");
    }

    function testFuzz_an_allowance_changes_through_zero_only(uint256 first, uint256 second) public {
        vm.assume(first != 0 && second != 0);
        vm.prank(ALICE);
        token.approve(BOB, first);
        (bool worked, bytes memory reason) = callAs(ALICE, abi.encodeCall(token.approve, (BOB, second)));
        require(!worked && reason.length == 0, "changed directly");
        vm.prank(ALICE);
        token.approve(BOB, 0);
        vm.prank(ALICE);
        token.approve(BOB, second);
        require(token.allowance(ALICE, BOB) == second, "allowance");
    }

    function test_a_transfer_over_the_balance_burns_all_gas_and_gives_no_reason() public {
        vm.prank(BOB);
        uint256 before = gasleft();
        (bool worked, bytes memory reason) =
            address(token).call{gas: 200_000}(abi.encodeCall(token.transfer, (ALICE, 1)));
        require(!worked && reason.length == 0, "refused without a reason");
        require(before - gasleft() > 200_000, "gas came back");
    }

    function test_an_unlimited_allowance_stays_unlimited() public {
        vm.prank(ALICE);
        token.approve(BOB, type(uint256).max);
        vm.prank(BOB);
        token.transferFrom(ALICE, BOB, 10);
        require(token.allowance(ALICE, BOB) == type(uint256).max, "allowance");
    }

    function test_a_barred_holder_cannot_send_but_can_receive() public {
        vm.prank(FAUCET);
        token.addBlackList(ALICE);
        require(token.isBlackListed(ALICE) && token.getBlackListStatus(ALICE), "status");
        (bool worked,) = callAs(ALICE, abi.encodeCall(token.transfer, (BOB, 1)));
        require(!worked, "sent");
        vm.prank(FAUCET);
        token.mint(BOB, 5);
        vm.prank(BOB);
        token.transfer(ALICE, 5);
        require(token.balanceOf(ALICE) == 1_005, "received");
        vm.prank(FAUCET);
        token.removeBlackList(ALICE);
        vm.prank(ALICE);
        token.transfer(BOB, 1);
    }

    function test_a_barred_holder_cannot_be_drawn_from_by_allowance() public {
        vm.prank(ALICE);
        token.approve(BOB, 10);
        vm.prank(FAUCET);
        token.addBlackList(ALICE);
        (bool worked,) = callAs(BOB, abi.encodeCall(token.transferFrom, (ALICE, BOB, 1)));
        require(!worked, "drawn");
    }

    function test_a_pause_stops_transfers_but_not_approvals() public {
        vm.prank(FAUCET);
        token.pause();
        (bool worked,) = callAs(ALICE, abi.encodeCall(token.transfer, (BOB, 1)));
        require(!worked, "transfer");
        vm.prank(ALICE);
        token.approve(BOB, 1);
        (worked,) = callAs(BOB, abi.encodeCall(token.transferFrom, (ALICE, BOB, 1)));
        require(!worked, "transferFrom");
        vm.prank(FAUCET);
        token.unpause();
        vm.prank(BOB);
        token.transferFrom(ALICE, BOB, 1);
    }

    function testFuzz_only_the_owner_bars_pauses_and_mints(address other) public {
        vm.assume(other != FAUCET);
        require(token.owner() == FAUCET, "owner");
        bytes memory refusal = abi.encodeWithSelector(MintableToken.NotFaucet.selector, other);
        bytes[5] memory calls = [
            abi.encodeCall(token.addBlackList, (ALICE)),
            abi.encodeCall(token.removeBlackList, (ALICE)),
            abi.encodeCall(token.pause, ()),
            abi.encodeCall(token.unpause, ()),
            abi.encodeCall(token.mint, (other, 1))
        ];
        for (uint256 i = 0; i < calls.length; i++) {
            (bool worked, bytes memory reason) = callAs(other, calls[i]);
            require(!worked && keccak256(reason) == keccak256(refusal), "not refused");
        }
    }
}
