// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order} from "../../src/Order.sol";
import {DepositFactory} from "../../src/deposit/DepositFactory.sol";
import {IDepositFactory, Jump} from "../../src/interfaces/IDepositFactory.sol";
import {vm} from "../Vm.sol";
import {JumpFixture} from "./JumpFixture.sol";

/// @notice Whose signature opens a jump, and whose does not.
contract JumpMakerTest is JumpFixture {
    uint256 constant CURVE = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;

    Jump terms;
    Order order;

    function setUp() public override {
        super.setUp();
        terms = someJump(address(usdc));
        order = orderOf(terms, 300, 200);
        pay(address(usdc), depositOf(terms), 300);
    }

    function refused(bytes memory signature, address signer) internal {
        vm.expectRevert(abi.encodeWithSelector(IDepositFactory.NotTheMaker.selector, signer));
        factory.jump(terms, order, signature);
    }

    /// @dev A signature over other data recovers to an unknown address.
    function refused(bytes memory signature) internal {
        (bool done, bytes memory reason) =
            address(factory).call(abi.encodeCall(factory.jump, (terms, order, signature)));
        require(!done && bytes4(reason) == IDepositFactory.NotTheMaker.selector, "taken");
    }

    function testFuzz_Rule21_only_a_signature_of_the_maker_counts(uint256 key) public {
        key = within(key, 1, CURVE - 1);
        vm.assume(key != MAKER_KEY);
        refused(signed(key, openDigest(terms, order)), vm.addr(key));
    }

    function test_Rule21_a_signature_for_another_order_does_not_count() public {
        Order memory other = order;
        other.amountOut = 201;
        refused(signed(MAKER_KEY, openDigest(terms, other)));
    }

    function test_Rule21_a_signature_for_another_jump_does_not_count() public {
        Jump memory other = terms;
        other.nonce = 0;
        refused(signed(MAKER_KEY, openDigest(other, order)));
    }

    function test_Rule21_a_signature_to_release_does_not_open() public {
        refused(signed(MAKER_KEY, releaseDigest(terms)));
    }

    function test_Rule21_a_signature_for_another_chain_does_not_count() public {
        vm.chainId(10);
        bytes memory signature = signed(MAKER_KEY, openDigest(terms, order));
        vm.chainId(1);
        refused(signature);
    }

    function test_Rule21_a_signature_for_another_factory_does_not_count() public {
        DepositFactory first = factory;
        bytes32 inner = keccak256(
            abi.encode(
                keccak256("OpenJump(bytes32 jumpId,bytes32 orderId)"), factory.jumpId(terms), order.id()
            )
        );
        factory = new DepositFactory();
        bytes memory signature = signed(MAKER_KEY, digest(inner));
        factory = first;
        refused(signature);
        factory.jump(terms, order, signed(MAKER_KEY, digest(inner)));
    }

    function test_Rule21_the_mirror_image_of_a_signature_is_refused() public {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(MAKER_KEY, openDigest(terms, order));
        refused(abi.encodePacked(r, bytes32(CURVE - uint256(s)), v == 27 ? uint8(28) : uint8(27)), address(0));
    }

    function testFuzz_Rule21_malformed_signatures_are_rejected(bytes memory noise) public {
        vm.assume(noise.length != 65);
        refused(noise, address(0));
    }

    function test_Rule21_an_empty_or_short_signature_is_refused() public {
        refused("", address(0));
        (, bytes32 r, bytes32 s) = vm.sign(MAKER_KEY, openDigest(terms, order));
        refused(abi.encodePacked(r, s), address(0));
    }

    function testFuzz_Rule21_a_jump_without_a_maker_never_opens(uint8 v, bytes32 r, bytes32 s) public {
        terms.maker = 0;
        order = orderOf(terms, 300, 200);
        pay(address(usdc), depositOf(terms), 300);
        refused(abi.encodePacked(r, s, v));
    }
}
