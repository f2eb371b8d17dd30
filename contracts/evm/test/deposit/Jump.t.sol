// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order} from "../../src/Order.sol";
import {DepositFactory} from "../../src/deposit/DepositFactory.sol";
import {IDepositFactory, Jump} from "../../src/interfaces/IDepositFactory.sol";
import {IEscrow} from "../../src/interfaces/IEscrow.sol";
import {vm} from "../Vm.sol";
import {FILLER, NATIVE, REFUND, START} from "./DepositFixture.sol";
import {JumpFixture} from "./JumpFixture.sol";

contract JumpTest is JumpFixture {
    function test_Rule21_the_id_hashes_every_term() public view {
        Jump memory jump = someJump(address(usdc));
        bytes32 kind = keccak256(
            "CausewayJump(uint256 version,uint256 originChainId,bytes32 escrow,bytes32 nonce,bytes32 maker,bytes32 inputToken,bytes32 refundTo,uint256 destinationChainId,bytes32 outputToken,bytes32 recipient,uint256 rateIn,uint256 rateOut,uint256 expiry)"
        );
        require(factory.jumpId(jump) == keccak256(abi.encode(kind, jump)), "id");
    }

    function testFuzz_Rule21_another_term_is_another_address(uint256 field, bytes32 value) public view {
        Jump memory jump = someJump(address(usdc));
        address spot = depositOf(jump);
        bytes memory terms = abi.encode(jump);
        field = within(field, 0, 12);
        bytes32 before;
        assembly ("memory-safe") {
            let place := add(add(terms, 32), mul(field, 32))
            before := mload(place)
            mstore(place, value)
        }
        vm.assume(before != value);
        require(depositOf(abi.decode(terms, (Jump))) != spot, "same address");
    }

    function testFuzz_Rule21_a_signature_of_the_maker_opens_with_the_whole_balance(
        address caller,
        uint256 paid
    ) public {
        paid = within(paid, 1, type(uint128).max);
        Jump memory jump = someJump(address(usdc));
        Order memory order = orderOf(jump, paid, paid);
        address spot = depositOf(jump);
        pay(address(usdc), spot, paid);
        bytes memory signature = makerOpens(jump, order);

        vm.expectEmit(address(factory));
        emit IDepositFactory.Jumped(factory.jumpId(jump), order.id(), spot, paid);
        vm.prank(caller);
        factory.jump(jump, order, signature);

        require(escrow.status(order.id()) == IEscrow.Status.Open, "status");
        equal(usdc.balanceOf(address(escrow)), paid, "escrow");
        equal(usdc.balanceOf(spot), 0, "left");
        equal(usdc.allowance(spot, address(escrow)), 0, "allowance");

        vm.prank(FILLER);
        escrow.refund(order);
        equal(usdc.balanceOf(REFUND), paid, "a refund reaches the jump's refund address");
    }

    function test_Rule21_native_and_quirky_tokens_jump_alike() public {
        address[2] memory tokens = [NATIVE, address(usdt)];
        for (uint256 i = 0; i < 2; ++i) {
            Jump memory jump = someJump(tokens[i]);
            Order memory order = orderOf(jump, 300, 200);
            pay(tokens[i], depositOf(jump), 300);
            factory.jump(jump, order, makerOpens(jump, order));
            equal(held(tokens[i], address(escrow)), 300, "escrow");
        }
    }

    function test_Rule21_a_second_payout_opens_another_order() public {
        Jump memory jump = someJump(address(usdc));
        Order memory first = orderOf(jump, 300, 200);
        pay(address(usdc), depositOf(jump), 300);
        factory.jump(jump, first, makerOpens(jump, first));

        pay(address(usdc), depositOf(jump), 300);
        bytes memory again = makerOpens(jump, first);
        vm.expectRevert(abi.encodeWithSelector(IEscrow.AlreadyOpened.selector, first.id()));
        factory.jump(jump, first, again);

        Order memory second = orderOf(jump, 300, 200);
        second.nonce = keccak256("second");
        factory.jump(jump, second, makerOpens(jump, second));
        equal(usdc.balanceOf(address(escrow)), 600, "escrow");
    }

    function mismatch(Jump memory jump, Order memory order) internal {
        bytes memory signature = makerOpens(jump, order);
        vm.expectRevert(IDepositFactory.JumpMismatch.selector);
        factory.jump(jump, order, signature);
    }

    function test_Rule21_the_order_keeps_what_the_jump_committed_to() public {
        Jump memory jump = someJump(address(usdc));
        pay(address(usdc), depositOf(jump), 300);
        // Places in the order of: version, origin, escrow, user, input, refundTo, destination, output, recipient.
        uint8[9] memory places = [0, 1, 2, 3, 5, 7, 12, 14, 16];
        for (uint256 i = 0; i < places.length; ++i) {
            bytes memory terms = abi.encode(orderOf(jump, 300, 200));
            uint256 place = places[i];
            assembly ("memory-safe") {
                let term := add(add(terms, 32), mul(place, 32))
                mstore(term, add(mload(term), 1))
            }
            mismatch(jump, abi.decode(terms, (Order)));
        }
        Order memory order = orderOf(jump, 300, 200);
        factory.jump(jump, order, makerOpens(jump, order));
    }

    function test_Rule21_no_order_takes_more_than_has_arrived() public {
        Jump memory jump = someJump(address(usdc));
        pay(address(usdc), depositOf(jump), 300);
        Order memory order = orderOf(jump, 301, 300);
        bytes memory signature = makerOpens(jump, order);
        vm.expectRevert(abi.encodeWithSelector(IDepositFactory.TooLittle.selector, 300, 301));
        factory.jump(jump, order, signature);
    }

    function testFuzz_Rule21_what_a_stranger_adds_stops_nothing_and_goes_to_the_refund_address(uint256 dust)
        public
    {
        dust = within(dust, 1, type(uint96).max);
        address[3] memory tokens = [NATIVE, address(usdc), address(usdt)];
        for (uint256 i = 0; i < tokens.length; ++i) {
            Jump memory jump = someJump(tokens[i]);
            Order memory order = orderOf(jump, 300, 200);
            pay(tokens[i], depositOf(jump), 300);
            bytes memory signature = makerOpens(jump, order);
            pay(tokens[i], depositOf(jump), dust);
            factory.jump(jump, order, signature);
            equal(held(tokens[i], address(escrow)), 300, "escrow");
            equal(held(tokens[i], depositOf(jump)), dust, "rest");

            // The same signature takes nothing of the rest.
            vm.expectRevert();
            factory.jump(jump, order, signature);

            address refundTo = address(uint160(uint256(jump.refundTo)));
            uint256 before = held(tokens[i], refundTo);
            vm.warp(jump.expiry + 1);
            factory.giveBackJump(jump, list(tokens[i]), "");
            equal(held(tokens[i], refundTo) - before, dust, "refund address");
            vm.warp(START);
        }
    }

    function test_Rule21_the_minimum_rate_holds_to_the_unit() public {
        Jump memory jump = someJump(address(usdc));
        pay(address(usdc), depositOf(jump), 301);
        // 301 * 2 / 3 = 200.67: 200 is too little, 201 is enough.
        Order memory order = orderOf(jump, 301, 200);
        bytes memory signature = makerOpens(jump, order);
        vm.expectRevert(abi.encodeWithSelector(IDepositFactory.RateTooLow.selector, 301, 200));
        factory.jump(jump, order, signature);
        order = orderOf(jump, 301, 201);
        factory.jump(jump, order, makerOpens(jump, order));
    }

    function test_Rule21_a_jump_without_a_rate_opens_nothing() public {
        Jump memory jump = someJump(address(usdc));
        (jump.rateIn, jump.rateOut) = (0, 0);
        pay(address(usdc), depositOf(jump), 300);
        Order memory order = orderOf(jump, 300, 300);
        bytes memory signature = makerOpens(jump, order);
        vm.expectRevert(abi.encodeWithSelector(IDepositFactory.RateTooLow.selector, 300, 300));
        factory.jump(jump, order, signature);
    }

    function test_Rule21_a_jump_works_at_its_expiry_and_not_a_second_later() public {
        Jump memory jump = someJump(address(usdc));
        jump.expiry = START + 5 minutes;
        pay(address(usdc), depositOf(jump), 300);
        Order memory order = orderOf(jump, 300, 200);
        bytes memory signature = makerOpens(jump, order);
        vm.warp(jump.expiry + 1);
        vm.expectRevert(abi.encodeWithSelector(IDepositFactory.Expired.selector, jump.expiry));
        factory.jump(jump, order, signature);
        vm.warp(jump.expiry);
        factory.jump(jump, order, signature);
    }

    function test_Rule21_a_maker_binds_the_money_for_a_week_at_most() public {
        Jump memory jump = someJump(address(usdc));
        pay(address(usdc), depositOf(jump), 300);
        Order memory order = orderOf(jump, 300, 200);
        order.fillDeadline = START + 7 days + 1;
        order.refundAt = order.fillDeadline + 6 hours;
        bytes memory signature = makerOpens(jump, order);
        vm.expectRevert(
            abi.encodeWithSelector(DepositFactory.FillDeadlineTooFar.selector, order.fillDeadline)
        );
        factory.jump(jump, order, signature);
        order.fillDeadline -= 1;
        factory.jump(jump, order, makerOpens(jump, order));
    }

    function test_Rule21_another_chain_or_version_jumps_nowhere() public {
        Jump memory jump = someJump(address(usdc));
        Order memory order = orderOf(jump, 300, 200);
        bytes memory signature = makerOpens(jump, order);
        vm.chainId(10);
        vm.expectRevert(abi.encodeWithSelector(IDepositFactory.WrongChain.selector, 1));
        factory.jump(jump, order, signature);
        vm.chainId(1);
        jump.version = 1;
        vm.expectRevert(abi.encodeWithSelector(IDepositFactory.WrongVersion.selector, 1));
        factory.jump(jump, order, signature);
    }
}
