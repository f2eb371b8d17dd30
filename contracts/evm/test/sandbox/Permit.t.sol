// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {PlayToken} from "../../src/sandbox/PlayToken.sol";
import {TokenStorage} from "../../src/sandbox/TokenStorage.sol";
import {vm} from "../Vm.sol";
import {BOB, Genesis} from "./Genesis.sol";

contract PermitTest {
    uint256 constant ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;
    bytes constant INVALID = abi.encodeWithSignature("Error(string)", "ERC20Permit: invalid signature");

    PlayToken token = PlayToken(0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48);

    function setUp() public {
        Genesis.place(address(token), type(PlayToken).runtimeCode, "USD Coin", "USDC", 6);
        vm.store(address(token), bytes32(uint256(7)), Genesis.short("2"));
        vm.chainId(1);
    }

    function sign(uint256 key, uint256 value, uint256 nonce, uint256 deadline)
        internal
        view
        returns (uint8 v, bytes32 r, bytes32 s)
    {
        bytes32 kind = keccak256(
            "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"
        );
        bytes32 terms = keccak256(abi.encode(kind, vm.addr(key), BOB, value, nonce, deadline));
        return vm.sign(key, keccak256(abi.encodePacked("\x19\x01", token.DOMAIN_SEPARATOR(), terms)));
    }

    function bounded(uint256 key) internal pure returns (uint256) {
        return key % (ORDER - 1) + 1;
    }

    /// The figure that USDC itself answers with on Ethereum.
    function test_the_domain_is_that_of_real_usdc_on_ethereum() public view {
        require(
            token.DOMAIN_SEPARATOR() == 0x06c37168a7db5138defc7866392bb87a741f9b3d104deb5094588ce041cae335,
            "domain"
        );
    }

    function test_the_domain_follows_the_chain() public {
        bytes32 before = token.DOMAIN_SEPARATOR();
        vm.chainId(8453);
        require(token.DOMAIN_SEPARATOR() != before, "domain");
    }

    function testFuzz_a_signature_of_the_owner_sets_the_allowance(uint256 key, uint256 value) public {
        key = bounded(key);
        (uint8 v, bytes32 r, bytes32 s) = sign(key, value, 0, block.timestamp);
        vm.expectEmit(address(token));
        emit TokenStorage.Approval(vm.addr(key), BOB, value);
        token.permit(vm.addr(key), BOB, value, block.timestamp, v, r, s);
        require(token.allowance(vm.addr(key), BOB) == value, "allowance");
        require(token.nonces(vm.addr(key)) == 1, "nonce");
    }

    function testFuzz_a_signature_of_anyone_else_is_refused(uint256 key, address owner) public {
        key = bounded(key);
        vm.assume(owner != vm.addr(key));
        (uint8 v, bytes32 r, bytes32 s) = sign(key, 1, 0, block.timestamp);
        vm.expectRevert(INVALID);
        token.permit(owner, BOB, 1, block.timestamp, v, r, s);
    }

    function test_a_signature_works_once() public {
        (uint8 v, bytes32 r, bytes32 s) = sign(1, 1, 0, block.timestamp);
        token.permit(vm.addr(1), BOB, 1, block.timestamp, v, r, s);
        vm.expectRevert(INVALID);
        token.permit(vm.addr(1), BOB, 1, block.timestamp, v, r, s);
    }

    function test_a_signature_expires() public {
        vm.warp(1_000);
        (uint8 v, bytes32 r, bytes32 s) = sign(1, 1, 0, 999);
        vm.expectRevert(abi.encodeWithSignature("Error(string)", "ERC20Permit: expired deadline"));
        token.permit(vm.addr(1), BOB, 1, 999, v, r, s);
    }

    function testFuzz_a_malleable_signature_is_rejected(uint256 key) public {
        key = bounded(key);
        (uint8 v, bytes32 r, bytes32 s) = sign(key, 1, 0, block.timestamp);
        vm.expectRevert(INVALID);
        token.permit(vm.addr(key), BOB, 1, block.timestamp, v == 27 ? 28 : 27, r, bytes32(ORDER - uint256(s)));
    }

    function test_the_zero_address_signs_nothing() public {
        vm.expectRevert(INVALID);
        token.permit(address(0), BOB, 1, block.timestamp, 27, bytes32(0), bytes32(0));
    }
}
