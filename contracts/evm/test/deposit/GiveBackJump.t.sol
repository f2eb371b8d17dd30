// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order} from "../../src/Order.sol";
import {IDepositFactory, Jump} from "../../src/interfaces/IDepositFactory.sol";
import {vm} from "../Vm.sol";
import {EXCHANGE, NATIVE, REFUND} from "./DepositFixture.sol";
import {JumpFixture} from "./JumpFixture.sol";

contract GiveBackJumpTest is JumpFixture {
    function refuse(Jump memory jump, address[] memory tokens) internal {
        vm.expectRevert(abi.encodeWithSelector(IDepositFactory.StillAwaited.selector, factory.jumpId(jump)));
        factory.giveBackJump(jump, tokens, "");
    }

    function test_Rule21_before_expiry_the_input_waits() public {
        Jump memory jump = someJump(address(usdc));
        pay(address(usdc), depositOf(jump), 300);
        vm.warp(jump.expiry);
        refuse(jump, list(address(usdc)));
        refuse(jump, list(address(dai), address(usdc)));
    }

    function test_Rule21_past_expiry_all_goes_to_the_refund_address() public {
        Jump memory jump = someJump(address(usdc));
        address spot = depositOf(jump);
        pay(address(usdc), spot, 300);
        pay(NATIVE, spot, 9);
        vm.warp(jump.expiry + 1);
        vm.expectEmit(address(factory));
        emit IDepositFactory.Returned(factory.jumpId(jump), spot, REFUND, address(usdc), 300);
        factory.giveBackJump(jump, list(address(usdc), NATIVE), "");
        equal(usdc.balanceOf(REFUND), 300, "usdc");
        equal(REFUND.balance, 9, "native");
        equal(usdc.balanceOf(EXCHANGE) + EXCHANGE.balance, 0, "the sender got something");
    }

    function test_Rule21_other_tokens_go_back_at_once() public {
        Jump memory jump = someJump(address(usdc));
        pay(address(dai), depositOf(jump), 8);
        factory.giveBackJump(jump, list(address(dai)), "");
        equal(dai.balanceOf(REFUND), 8, "dai");
    }

    function test_Rule21_on_another_chain_everything_goes_back_at_once() public {
        Jump memory jump = someJump(address(usdc));
        vm.chainId(137);
        pay(address(usdc), depositOf(jump), 300);
        factory.giveBackJump(jump, list(address(usdc)), "");
        equal(usdc.balanceOf(REFUND), 300, "usdc");
    }

    function testFuzz_Rule21_a_signature_of_the_maker_releases_all(address caller, uint256 paid) public {
        paid = within(paid, 1, type(uint128).max);
        Jump memory jump = someJump(address(usdc));
        pay(address(usdc), depositOf(jump), paid);
        bytes memory word_ = signed(MAKER_KEY, releaseDigest(jump));
        vm.prank(caller);
        factory.giveBackJump(jump, list(address(usdc)), word_);
        equal(usdc.balanceOf(REFUND), paid, "usdc");
    }

    function testFuzz_Rule21_only_a_signature_of_the_maker_releases(uint256 key) public {
        key = within(key, 1, 1 << 250);
        vm.assume(key != MAKER_KEY);
        Jump memory jump = someJump(address(usdc));
        pay(address(usdc), depositOf(jump), 300);
        bytes memory word_ = signed(key, releaseDigest(jump));
        vm.expectRevert(abi.encodeWithSelector(IDepositFactory.NotTheMaker.selector, vm.addr(key)));
        factory.giveBackJump(jump, list(address(usdc)), word_);
    }

    function test_Rule21_a_signature_for_another_jump_or_to_open_releases_nothing() public {
        Jump memory jump = someJump(address(usdc));
        Jump memory other = someJump(address(usdc));
        other.nonce = 0;
        bytes[2] memory words =
            [signed(MAKER_KEY, releaseDigest(other)), makerOpens(jump, orderOf(jump, 300, 200))];
        pay(address(usdc), depositOf(jump), 300);
        for (uint256 i = 0; i < 2; ++i) {
            (bool done, bytes memory reason) = address(factory)
                .call(abi.encodeCall(factory.giveBackJump, (jump, list(address(usdc)), words[i])));
            require(!done && bytes4(reason) == IDepositFactory.NotTheMaker.selector, "released");
        }
    }

    function test_Rule21_what_arrives_after_the_opening_waits_for_the_maker_or_expiry() public {
        Jump memory jump = someJump(address(usdc));
        Order memory order = orderOf(jump, 300, 200);
        pay(address(usdc), depositOf(jump), 300);
        factory.jump(jump, order, makerOpens(jump, order));
        pay(address(usdc), depositOf(jump), 50);
        refuse(jump, list(address(usdc)));
        vm.warp(jump.expiry + 1);
        factory.giveBackJump(jump, list(address(usdc)), "");
        equal(usdc.balanceOf(REFUND), 50, "second payout");
        equal(usdc.balanceOf(address(escrow)), 300, "first payout");
    }

    function testFuzz_Rule21_a_jump_opens_or_goes_back_but_never_both(uint256 time) public {
        Jump memory jump = someJump(address(usdc));
        jump.expiry = block.timestamp + 5 minutes;
        Order memory order = orderOf(jump, 300, 200);
        pay(address(usdc), depositOf(jump), 300);
        vm.warp(within(time, block.timestamp, jump.expiry + 4 minutes));
        (bool back,) =
            address(factory).call(abi.encodeCall(factory.giveBackJump, (jump, list(address(usdc)), "")));
        (bool opened,) =
            address(factory).call(abi.encodeCall(factory.jump, (jump, order, makerOpens(jump, order))));
        require(back == (block.timestamp > jump.expiry), "returned");
        require(opened == !back, "opened");
        equal(usdc.balanceOf(REFUND), back ? 300 : 0, "refund address");
        equal(usdc.balanceOf(address(escrow)), back ? 0 : 300, "escrow");
    }
}
